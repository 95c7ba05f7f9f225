#include "lib/int8_cpu/cpu_network.h"

#include <algorithm>
#include <atomic>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/start_thread.h"
#include "lib/base/status_macros.h"
#include "lib/int8/integer_network_check.h"
#include "lib/int8_cpu/value_layers.h"

namespace lockstep {
namespace {

// Limits of a worker: bytes of its largest tensor, and its images. Enough to fill tiles at 4 x 4 pixels, and small
// enough for the last cache. On a Zen 5, half and twice as much are equally fast.
constexpr size_t kTensorBytes = size_t{1} << 20;
constexpr size_t kMaxImages = 64;

// Returns every result of an addition: uint8 [256 * a + b], a and b as uint8.
std::vector<uint8_t> MakeAddTable(const IntegerLayer& layer) {
  std::vector<uint8_t> table(size_t{256} * 256);
  const int32_t lowest = layer.shape.relu ? layer.zero_point : -128;
  for (int32_t i = 0; i < 256 * 256; ++i) {
    const int8_t sum = AddInt8(static_cast<int8_t>(i / 256 - 128), static_cast<int8_t>(i % 256 - 128), layer.add);
    table[i] = static_cast<uint8_t>(std::max<int32_t>(sum, lowest) + 128);
  }
  return table;
}

}  // namespace

// Memory of one thread, which runs the network on some images.
class CpuNetwork::Worker {
 public:
  Worker(const CpuNetwork& network, const NetworkPlan& plan, size_t images) : network_(network), plan_(plan) {
    for (const size_t values : plan.place_values) {
      places_.emplace_back(values * images * network.kernels_.value_bytes);
    }
  }

  void Run(const int8_t* images, size_t count, int32_t* logits, const Observer& observe) {
    return network_.kernels_.value_bytes == 1 ? RunAs<uint8_t>(images, count, logits, observe)
                                              : RunAs<int16_t>(images, count, logits, observe);
  }

 private:
  uint8_t* At(uint32_t tensor) { return places_[plan_.place[tensor]].data(); }

  template <typename Value>
  void RunAs(const int8_t* images, size_t count, int32_t* logits, const Observer& observe) {
    const std::vector<IntegerLayer>& layers = network_.network_.layers;
    ToValues(images, count * layers[0].shape.In().Size(), reinterpret_cast<Value*>(At(0)));
    for (const PlanStep& step : plan_.steps) {
      const IntegerLayer& layer = layers[step.layer];
      if (layer.WritesSums()) {
        network_.convolutions_[step.layer]->Run(At(layer.shape.inputs[0]), count, logits);
        return;
      }
      RunStep<Value>(step, count);
      if (observe) {
        std::vector<int8_t> values(count * layer.shape.Pooled().Size());
        FromValues(reinterpret_cast<const Value*>(At(step.output)), values.size(), values.data());
        observe(step.layer, values.data(), values.size());
      }
    }
    FromValues(reinterpret_cast<const Value*>(At(static_cast<uint32_t>(layers.size()))),
               count * network_.LogitsPerImage(), logits);
  }

  template <typename Value>
  void RunStep(const PlanStep& step, size_t count) {
    const IntegerLayer& layer = network_.network_.layers[step.layer];
    const LayerShape& shape = layer.shape;
    Value* const output = reinterpret_cast<Value*>(At(step.output));
    bool pooled = shape.pool == 0;
    if (shape.HasWeights()) {
      const PackedConvolution& convolution = *network_.convolutions_[step.layer];
      const FusedAdd add = AddOf(step);
      convolution.Run(At(shape.inputs[0]), count, output, step.add.has_value() ? &add : nullptr);
      pooled = pooled || convolution.PoolsToo();
    } else if (shape.kind == LayerKind::kAdd) {
      network_.kernels_.add(network_.adds_[step.layer], At(shape.inputs[0]), At(shape.inputs[1]), output,
                            count * shape.Out().Size());
    } else {
      AveragePoolValues(layer, network_.network_.ZeroPoint(shape.inputs[0]),
                        reinterpret_cast<const Value*>(At(shape.inputs[0])), count, output);
    }
    if (!pooled) {
      MaxPoolValues(shape, output, count, output);
    }
  }

