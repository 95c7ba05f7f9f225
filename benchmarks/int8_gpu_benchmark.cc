// Measures int8 on a GPU: each distinct weighted layer of resnet18 and lenet5 (lib/int8_cuda), with every instruction
// that the GPU has, alone and with the addition that is fused into it; cuBLASLt's product of the same size for
// comparison; a product of 8192 x 8192 x 8192; both networks.
//
//   int8_gpu_benchmark [--benchmark_...] [--quantized=quantized.rec]
//
// Timed for a layer and for a product: one launch in the gapless middle of a CUDA graph (lib/cuda/graph_timer.h),
// with its inputs on the device; medians of five such measurements. cuBLASLt multiplies the matrix that im2col would
// make of the input; im2col itself is not timed. A network is timed from uint8 pixels to logits, both on the device:
// calls one after the other, and a single call. Before it is timed, a row's output is compared with CpuNetwork, and its
// digest with those of the case's other rows; a row that differs is an error, and the program fails.
//
// peers/int8_cutlass.cu times CUTLASS's convolutions of the same layers in the same way.
//
// Columns: us; TOPS, 10^12 operations per second, two for each multiply-accumulate that reads no padding; nominal, the
// same with padding; share, TOPS over the highest rate of wgmma measured so far (peak/isa:wgmma); images_s;
// latency_us.
// Rows: peak/isa:wgmma, gemm/8192/isa:ISA, cublaslt/..., layer/NETWORK/LAYER/batch:N/isa:ISA,
// network/NETWORK/batch:N/isa:ISA. With --quantized the networks and their layers are those of a record.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "benchmark/benchmark.h"
#include "benchmarks/cublaslt_product.h"
#include "benchmarks/int8_gpu_layer.h"
#include "benchmarks/int8_gpu_peak.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_buffer.h"
#include "lib/cuda/graph_timer.h"
#include "lib/cuda/multiprocessors.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/random_integer_network_testing.h"
#include "lib/int8_cpu/cpu_network.h"
#include "lib/int8_cuda/cuda_network.h"
#include "lib/int8_cuda/device_layout.h"
#include "lib/int8_cuda/gpu_isa.h"
#include "lib/int8_cuda/hopper_convolution.h"
#include "lib/int8_cuda/make_convolution.h"
#include "lib/record/record_reader.h"

