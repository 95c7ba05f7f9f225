// Measures the convolutions of ResNet-18 for CIFAR-10 through lib/kernels/convolution, each with the fastest engine of
// its pass: microseconds, TFLOP/s, and the seconds of all convolutions of an epoch of 50,000 images.
//
//   convolution_benchmark [--benchmark_...] [--precision=bf16|tf32|fp32] [BATCH...]        (default: bf16, 32 128 512)
//
// Timed: one launch in the gapless middle of a CUDA graph (lib/cuda/graph_timer.h), the fastest of three replays, on
// separate buffers; each such measurement is one iteration. Not timed: choosing the engine and filling the buffers.
// FLOP are those of the definition, including padded taps. The stem counts as a 1x1 convolution of 32 channels, which
// is how it runs; its data gradient is not needed and not timed. Before any timing, each pass of one small shape is
// compared with its reference implementation; lib/kernels/convolution_test tests the rest.
#include <benchmark/benchmark.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/cuda/device_buffer.h"
#include "lib/cuda/graph_timer.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/convolution_reference.h"

namespace lockstep {
namespace {

using Bf16 = __nv_bfloat16;

constexpr int kIterations = 5;
constexpr int kSmallSum = 576;           // largest number of products per sum in CheckSmallShape
constexpr double kEpochImages = 50'000;  // CIFAR-10's training split

void Check(const absl::Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::exit(5);
  }
}

template <typename T>
T Check(absl::StatusOr<T> value) {
  Check(value.status());
  return *std::move(value);
}

void Check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    std::exit(5);
  }
}

struct Layer {
  const char* name;
  int count;  // number of such layers in ResNet-18
  uint32_t in_channels, in_size, out_channels, filter, stride;
};

// He et al. 2016, with the stem of CIFAR-10: 3x3, stride 1, no pooling.
constexpr Layer kLayers[] = {
    {"stem", 1, 32, 32, 64, 1, 1},          {"64_64", 4, 64, 32, 64, 3, 1},        {"64_128", 1, 64, 32, 128, 3, 2},
    {"128_128", 3, 128, 16, 128, 3, 1},     {"128_256", 1, 128, 16, 256, 3, 2},    {"256_256", 3, 256, 8, 256, 3, 1},
    {"256_512", 1, 256, 8, 512, 3, 2},      {"512_512", 3, 512, 4, 512, 3, 1},     {"64_128_1x1", 1, 64, 32, 128, 1, 2},
    {"128_256_1x1", 1, 128, 16, 256, 1, 2}, {"256_512_1x1", 1, 256, 8, 512, 1, 2},
};

struct Pass {
  const char* name;
  ConvolutionPass pass;
};
constexpr Pass kPasses[] = {{"forward", ConvolutionPass::kForward},
                            {"data_gradient", ConvolutionPass::kDataGradient},
                            {"weight_gradient", ConvolutionPass::kWeightGradient}};

// Stream of all launches, and cuDNN's handle on that stream.
struct Gpu {
  cudaStream_t stream = nullptr;
  std::unique_ptr<ConvolutionContext> context;
};

Gpu& TheGpu() {
  static Gpu* const gpu = [] {
    auto* made = new Gpu;
    Check(cudaStreamCreateWithFlags(&made->stream, cudaStreamNonBlocking));
    made->context = Check(ConvolutionContext::Make(made->stream));
    return made;
  }();
  return *gpu;
}

struct Precision {
  const char* name;
  ConvolutionType type;
  double roundoff;  // rounding of an operand: bf16 keeps 8 bits, TF32 11, fp32 24
};
constexpr Precision kPrecisions[] = {{"bf16", ConvolutionType::kBf16, 0x1p-8},
                                     {"tf32", ConvolutionType::kTf32, 0x1p-11},
                                     {"fp32", ConvolutionType::kFp32, 0x1p-24}};