  FusedAdd AddOf(const PlanStep& step) {
    if (!step.add.has_value()) {
      return {};
    }
    const std::vector<uint32_t>& inputs = network_.network_.layers[*step.add].shape.inputs;
    const bool is_first = inputs[0] == step.layer + 1;
    return {network_.adds_[*step.add], At(inputs[is_first ? 1 : 0]), is_first};
  }

  const CpuNetwork& network_;
  const NetworkPlan& plan_;
  std::vector<AlignedBuffer> places_;
};

CpuNetwork::CpuNetwork(const IntegerNetwork& network, const TileKernels& kernels, int threads)
    : network_(network), threads_(threads), kernels_(kernels),
      fused_(MakeNetworkPlan(network.Shapes(), Additions::kFused)),
      unfused_(MakeNetworkPlan(network.Shapes(), Additions::kSeparate)) {
  MakeLayers();
}

void CpuNetwork::MakeLayers() {
  for (const IntegerLayer& layer : network_.layers) {
    const bool is_add = layer.shape.kind == LayerKind::kAdd;
    convolutions_.push_back(layer.shape.HasWeights() ? std::make_unique<PackedConvolution>(
                                                           layer, network_.ZeroPoint(layer.shape.inputs[0]), kernels_)
                                                     : nullptr);
    add_tables_.push_back(is_add && kernels_.wants_add_table ? MakeAddTable(layer) : std::vector<uint8_t>());
    adds_.push_back(MakeAddTask(layer));
    adds_.back().table = add_tables_.back().data();
  }
}

absl::StatusOr<std::unique_ptr<CpuNetwork>> CpuNetwork::Make(const IntegerNetwork& network, Isa isa, int threads) {
  if (!IsSupported(isa)) {
    return absl::FailedPreconditionError(
        absl::StrCat("this CPU has no ", IsaName(isa), "; its best is ", IsaName(BestIsa())));
  }
  return MakeOf(network, TileKernelsFor(isa), threads);
}

absl::StatusOr<std::unique_ptr<CpuNetwork>> CpuNetwork::MakeOf(const IntegerNetwork& network,
                                                               const TileKernels& kernels, int threads) {
  if (threads < 1) {
    return absl::InvalidArgumentError(absl::StrCat("expected 1 thread or more, got ", threads));
  }
  RETURN_IF_ERROR(CheckIntegerNetwork(network));
  return absl::WrapUnique(new CpuNetwork(network, kernels, threads));
}

size_t CpuNetwork::ImagesAtOnce() const {
  const size_t values = *std::max_element(fused_.place_values.begin(), fused_.place_values.end());
  return std::clamp<size_t>(kTensorBytes / values, 1, kMaxImages);
}

void CpuNetwork::Run(const int8_t* images, size_t count, int32_t* logits, const Observer& observe) const {
  const size_t in = network_.layers.front().shape.In().Size(), out = LogitsPerImage();
  if (observe) {
    Worker(*this, unfused_, count).Run(images, count, logits, observe);
    return;
  }
  const size_t share = (count + threads_ - 1) / threads_;
  const size_t block = std::max<size_t>(1, std::min(ImagesAtOnce(), share));
  std::atomic<size_t> next{0};
  const auto work = [&] {
    Worker worker(*this, fused_, block);
    for (size_t begin = next.fetch_add(block); begin < count; begin = next.fetch_add(block)) {
      worker.Run(images + begin * in, std::min(block, count - begin), logits + begin * out, nullptr);
    }
  };
  ThreadGroup threads;
  const size_t blocks = (count + block - 1) / block;
  bool started = true;
  for (size_t t = 1; started && t < std::min<size_t>(threads_, blocks); ++t) {
    started = threads.Start(work).ok();
  }
  work();
  threads.Join();
}

}  // namespace lockstep