namespace lockstep {
namespace {

using ::lockstep::testing::LastOutput;
using ::lockstep::testing::RandomIntegerNetworkOf;

constexpr int kIterations = 5;
constexpr size_t kCheckedImages = 4;
constexpr double kSecondsOfCalls = 0.05;

bool failed = false;

cudaStream_t Stream() {
  static const cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    const absl::Status status = CudaStatus(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "make a stream");
    if (!status.ok()) {
      std::fprintf(stderr, "int8_gpu_benchmark: %s\n", std::string(status.message()).c_str());
      std::exit(5);
    }
    return made;
  }();
  return stream;
}

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Returns the median result of `measure` in microseconds, called once per iteration.
absl::StatusOr<double> Iterate(benchmark::State& state, const std::function<absl::StatusOr<double>()>& measure) {
  std::vector<double> all;
  for (auto _ : state) {
    const absl::StatusOr<double> microseconds = measure();
    if (!microseconds.ok()) {
      return microseconds.status();
    }
    state.SetIterationTime(*microseconds * 1e-6);
    all.push_back(*microseconds);
  }
  return Median(all);
}

// Aborted: another row of the same case had another digest.
absl::Status CheckDigest(const std::string& name, const std::string& digest) {
  static std::map<std::string, std::string> digests;
  const std::string& first = digests.emplace(name, digest).first->second;
  return first == digest
             ? absl::OkStatus()
             : absl::AbortedError(absl::StrCat(name, ": the digest is ", digest, ", another row's ", first));
}

absl::Status MeasurePeakRow(benchmark::State& state) {
  double peak = 0;
  for (auto _ : state) {
    ASSIGN_OR_RETURN(peak, HighestWgmmaRate(Stream()));
    state.SetIterationTime(1);
  }
  ASSIGN_OR_RETURN(const double sustained, SustainedWgmmaRate(Stream()));
  state.counters["TOPS"] = peak * 1e-12;
  state.counters["TOPS_in_1s"] = sustained * 1e-12;
  return absl::OkStatus();
}

absl::Status SetRates(benchmark::State& state, double real_macs, double macs, double microseconds) {
  ASSIGN_OR_RETURN(const double peak, HighestWgmmaRate(Stream()));
  const double rate = 2 * real_macs / microseconds * 1e6;
  state.counters["us"] = microseconds;
  state.counters["TOPS"] = rate * 1e-12;
  state.counters["nominal"] = 2 * macs / microseconds * 1e-6;
  if (peak > 0) {
    state.counters["share"] = rate / peak;
  }
  return absl::OkStatus();
}

absl::Status SetLayerRates(benchmark::State& state, const Int8GpuLayer& layer, uint32_t images, double microseconds) {
  return SetRates(state, static_cast<double>(layer.shape().RealMacs()) * images,
                  static_cast<double>(layer.shape().Macs()) * images, microseconds);
}

absl::Status MeasureLayer(benchmark::State& state, const Int8GpuLayer& layer, GpuIsa isa, uint32_t images) {
  const ConvolutionTask task = layer.Task();
  ASSIGN_OR_RETURN(std::unique_ptr<CudaConvolution> convolution, MakeCudaConvolution(task, isa));
  ASSIGN_OR_RETURN(const Int8GpuLayer::OnDevice placed, layer.Place(std::move(convolution), images, Stream()));
  RETURN_IF_ERROR(placed.Launch(Stream()));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> output, layer.ReadOutput(placed, Stream()));
  RETURN_IF_ERROR(layer.CheckOutput(output, images));
  const std::string digest = Fnv1a(output.data(), output.size());
  RETURN_IF_ERROR(CheckDigest(absl::StrCat(layer.name(), "/", images), digest));
  state.SetLabel(isa == GpuIsa::kWgmma && !HopperCovers(task) ? absl::StrCat(digest, ", by mma") : digest);
  ASSIGN_OR_RETURN(const double microseconds, Iterate(state, [&] {
                     return MicrosecondsInGraph(Stream(), [&] { return placed.Launch(Stream()); });
                   }));
  return SetLayerRates(state, layer, images, microseconds);
}

// Returns the shape of the product that im2col would make of a layer.
ProductShape ProductOf(const LayerShape& shape, uint32_t images) {
  const Extent out = shape.Out();
  return {uint64_t{images} * out.height * out.width, RoundedUp(out.channels, 16),
          RoundedUp(static_cast<uint32_t>(shape.Terms()), 32)};
}

// Returns one value of the product, whose inputs and weights are both InputValues.
int32_t SumOf(const ProductShape& shape, uint64_t row, uint32_t output) {
  const int8_t* const input = InputValues(row * shape.depth);
  return std::inner_product(input, input + shape.depth, InputValues(uint64_t{output} * shape.depth), 0);
}

