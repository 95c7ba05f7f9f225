// Measures int8 on CPUs: each convolution and fully connected layer of resnet18 and lenet5, and both networks, with
// every instruction set of this CPU (lib/int8_cpu), on one thread; and oneDNN, if it is installed.
//
// A layer is timed from values to values, without its max-pooling. Its input is in [0, 127], like after ReLU, so that
// oneDNN reads the same bytes as int8 and as uint8. A network is timed from int8 images to logits. Before it is timed,
// each row's output is digested; the rows of a case must have the same digest, else the program fails. oneDNN's outputs
// are compared with ours: exact, or the number of different values.
//
// Rows: peak/isa:ISA, layer/NETWORK/LAYER/batch:N/isa:ISA, network/NETWORK/batch:N/isa:ISA; oneDNN's are isa:onednn_s8
// and isa:onednn_u8.
//
// Columns: GOPS, two operations for each multiply-accumulate that reads no padding; share, of the peak that the
// instruction set's own instruction reaches in the same process (int8_peak.h); cold_GOPS, with weights and all other
// data out of the caches; images_s; p10 and p90, of GOPS or images_s. Times are medians. --batch=32 applies to layers.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "benchmark/benchmark.h"
#include "benchmarks/int8_peak.h"
#include "benchmarks/onednn_convolution.h"
#include "benchmarks/quantile.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/network.h"
#include "lib/int8/random_integer_network_testing.h"
#include "lib/int8_cpu/aligned_buffer.h"
#include "lib/int8_cpu/cpu_network.h"
#include "lib/int8_cpu/packed_convolution.h"
#include "lib/int8_cpu/tile_kernels.h"

namespace lockstep {
namespace {

using ::lockstep::testing::LastOutput;
using ::lockstep::testing::RandomIntegerNetworkOf;

constexpr size_t kEvictedBytes = size_t{128} << 20;  // more than the last level of most CPUs holds
constexpr int kColdRuns = 9;
constexpr double kSecondsPerRow = 0.3;

bool failed = false;

// FNV-1a, 64 bits, of the outputs as int8 or int32: http://www.isthe.com/chongo/tech/comp/fnv/.
template <typename T>
std::string Digest(const std::vector<T>& values) {
  uint64_t hash = 14695981039346656037u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  for (size_t i = 0; i < values.size() * sizeof(T); ++i) {
    hash = (hash ^ bytes[i]) * 1099511628211u;
  }
  return absl::StrFormat("%016x", hash);
}

// Returns the digest. If another row of the same case had another digest, appends it and marks the program as failed.
std::string CheckedDigest(const std::string& name, const std::string& digest) {
  static std::map<std::string, std::string> digests;
  const std::string& first = digests.emplace(name, digest).first->second;
  failed = failed || first != digest;
  return first == digest ? digest : absl::StrCat(digest, " IS NOT ", first);
}

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void EvictCaches() {
  static std::vector<uint64_t> other(kEvictedBytes / sizeof(uint64_t), 1);
  uint64_t sum = 0;
  for (uint64_t& value : other) {
    sum += value++;
  }
  benchmark::DoNotOptimize(sum);
}

// Returns the highest peak measured so far, including one measured now. Clocks change, and a low peak would make a
// share too high.
double PeakOf(Isa isa) {
  static std::map<Isa, double> peaks;
  double& peak = peaks[isa];
  return peak = std::max(peak, MeasurePeakInt8Operations(isa));
}

std::vector<double> TimeRuns(benchmark::State& state, const std::function<void()>& run) {
  std::vector<double> seconds;
  for (auto _ : state) {
    const double one = Seconds(run);
    state.SetIterationTime(one);
    seconds.push_back(one);
  }
  return seconds;
}

// Times `run`, which does `operations`, and reports its share of the peak of `isa`.
void TimeLayer(benchmark::State& state, double operations, Isa isa, const std::function<void()>& run) {
  run();
  const std::vector<double> warm = TimeRuns(state, run);
  std::vector<double> cold;
  for (int i = 0; i < kColdRuns; ++i) {
    EvictCaches();
    cold.push_back(Seconds(run));
  }
  state.counters["GOPS"] = operations / Quantile(warm, 0.5) / 1e9;
  state.counters["p10"] = operations / Quantile(warm, 0.9) / 1e9;
  state.counters["p90"] = operations / Quantile(warm, 0.1) / 1e9;
  state.counters["cold_GOPS"] = operations / Quantile(cold, 0.5) / 1e9;
  state.counters["share"] = operations / Quantile(warm, 0.5) / PeakOf(isa);
}

// One layer with the data that its rows share.
struct LayerCase {
  std::string name;
  IntegerLayer layer;
  size_t count;
  std::vector<int8_t> input;  // (count, In()), must not be negative
  std::vector<int8_t> expected;