// Returns values in [-1, 1) that bf16 represents exactly; the first 100,003 are repeated.
template <typename T>
std::vector<T> Values(size_t count) {
  std::vector<T> values(std::min<size_t>(count, 100'003));
  uint32_t state = 1;
  for (T& value : values) {
    state = state * 1664525u + 1013904223u;
    value = T(static_cast<float>(Bf16(static_cast<float>(state >> 8) / (1 << 23) - 1)));
  }
  return values;
}

template <typename T>
DeviceBuffer FilledAs(size_t count) {
  const std::vector<T> values = Values<T>(count);
  DeviceBuffer buffer = Check(DeviceBuffer::Make(count * sizeof(T)));
  Check(buffer.Fill(values.data(), values.size() * sizeof(T), TheGpu().stream));
  return buffer;
}

DeviceBuffer Filled(ConvolutionType type, size_t count) {
  return type == ConvolutionType::kBf16 ? FilledAs<Bf16>(count) : FilledAs<float>(count);
}

// A plan with its buffers.
struct Planned {
  std::unique_ptr<Convolution> convolution;
  DeviceBuffer a, b, out, workspace;

  Planned(const ConvolutionShape& shape, ConvolutionPass pass, ConvolutionType type)
      : convolution(Check(Convolution::Plan(*TheGpu().context, shape, pass, type, {}))) {
    const ConvolutionOperands counts = CountOperands(shape, pass);
    a = Filled(type, counts.a);
    b = Filled(type, counts.b);
    out = Filled(type, counts.out);
    workspace = Check(DeviceBuffer::Make(convolution->workspace_bytes()));
  }
  absl::Status Run() const {
    return convolution->Run(*TheGpu().context, a.data(), b.data(), out.data(), workspace.data());
  }
};

// Checks each pass of a small shape. Tolerance: twice the type's rounding of the largest value, plus the rounding of
// kSmallSum additions in fp32 of products that are at most 1 each.
template <typename T>
void CheckSmallShape(const Precision& precision) {
  const ConvolutionShape shape = {2, 64, 8, 64, 3, 1};
  for (const Pass& pass : kPasses) {
    const ConvolutionOperands counts = CountOperands(shape, pass.pass);
    const Planned planned(shape, pass.pass, precision.type);
    Check(planned.Run());
    std::vector<T> found(counts.out);
    Check(cudaStreamSynchronize(TheGpu().stream));
    Check(cudaMemcpy(found.data(), planned.out.data(), counts.out * sizeof(T), cudaMemcpyDeviceToHost));
    std::vector<double> expected(counts.out);
    ConvolutionReference(shape, pass.pass, Values<T>(counts.a).data(), Values<T>(counts.b).data(), expected.data());
    double largest = 0, difference = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      difference = std::fmax(difference, std::abs(static_cast<float>(found[i]) - expected[i]));
      difference = std::isnan(static_cast<float>(found[i])) ? HUGE_VAL : difference;
    }
    if (!(difference <= 2 * precision.roundoff * largest + kSmallSum * kSmallSum * 0x1p-24)) {
      std::fprintf(stderr, "%s differs from the reference by %g, the largest value being %g\n", pass.name, difference,
                   largest);
      std::exit(5);
    }
  }
}

// Totals of one batch size: the number of measured passes, and the time and operations of a step's convolutions.
struct Total {
  int passes = 0;
  double step_microseconds = 0;
  double step_flops = 0;
};
std::map<uint32_t, Total>& Totals() {
  static auto* const totals = new std::map<uint32_t, Total>;
  return *totals;
}

void Measure(benchmark::State& state, const Layer& layer, ConvolutionPass pass, ConvolutionType type, uint32_t batch) {
  const ConvolutionShape shape = {batch,        layer.in_channels, layer.in_size, layer.out_channels,
                                  layer.filter, layer.stride};
  const Planned planned(shape, pass, type);
  double sum = 0;
  for (auto _ : state) {
    const double microseconds = Check(MicrosecondsInGraph(TheGpu().stream, [&] { return planned.Run(); }));
    state.SetIterationTime(microseconds * 1e-6);
    sum += microseconds;
  }
  const double mean = sum / static_cast<double>(state.iterations());
  state.counters["TFLOP/s"] = ConvolutionFlops(shape) / mean * 1e-6;
  state.counters["count"] = layer.count;
  state.counters["s_per_epoch"] = layer.count * mean * 1e-6 * kEpochImages / batch;
  state.SetLabel(planned.convolution->engine());
  Total& total = Totals()[batch];
  ++total.passes;
  total.step_microseconds += layer.count * mean;
  total.step_flops += layer.count * ConvolutionFlops(shape);
}

// Registers all benchmarks of a batch. Returns the number of passes, counted once per kind of layer.
int Register(ConvolutionType type, uint32_t batch) {
  int passes = 0;
  for (const Layer& layer : kLayers) {
    for (const Pass& pass : kPasses) {
      if (&layer == &kLayers[0] && pass.pass == ConvolutionPass::kDataGradient) {
        continue;
      }
      ++passes;
      const std::string name = absl::StrCat(pass.name, "/", layer.name, "/batch:", batch);
      benchmark::RegisterBenchmark(
          name.c_str(),
          [&layer, pass, type, batch](benchmark::State& state) { Measure(state, layer, pass.pass, type, batch); })
          ->UseManualTime()
          ->Iterations(kIterations)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return passes;
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<uint32_t> batches;
  const Precision* precision = &kPrecisions[0];
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--precision=")) {
      precision = std::find_if(std::begin(kPrecisions), std::end(kPrecisions),
                               [&](const Precision& each) { return argument == each.name; });
      if (precision == std::end(kPrecisions)) {
        std::fprintf(stderr, "expected --precision=bf16, tf32 or fp32, found '%s'\n", argv[i]);
        return 2;
      }
      continue;
    }
    uint32_t batch = 0;
    if (!absl::SimpleAtoi(argv[i], &batch) || batch == 0) {
      std::fprintf(stderr, "expected batch sizes, found '%s'\n", argv[i]);
      return 2;
    }
    batches.push_back(batch);
  }
  precision->type == ConvolutionType::kBf16 ? CheckSmallShape<Bf16>(*precision) : CheckSmallShape<float>(*precision);
  int passes = 0;
  for (const uint32_t batch : batches.empty() ? std::vector<uint32_t>{32, 128, 512} : batches) {
    passes = Register(precision->type, batch);
  }
  benchmark::RunSpecifiedBenchmarks();
  for (const auto& [batch, total] : Totals()) {
    std::printf("batch %u: %.3f s for the convolutions of %.0f images, %.1f TFLOP/s (%d of %d passes measured)\n",
                batch, total.step_microseconds * 1e-6 * kEpochImages / batch, kEpochImages,
                total.step_flops / total.step_microseconds * 1e-6, total.passes, passes);
  }
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