// Compares the first, the middle and the last row; int8 values may differ by 1.
absl::Status CheckProduct(const ProductShape& shape, bool to_int8, float scale, const void* output) {
  for (const uint64_t row : {uint64_t{0}, shape.rows / 2, shape.rows - 1}) {
    std::vector<int8_t> bytes(shape.outputs);
    std::vector<int32_t> sums(shape.outputs);
    void* const to = to_int8 ? static_cast<void*>(bytes.data()) : sums.data();
    const size_t size = shape.outputs * (to_int8 ? sizeof(int8_t) : sizeof(int32_t));
    RETURN_IF_ERROR(CudaStatus(
        cudaMemcpy(to, static_cast<const char*>(output) + row * size, size, cudaMemcpyDeviceToHost), "copy"));
    for (uint32_t i = 0; i < shape.outputs; ++i) {
      const int32_t sum = SumOf(shape, row, i);
      const float expected = to_int8 ? std::min(static_cast<float>(sum) * scale, 127.0f) : static_cast<float>(sum);
      const float found = to_int8 ? static_cast<float>(bytes[i]) : static_cast<float>(sums[i]);
      if (found > expected + (to_int8 ? 1 : 0) || found < expected - (to_int8 ? 1 : 0)) {
        return absl::AbortedError(
            absl::StrCat("cuBLASLt: row ", row, ", output ", i, " is ", found, ", not ", expected));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status MeasureProduct(benchmark::State& state, const Int8GpuLayer& layer, uint32_t images) {
  const ProductShape shape = ProductOf(layer.shape(), images);
  const float scale = 1.0f / (64 * static_cast<float>(shape.depth));  // results are about 63
  ASSIGN_OR_RETURN(const DeviceBuffer input, MakeInputs(shape.rows * shape.depth, Stream()));
  ASSIGN_OR_RETURN(const DeviceBuffer weights, MakeInputs(size_t{shape.outputs} * shape.depth, Stream()));
  ASSIGN_OR_RETURN(const DeviceBuffer output, DeviceBuffer::Make(shape.rows * shape.outputs * sizeof(int32_t)));
  const ProductOperands operands = {input.data(), weights.data(), output.data()};
  bool to_int8 = true;
  auto product = CublasLtProduct::Make(shape, to_int8, scale, operands, Stream());
  if (absl::IsNotFound(product.status())) {
    to_int8 = false;
    product = CublasLtProduct::Make(shape, to_int8, scale, operands, Stream());
  }
  RETURN_IF_ERROR(product.status());
  const auto launch = [&] { return (*product)->Launch(operands, Stream()); };
  RETURN_IF_ERROR(launch());
  RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(Stream()), "run a product"));
  RETURN_IF_ERROR(CheckProduct(shape, to_int8, scale, output.data()));
  state.SetLabel((*product)->Describe());
  ASSIGN_OR_RETURN(const double microseconds, Iterate(state, [&] { return MicrosecondsInGraph(Stream(), launch); }));
  return SetLayerRates(state, layer, images, microseconds);
}

// A network, and the int8 value of each byte of an image in it, (channels, 256).
struct NetworkCase {
  std::string name;
  IntegerNetwork network;
  std::vector<int8_t> table;
};

// uint8 (count, channels, height, width), and the same images as the network reads them.
struct Images {
  std::vector<uint8_t> pixels;
  std::vector<int8_t> values;
};

Images RandomImagesFor(const NetworkCase& network, size_t count) {
  const Extent in = network.network.layers[0].shape.In();
  const size_t plane = size_t{in.height} * in.width;
  std::mt19937 random(1);
  Images images;
  images.pixels.resize(count * in.Size());
  std::generate(images.pixels.begin(), images.pixels.end(), [&] { return static_cast<uint8_t>(random()); });
  images.values.resize(images.pixels.size());
  for (size_t i = 0; i < images.values.size(); ++i) {
    const size_t channel = i % in.channels, pixel = i / in.channels % plane, image = i / in.Size();
    images.values[i] = network.table[channel * 256 + images.pixels[(image * in.channels + channel) * plane + pixel]];
  }
  return images;
}

absl::Status CheckLogits(const NetworkCase& network, const Images& images, const std::vector<int32_t>& logits,
                         size_t count) {
  ASSIGN_OR_RETURN(const std::unique_ptr<CpuNetwork> cpu, CpuNetwork::Make(network.network, BestIsa()));
  const size_t checked = std::min(count, kCheckedImages);
  std::vector<int32_t> expected(checked * cpu->LogitsPerImage());
  cpu->Run(images.values.data(), checked, expected.data());
  if (!std::equal(expected.begin(), expected.end(), logits.begin())) {
    return absl::AbortedError(absl::StrCat(network.name, ": the logits are not the CPU's"));
  }
  return CheckDigest(absl::StrCat("network/", network.name, "/", count),
                     Fnv1a(logits.data(), logits.size() * sizeof(int32_t)));
}

template <typename T>
absl::StatusOr<DeviceBuffer> ToDevice(const std::vector<T>& values) {
  ASSIGN_OR_RETURN(DeviceBuffer buffer, DeviceBuffer::Make(values.size() * sizeof(T)));
  RETURN_IF_ERROR(buffer.Fill(values.data(), values.size() * sizeof(T), Stream()));
  return buffer;
}

// Returns the microseconds per call of `calls` calls, after which the host waits.
absl::StatusOr<double> TimeCalls(const std::function<absl::Status()>& run, int calls) {
  absl::Status status;
  const double seconds = Seconds([&] {
    for (int i = 0; i < calls && status.ok(); ++i) {
      status = run();
    }
    status.Update(CudaStatus(cudaStreamSynchronize(Stream()), "run a network"));
  });
  RETURN_IF_ERROR(status);
  return seconds / calls * 1e6;
}

absl::Status MeasureNetwork(benchmark::State& state, const NetworkCase& network, GpuIsa isa, uint32_t count) {
  const Images images = RandomImagesFor(network, count);
  ASSIGN_OR_RETURN(const std::unique_ptr<CudaNetwork> cuda, CudaNetwork::Make(network.network, isa, count));
  ASSIGN_OR_RETURN(const DeviceBuffer pixels, ToDevice(images.pixels));
  ASSIGN_OR_RETURN(const DeviceBuffer table, ToDevice(network.table));
  std::vector<int32_t> logits(count * cuda->LogitsPerImage(), 1 << 30);
  ASSIGN_OR_RETURN(const DeviceBuffer on_device, ToDevice(logits));
  const auto run = [&] {
    return cuda->RunOnDevice(static_cast<const uint8_t*>(pixels.data()), static_cast<const int8_t*>(table.data()),
                             count, static_cast<int32_t*>(on_device.data()), Stream());
  };
  RETURN_IF_ERROR(TimeCalls(run, 1).status());
  RETURN_IF_ERROR(
      CudaStatus(cudaMemcpy(logits.data(), on_device.data(), logits.size() * sizeof(int32_t), cudaMemcpyDeviceToHost),
                 "copy logits"));
  RETURN_IF_ERROR(CheckLogits(network, images, logits, count));
  std::vector<double> alone;
  for (int i = 0; i < 21; ++i) {
    ASSIGN_OR_RETURN(const double microseconds, TimeCalls(run, 1));
    alone.push_back(microseconds);
  }
  const int calls = static_cast<int>(std::max(10.0, kSecondsOfCalls * 1e6 / Median(alone)));
  ASSIGN_OR_RETURN(const double microseconds, Iterate(state, [&] { return TimeCalls(run, calls); }));
  double real_macs = 0;
  for (const LayerShape& shape : network.network.Shapes()) {
    real_macs += static_cast<double>(shape.RealMacs()) * count;
  }
  state.SetLabel(Fnv1a(logits.data(), logits.size() * sizeof(int32_t)));
  state.counters["images_s"] = count / microseconds * 1e6;
  state.counters["latency_us"] = Median(alone);
  return SetRates(state, real_macs, static_cast<double>(CountMacs(network.network.Shapes())) * count, microseconds);
}

void Register(const std::string& name, std::function<absl::Status(benchmark::State&)> measure) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [measure = std::move(measure)](benchmark::State& state) {
                                 const absl::Status status = measure(state);
                                 if (!status.ok()) {
                                   failed = true;
                                   state.SkipWithError(status.ToString().c_str());
                                 }
                               })
      ->UseManualTime()
      ->Iterations(kIterations)
      ->Unit(benchmark::kMicrosecond);
}