  double Operations() const { return 2.0 * static_cast<double>(layer.shape.RealMacs()) * static_cast<double>(count); }
};

// ToInt8 converts values as the kernels store them to int8, FromInt8 does the reverse.
std::vector<int8_t> ToInt8(const AlignedBuffer& values, size_t size, uint32_t value_bytes) {
  std::vector<int8_t> result(size);
  for (size_t i = 0; i < size; ++i) {
    result[i] = static_cast<int8_t>(values.data()[i * value_bytes] - 128);  // little-endian: the low byte comes first
  }
  return result;
}

AlignedBuffer FromInt8(const std::vector<int8_t>& bytes, uint32_t value_bytes) {
  AlignedBuffer values(bytes.size() * value_bytes);
  for (size_t i = 0; i < bytes.size(); ++i) {
    values.data()[i * value_bytes] = static_cast<uint8_t>(bytes[i] + 128);
  }
  return values;
}

void BM_Layer(benchmark::State& state, LayerCase& layer, Isa isa) {
  const TileKernels& kernels = TileKernelsFor(isa);
  const PackedConvolution convolution(layer.layer, /*input_zero_point=*/0, kernels);
  const AlignedBuffer input = FromInt8(layer.input, kernels.value_bytes);
  const size_t size = layer.count * layer.layer.shape.Out().Size();
  AlignedBuffer output(size * kernels.value_bytes);
  const auto run = [&] { convolution.Run(input.data(), layer.count, output.data()); };
  run();
  layer.expected = ToInt8(output, size, kernels.value_bytes);
  state.SetLabel(CheckedDigest(layer.name, Digest(layer.expected)));
  TimeLayer(state, layer.Operations(), isa, run);
}

void BM_OneDnnLayer(benchmark::State& state, LayerCase& layer, InputSign sign) {
  const auto convolution = MakeOneDnnConvolution(layer.layer, layer.count, sign);
  std::vector<int8_t> output(layer.count * layer.layer.shape.Out().Size());
  const auto run = [&] { convolution->Run(layer.input.data(), output.data()); };
  run();
  size_t differ = 0;
  for (size_t i = 0; i < output.size() && !layer.expected.empty(); ++i) {
    differ += output[i] != layer.expected[i];
  }
  state.SetLabel(absl::StrCat(layer.expected.empty() ? "not compared"
                              : differ == 0          ? "exact"
                                                     : absl::StrCat(differ, " of ", output.size(), " differ"),
                              ", ", convolution->Implementation()));
  TimeLayer(state, layer.Operations(), BestIsa(), run);
}

void BM_Network(benchmark::State& state, const std::string& name, const IntegerNetwork& network, Isa isa,
                size_t count) {
  std::mt19937 random(1);
  std::vector<int8_t> images;
  for (size_t i = 0; i < count * network.layers[0].shape.In().Size(); ++i) {
    images.push_back(static_cast<int8_t>(random() & 0xFF));
  }
  const std::unique_ptr<CpuNetwork> cpu = CpuNetwork::Make(network, isa).value();
  std::vector<int32_t> logits(count * cpu->LogitsPerImage());
  const auto run = [&] { cpu->Run(images.data(), count, logits.data()); };
  run();
  state.SetLabel(CheckedDigest(absl::StrCat(name, " ", count), Digest(logits)));
  const std::vector<double> seconds = TimeRuns(state, run);
  double operations = 0;
  for (const LayerShape& shape : network.Shapes()) {
    operations += 2.0 * static_cast<double>(shape.RealMacs()) * static_cast<double>(count);
  }
  const double images_count = static_cast<double>(count);
  state.counters["images_s"] = images_count / Quantile(seconds, 0.5);
  state.counters["p10"] = images_count / Quantile(seconds, 0.9);
  state.counters["p90"] = images_count / Quantile(seconds, 0.1);
  state.counters["GOPS"] = operations / Quantile(seconds, 0.5) / 1e9;
  state.counters["share"] = operations / Quantile(seconds, 0.5) / PeakOf(isa);
}

void BM_Peak(benchmark::State& state, Isa isa) {
  for (auto _ : state) {
    state.SetIterationTime(1);
    state.counters["GOPS"] = PeakOf(isa) / 1e9;
  }
}

void Register(const std::string& name, std::function<void(benchmark::State&)> run) {
  benchmark::RegisterBenchmark(name.c_str(), std::move(run))
      ->UseManualTime()
      ->MinTime(kSecondsPerRow)
      ->Unit(benchmark::kMicrosecond);
}

bool SameButName(const LayerShape& a, const LayerShape& b) {
  return a.In() == b.In() && a.Out() == b.Out() && a.kernel == b.kernel && a.stride == b.stride && a.relu == b.relu;
}

// Returns each distinct weighted layer of `shapes` once, on `count` images.
std::vector<std::unique_ptr<LayerCase>> LayerCases(const std::string& network, std::vector<LayerShape> shapes,
                                                   size_t count) {
  std::mt19937 random(1);
  std::vector<std::unique_ptr<LayerCase>> cases;
  for (LayerShape& shape : shapes) {
    const bool is_new = std::none_of(cases.begin(), cases.end(),
                                     [&](const auto& other) { return SameButName(other->layer.shape, shape); });
    if (!shape.HasWeights() || !is_new) {
      continue;
    }
    shape.inputs = {0};
    shape.pool = 0;
    auto layer = std::make_unique<LayerCase>();
    layer->name = absl::StrCat(network, "/", shape.name);
    layer->layer = RandomIntegerNetworkOf({shape}, LastOutput::kInt8, /*seed=*/1).layers[0];
    layer->count = count;
    for (size_t i = 0; i < count * shape.In().Size(); ++i) {
      layer->input.push_back(static_cast<int8_t>(random() & 0x7F));
    }
    cases.push_back(std::move(layer));
  }
  return cases;
}

void RegisterLayers(std::vector<std::unique_ptr<LayerCase>>& cases) {
  for (const auto& layer : cases) {
    for (const Isa isa : SupportedIsas()) {
      Register(absl::StrCat("layer/", layer->name, "/batch:", layer->count, "/isa:", IsaName(isa)),
               [&layer, isa](benchmark::State& state) { BM_Layer(state, *layer, isa); });
    }
    if (MakeOneDnnConvolution(layer->layer, 1, InputSign::kSigned) == nullptr) {
      continue;
    }
    for (const InputSign sign : {InputSign::kSigned, InputSign::kUnsigned}) {
      Register(absl::StrCat("layer/", layer->name, "/batch:", layer->count, "/isa:onednn_",
                            sign == InputSign::kSigned ? "s8" : "u8"),
               [&layer, sign](benchmark::State& state) { BM_OneDnnLayer(state, *layer, sign); });
    }
  }
}

void RegisterNetwork(const std::string& name, const std::vector<LayerShape>& shapes,
                     const std::vector<size_t>& counts) {
  const auto network = std::make_shared<IntegerNetwork>(RandomIntegerNetworkOf(shapes, LastOutput::kInt8, /*seed=*/1));
  for (const size_t count : counts) {
    for (const Isa isa : SupportedIsas()) {
      Register(absl::StrCat("network/", name, "/batch:", count, "/isa:", IsaName(isa)),
               [=](benchmark::State& state) { BM_Network(state, name, *network, isa, count); });
    }
  }
}

// Removes --batch=N from the arguments, and returns N.
size_t TakeBatch(int& argc, char** argv) {
  size_t batch = 32;
  char** const end = std::remove_if(argv + 1, argv + argc, [&](const char* argument) {
    absl::string_view text = argument;
    return absl::ConsumePrefix(&text, "--batch=") && absl::SimpleAtoi(text, &batch) && batch > 0;
  });
  argc = static_cast<int>(end - argv);
  return batch;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
#ifndef __OPTIMIZE__
  std::fprintf(stderr, "int8_benchmark: warning: built without optimisation; build with --compilation_mode=opt\n");
#endif
  benchmark::Initialize(&argc, argv);
  const size_t batch = lockstep::TakeBatch(argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  for (const lockstep::Isa isa : lockstep::SupportedIsas()) {
    benchmark::RegisterBenchmark(absl::StrCat("peak/isa:", lockstep::IsaName(isa)).c_str(),
                                 [isa](benchmark::State& state) { lockstep::BM_Peak(state, isa); })
        ->UseManualTime()
        ->Iterations(1);
  }
  auto resnet18 = lockstep::LayerCases("resnet18", lockstep::ResNet18Layers(), batch);
  auto lenet5 = lockstep::LayerCases("lenet5", lockstep::LeNet5Layers(), batch);
  lockstep::RegisterNetwork("resnet18", lockstep::ResNet18Layers(), {1, 32});
  lockstep::RegisterNetwork("lenet5", lockstep::LeNet5Layers(), {1, 32, 256});
  lockstep::RegisterLayers(resnet18);
  lockstep::RegisterLayers(lenet5);
  benchmark::RunSpecifiedBenchmarks();
  if (lockstep::failed) {
    std::fprintf(stderr, "int8_benchmark: outputs differ between instruction sets: see the rows with IS NOT\n");
    return 1;
  }
  return 0;
}