// `of_name`: part of the name between "layer/" and the instruction.
void RegisterLayer(const std::string& kind, const std::string& of_name, const Int8GpuLayer& layer, uint32_t images,
                   const std::vector<GpuIsa>& isas) {
  for (const GpuIsa isa : isas) {
    Register(absl::StrCat(kind, of_name, "/isa:", GpuIsaName(isa)),
             [&layer, isa, images](benchmark::State& state) { return MeasureLayer(state, layer, isa, images); });
  }
}

void RegisterLayers(const std::vector<std::unique_ptr<Int8GpuLayer>>& layers, const std::vector<GpuIsa>& isas) {
  for (const auto& layer : layers) {
    for (const uint32_t images : {1u, 256u, 1024u}) {
      const std::string name = absl::StrCat(layer->name(), "/batch:", images);
      RegisterLayer("layer/", name, *layer, images, isas);
      if (!layer->adds()) {
        Register("cublaslt/" + name,
                 [&layer, images](benchmark::State& state) { return MeasureProduct(state, *layer, images); });
      }
    }
  }
}

void RegisterNetwork(const NetworkCase& network, const std::vector<GpuIsa>& isas) {
  for (const uint32_t count : {1u, 8u, 64u, 256u, 512u, 1024u, 2048u}) {
    for (const GpuIsa isa : isas) {
      Register(absl::StrCat("network/", network.name, "/batch:", count, "/isa:", GpuIsaName(isa)),
               [&network, isa, count](benchmark::State& state) { return MeasureNetwork(state, network, isa, count); });
    }
  }
}

NetworkCase RandomCase(const std::string& name, const std::vector<LayerShape>& shapes) {
  NetworkCase made = {name, RandomIntegerNetworkOf(shapes, LastOutput::kInt8, /*seed=*/1), {}};
  for (uint32_t i = 0; i < shapes[0].in_channels * 256; ++i) {
    made.table.push_back(static_cast<int8_t>(static_cast<int>(i % 256) - 128));
  }
  return made;
}

absl::StatusOr<std::vector<NetworkCase>> CasesOf(const std::string& path) {
  if (path.empty()) {
    return std::vector<NetworkCase>{RandomCase("resnet18", ResNet18Layers()), RandomCase("lenet5", LeNet5Layers())};
  }
  ASSIGN_OR_RETURN(const auto file, ReadRecordFile<proto::QuantizedFile>(path));
  std::vector<NetworkCase> cases;
  for (const proto::QuantizedRecord& record : file.records) {
    if (!record.has_network()) {
      continue;
    }
    NetworkCase made = {record.network().name(), {}, {}};
    ASSIGN_OR_RETURN(made.network, ToIntegerNetwork(record.network()));
    ASSIGN_OR_RETURN(const ImageTable table, ImageTableOf(record.network()));
    for (const auto& channel : table) {
      made.table.insert(made.table.end(), channel.begin(), channel.end());
    }
    cases.push_back(std::move(made));
  }
  return cases;
}

// Removes --quantized=PATH from the arguments, and returns PATH.
std::string TakePath(int& argc, char** argv) {
  std::string path;
  char** const end = std::remove_if(argv + 1, argv + argc, [&](const char* argument) {
    absl::string_view text = argument;
    const bool is_path = absl::ConsumePrefix(&text, "--quantized=");
    path = is_path ? std::string(text) : path;
    return is_path;
  });
  argc = static_cast<int>(end - argv);
  return path;
}

absl::Status Run(const std::string& path) {
  ASSIGN_OR_RETURN(std::vector<GpuIsa> isas, CurrentGpuIsas());
  std::reverse(isas.begin(), isas.end());  // the fastest first
  if (HopperMultiprocessors() > 0) {
    Register("peak/isa:wgmma", MeasurePeakRow);
  }
  const LayerShape large = ConvShape("8192", 0, {8, 8, 8192}, 8192, 1);
  const Int8GpuLayer gemm("gemm/8192", RandomIntegerNetworkOf({large}, LastOutput::kInt8, /*seed=*/1).layers[0], 0);
  RegisterLayer("", "gemm/8192", gemm, 128, isas);
  Register("cublaslt/gemm/8192", [&](benchmark::State& state) { return MeasureProduct(state, gemm, 128); });
  ASSIGN_OR_RETURN(const std::vector<NetworkCase> networks, CasesOf(path));
  std::vector<std::vector<std::unique_ptr<Int8GpuLayer>>> layers;
  for (const NetworkCase& network : networks) {
    RegisterNetwork(network, isas);
    layers.push_back(DistinctLayers(network.name, network.network));
  }
  for (const auto& of_network : layers) {
    RegisterLayers(of_network, isas);
  }
  benchmark::RunSpecifiedBenchmarks();
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
#ifndef __OPTIMIZE__
  std::fprintf(stderr, "int8_gpu_benchmark: warning: built without optimisation; build with --compilation_mode=opt\n");
#endif
  benchmark::Initialize(&argc, argv);
  const std::string path = TakePath(argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  const absl::Status status = Run(path);
  if (!status.ok()) {
    std::fprintf(stderr, "int8_gpu_benchmark: %s\n", std::string(status.message()).c_str());
    return 5;
  }
  if (failed) {
    std::fprintf(stderr, "int8_gpu_benchmark: some rows are errors: see ERROR OCCURRED\n");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::Main(argc, argv); }
