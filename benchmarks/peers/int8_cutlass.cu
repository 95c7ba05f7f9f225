// Baseline of layer/resnet18 in int8_gpu_benchmark.cc: CUTLASS's int8 convolutions on a Hopper GPU.
//
//   git clone --branch v4.7.0 https://github.com/NVIDIA/cutlass
//   nvcc -O3 -std=c++20 --expt-relaxed-constexpr -gencode=arch=compute_90a,code=sm_90a -I cutlass/include
//       -I cutlass/tools/util/include -o int8_cutlass benchmarks/peers/int8_cutlass.cu
//   int8_cutlass [--batch 1024 256] [--only TEXT]
//
// Each distinct convolution of ResNet-18 runs as an implicit GEMM: products of int8 (NHWC) are summed in int32,
// multiplied by one float, clamped and rounded to int8. The lower bound is 0 if the layer has ReLU, else -128. Our
// kernels also read a start value and a factor per channel.
// Kernels: sm90, wgmma with im2col by TMA (CUTLASS 3.x); sm80, mma.sync with cp.async (CUTLASS 2.x). For Hopper CUTLASS
// has no persistent, cooperative or ping-pong convolution, and no programmatic dependent launch of convolutions.
// The fully connected layer is left out. conv1 has 3 channels and is stored with 4 (ours: 16).
//
// Every element of every configuration's output is compared with plain loops on the GPU; all must be equal. Timed like
// our rows (lib/cuda/graph_timer.h): 5 launches in a CUDA graph, the fastest of 3 replays after an untimed one, median
// of five such measurements, with inputs that stay in place. The fastest correct configuration is then measured again.
//
// Prints a JSON line per layer and batch. case: the fastest configuration. seconds: its five measurements. TOPS: 10^12
// operations per second, two for each multiply-accumulate that reads no padding. configurations: all that were tried.
#include <cuda_runtime.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// clang-format off
#include "cutlass/kernel_hardware_info.hpp"  // before collective_builder.hpp, which does not include it
// clang-format on
#include "cute/tensor.hpp"
#include "cutlass/conv/collective/collective_builder.hpp"
#include "cutlass/conv/conv2d_problem_size.h"
#include "cutlass/conv/convnd_problem_shape.hpp"
#include "cutlass/conv/device/conv_universal_adapter.hpp"
#include "cutlass/conv/device/implicit_gemm_convolution.h"
#include "cutlass/conv/kernel/conv_universal.hpp"
#include "cutlass/conv/kernel/default_conv2d_fprop.h"
#include "cutlass/cutlass.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/epilogue/thread/activation.h"
#include "cutlass/epilogue/thread/linear_combination_relu.h"
#include "cutlass/version.h"

namespace {

constexpr int kLaunches = 5;  // launches per graph
constexpr int kReplays = 3;   // timed replays per measurement
constexpr int kMeasurements = 5;

constexpr char kHelp[] =
    "Usage: int8_cutlass [--batch N ...] [--only TEXT]\n"
    "Times CUTLASS's int8 convolutions with the shapes of ResNet-18, and prints a JSON line per layer and batch.\n"
    "  --batch N ...  images per batch (default: 1024 256)\n"
    "  --only TEXT    only configurations whose name contains TEXT, such as \"sm80 128x128\", and their layers\n"
    "  --help         this text\n"
    "Exit status: 0; 1: wrong results, or no configuration of a layer runs; 2: wrong flag; 5: an error of CUDA.\n";

struct Layer {
  const char* name;
  int size;  // height and width of the input
  int channels;
  int stored_channels;  // channels in memory; the weights of padding channels are 0
  int outputs;
  int kernel;
  int stride;
  bool relu;

  int Padding() const { return kernel / 2; }
  int OutputSize() const { return size / stride; }
  int64_t InputBytes(int images) const { return int64_t{images} * size * size * stored_channels; }
  int64_t WeightBytes() const { return int64_t{outputs} * kernel * kernel * stored_channels; }
  int64_t OutputBytes(int images) const { return int64_t{images} * OutputSize() * OutputSize() * outputs; }
  float Low() const { return relu ? 0.0f : -128.0f; }
  // Makes the standard deviation of the results about 50 if inputs are uniform in [0, 127] and weights in [-127, 127]:
  // one result in a hundred exceeds int8.
  float Alpha() const { return 50 / (127.0f * 127 / 3 * std::sqrt(static_cast<float>(channels * kernel * kernel))); }
  // Returns the multiply-accumulates of one image that read no padding.
  double RealMacs() const {
    double taps = 0;
    for (int out = 0; out < OutputSize(); ++out) {
      for (int tap = 0; tap < kernel; ++tap) {
        const int in = out * stride - Padding() + tap;
        taps += in >= 0 && in < size;
      }
    }
    return taps * taps * channels * outputs;
  }
};

// The distinct convolutions in the order of int8_gpu_benchmark.
constexpr Layer kLayers[] = {
    {"conv1", 32, 3, 4, 64, 3, 1, true},
    {"layer1.0.conv1", 32, 64, 64, 64, 3, 1, true},
    {"layer1.0.conv2", 32, 64, 64, 64, 3, 1, false},
    {"layer2.0.conv1", 32, 64, 64, 128, 3, 2, true},
    {"layer2.0.conv2", 16, 128, 128, 128, 3, 1, false},
    {"layer2.0.shortcut.0", 32, 64, 64, 128, 1, 2, false},
    {"layer2.1.conv1", 16, 128, 128, 128, 3, 1, true},
    {"layer3.0.conv1", 16, 128, 128, 256, 3, 2, true},
    {"layer3.0.conv2", 8, 256, 256, 256, 3, 1, false},
    {"layer3.0.shortcut.0", 16, 128, 128, 256, 1, 2, false},
    {"layer3.1.conv1", 8, 256, 256, 256, 3, 1, true},
    {"layer4.0.conv1", 8, 256, 256, 512, 3, 2, true},
    {"layer4.0.conv2", 4, 512, 512, 512, 3, 1, false},
    {"layer4.0.shortcut.0", 8, 256, 256, 512, 1, 2, false},
    {"layer4.1.conv1", 4, 512, 512, 512, 3, 1, true},
};

// Ends the program if `error` is an error.
void Check(cudaError_t error, const std::string& what) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "int8_cutlass: %s: %s\n", what.c_str(), cudaGetErrorString(error));
    std::exit(5);
  }
}

struct FreeDevice {
  void operator()(int8_t* data) const { (void)cudaFree(data); }
};
using DeviceBytes = std::unique_ptr<int8_t, FreeDevice>;

DeviceBytes Allocate(int64_t bytes) {
  void* data = nullptr;
  Check(cudaMalloc(&data, bytes), "allocate " + std::to_string(bytes) + " bytes");
  return DeviceBytes(static_cast<int8_t*>(data));
}

// SplitMix64 (Steele, Lea and Flood 2014), so that value `i` depends on `i` only.
__device__ uint32_t RandomBits(uint64_t i) {
  uint64_t z = (i + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
}

// Writes values in [0, 127], like after ReLU.
__global__ void FillInput(int64_t count, int8_t* input) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    input[i] = static_cast<int8_t>(RandomBits(i) & 0x7F);
  }
}

// Writes values in [-127, 127], and 0 for padding channels.
__global__ void FillWeights(Layer layer, int64_t count, int8_t* weights) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    const bool padding = i % layer.stored_channels >= layer.channels;
    weights[i] = padding ? 0 : static_cast<int8_t>(static_cast<int>(RandomBits(~i) % 255) - 127);
  }
}

// Reference implementation: plain loops, one thread per output. Weights are (out, kernel, kernel, in).
__global__ void ConvolutionReference(Layer layer, int64_t count, const int8_t* input, const int8_t* weights,
                                     float alpha, float low, int8_t* output) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int out_size = layer.size / layer.stride, channels = layer.stored_channels;
  const int channel = static_cast<int>(i % layer.outputs);
  const int64_t pixel = i / layer.outputs;
  const int x = static_cast<int>(pixel % out_size), y = static_cast<int>(pixel / out_size % out_size);
  const int64_t image = pixel / out_size / out_size;
  int32_t sum = 0;
  for (int tap = 0; tap < layer.kernel * layer.kernel; ++tap) {
    const int in_y = y * layer.stride - layer.kernel / 2 + tap / layer.kernel;
    const int in_x = x * layer.stride - layer.kernel / 2 + tap % layer.kernel;
    if (in_y < 0 || in_y >= layer.size || in_x < 0 || in_x >= layer.size) {
      continue;
    }
    const int8_t* const pixels = input + ((image * layer.size + in_y) * layer.size + in_x) * channels;
    const int8_t* const filter = weights + (int64_t{channel} * layer.kernel * layer.kernel + tap) * channels;
    for (int c = 0; c < channels; ++c) {
      sum += int32_t{pixels[c]} * filter[c];
    }
  }
  output[i] = static_cast<int8_t>(rintf(fminf(fmaxf(static_cast<float>(sum) * alpha, low), 127.0f)));
}

__global__ void CountDifferences(int64_t count, const int8_t* a, const int8_t* b, unsigned long long* differences) {
  unsigned long long found = 0;
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    found += a[i] != b[i];
  }
  if (found > 0) {
    atomicAdd(differences, found);
  }
}

struct Task {
  const Layer& layer;
  int images;
  const int8_t* input;
  const int8_t* weights;
  int8_t* output;
};

using Launch = std::function<cutlass::Status(cudaStream_t)>;

// Returns an empty function if the operator refuses the arguments.
template <class Operator>
Launch Prepare(const typename Operator::Arguments& arguments) {
  auto convolution = std::make_shared<Operator>();
  if (Operator::can_implement(arguments) != cutlass::Status::kSuccess ||
      convolution->initialize(arguments) != cutlass::Status::kSuccess) {
    return {};
  }
  return [convolution](cudaStream_t stream) { return convolution->run(stream); };
}

// CUTLASS 3.x. One group of four warps multiplies; `Cluster` blocks share the weights' copies. `Stages` 0: as many as
// fit. Fewer stages let two blocks share an SM, so that one writes while the other multiplies.
template <int M, int N, int K, int Cluster, int Stages>
Launch PrepareHopper(const Task& task) {
  using Layout = cutlass::layout::TensorNHWC;
  using Tile = cute::Shape<cute::Int<M>, cute::Int<N>, cute::Shape<cute::Int<K>>>;
  using Blocks = cute::Shape<cute::Int<Cluster>, cute::_1, cute::_1>;
  using Fusion = cutlass::epilogue::fusion::LinCombEltAct<cutlass::epilogue::thread::Clamp, int8_t, float, void, float>;
  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Blocks,
      cutlass::epilogue::collective::EpilogueTileAuto, int32_t, float, void, Layout, 16, int8_t, Layout, 16,
      cutlass::epilogue::TmaWarpSpecialized, Fusion>::CollectiveOp;
  using StageCount = std::conditional_t<
      Stages == 0,
      cutlass::conv::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Epilogue::SharedStorage))>,
      cutlass::conv::collective::StageCount<Stages>>;
  using MainLoop = typename cutlass::conv::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, cutlass::conv::Operator::kFprop, int8_t, Layout, 16, int8_t,
      Layout, 16, int32_t, Tile, Blocks, StageCount, cutlass::conv::KernelImplicitTmaWarpSpecializedSm90>::CollectiveOp;
  using Problem = cutlass::conv::ConvProblemShape<cutlass::conv::Operator::kFprop, 2>;
  using Kernel = cutlass::conv::kernel::ConvUniversal<Problem, MainLoop, Epilogue>;
  const Layer& layer = task.layer;
  if (layer.stored_channels % K != 0 || layer.outputs % N != 0) {
    return {};
  }
  const int padding = layer.Padding(), stride = layer.stride;
  const Problem problem(cutlass::conv::Mode::kCrossCorrelation,
                        {task.images, layer.size, layer.size, layer.stored_channels},
                        {layer.outputs, layer.kernel, layer.kernel, layer.stored_channels}, {padding, padding},
                        {padding, padding}, {stride, stride}, {1, 1}, 1);
  typename Kernel::StrideD strides{};  // steps of width, height and image
  cute::get<0, 0>(strides) = problem.stride_C[2];
  cute::get<0, 1>(strides) = problem.stride_C[1];
  cute::get<0, 2>(strides) = problem.stride_C[0];
  typename Kernel::EpilogueArguments epilogue{{}, nullptr, {}, task.output, strides};
  epilogue.thread.alpha = layer.Alpha();
  epilogue.thread.beta = 0;
  epilogue.thread.activation.lower_bound = layer.Low();
  epilogue.thread.activation.upper_bound = 127;
  typename Kernel::MainloopArguments operands{task.input, task.weights};
  return Prepare<cutlass::conv::device::ConvUniversalAdapter<Kernel>>(
      typename Kernel::Arguments{problem, operands, epilogue});
}

// CUTLASS 2.x. `WarpM` x `WarpN`: outputs per warp. `Channels`: 0, or the stored channels of a layer whose taps are
// gathered into one step of K.
template <int M, int N, int K, int WarpM, int WarpN, int Stages, int Channels = 0>
Launch PrepareAmpere(const Task& task) {
  using Layout = cutlass::layout::TensorNHWC;
  constexpr auto kIterator =
      Channels > 0 ? cutlass::conv::IteratorAlgorithm::kFixedChannels : cutlass::conv::IteratorAlgorithm::kOptimized;
  constexpr int kAlignment = Channels > 0 ? Channels : 16;
  using Epilogue =
      cutlass::epilogue::thread::LinearCombinationRelu<int8_t, 16, int32_t, float,
                                                       cutlass::epilogue::thread::ScaleType::OnlyAlphaScaling>;
  using Kernel = typename cutlass::conv::kernel::DefaultConv2dFprop<
      int8_t, Layout, int8_t, Layout, int8_t, Layout, int32_t, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80,
      cutlass::gemm::GemmShape<M, N, K>, cutlass::gemm::GemmShape<WarpM, WarpN, K>, cutlass::gemm::GemmShape<16, 8, 32>,
      Epilogue, cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<4>, Stages,
      cutlass::arch::OpMultiplyAddSaturate, kIterator, cutlass::conv::StrideSupport::kStrided, kAlignment,
      kAlignment>::Kernel;
  using Operator = cutlass::conv::device::ImplicitGemmConvolution<Kernel>;
  const Layer& layer = task.layer;
  const bool fits = Channels > 0 ? layer.stored_channels == Channels : layer.stored_channels % K == 0;
  if (!fits || layer.outputs % N != 0) {
    return {};
  }
  const int size = layer.size, out = layer.OutputSize(), channels = layer.stored_channels, kernel = layer.kernel;
  const cutlass::conv::Conv2dProblemSize problem(task.images, size, size, channels, layer.outputs, kernel, kernel, out,
                                                 out, layer.Padding(), layer.Padding(), layer.stride, layer.stride, 1,
                                                 1, cutlass::conv::Mode::kCrossCorrelation);
  const Layout input = Layout::packed({task.images, size, size, channels});
  const Layout weights = Layout::packed({layer.outputs, kernel, kernel, channels});
  const Layout output = Layout::packed({task.images, out, out, layer.outputs});
  return Prepare<Operator>(typename Operator::Arguments{problem,
                                                        {const_cast<int8_t*>(task.input), input},
                                                        {const_cast<int8_t*>(task.weights), weights},
                                                        {task.output, output},
                                                        {task.output, output},
                                                        {layer.Alpha(), 0, layer.Low()}});
}

struct Configuration {
  const char* name;  // outputs of a block x channels x terms per stage
  Launch (*prepare)(const Task&);
};

constexpr Configuration kConfigurations[] = {
    {"sm90 128x64x64, 8 stages", PrepareHopper<128, 64, 64, 1, 8>},
    {"sm90 128x128x64, cluster 2", PrepareHopper<128, 128, 64, 2, 0>},
    {"sm90 64x128x128, cluster 2, 4 stages", PrepareHopper<64, 128, 128, 2, 4>},
    {"sm90 128x128x128", PrepareHopper<128, 128, 128, 1, 0>},
    {"sm90 128x128x128, cluster 2", PrepareHopper<128, 128, 128, 2, 0>},
    {"sm90 64x256x128, cluster 2", PrepareHopper<64, 256, 128, 2, 0>},
    {"sm80 128x64x64, 4 stages", PrepareAmpere<128, 64, 64, 32, 64, 4>},
    {"sm80 128x128x64, 4 stages", PrepareAmpere<128, 128, 64, 64, 64, 4>},
    {"sm80 128x64x64, 3 stages, fixed channels 4", PrepareAmpere<128, 64, 64, 32, 64, 3, 4>},
};

// Calls `launch`, and ends the program if it fails.
void Run(const Launch& launch, cudaStream_t stream, const std::string& name) {
  const cutlass::Status status = launch(stream);
  Check(cudaGetLastError(), name);
  if (status != cutlass::Status::kSuccess) {
    std::fprintf(stderr, "int8_cutlass: %s: %s\n", name.c_str(), cutlassGetStatusString(status));
    std::exit(5);
  }
}

// Returns the seconds of one launch. `launch` must have run before.
double SecondsInGraph(const Launch& launch, cudaStream_t stream, const std::string& name) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), name);
  for (int i = 0; i < kLaunches; ++i) {
    Run(launch, stream, name);
  }
  Check(cudaStreamEndCapture(stream, &graph), name);
  Check(cudaGraphInstantiate(&executable, graph, 0), name);
  cudaEvent_t events[kReplays + 1];
  for (cudaEvent_t& event : events) {
    Check(cudaEventCreate(&event), "make an event");
    Check(cudaGraphLaunch(executable, stream), name);
    Check(cudaEventRecord(event, stream), name);
  }
  Check(cudaStreamSynchronize(stream), name);
  float fastest = std::numeric_limits<float>::infinity();
  for (int i = 0; i < kReplays; ++i) {
    float milliseconds = 0;
    Check(cudaEventElapsedTime(&milliseconds, events[i], events[i + 1]), "read a time");
    fastest = std::min(fastest, milliseconds);
  }
  for (cudaEvent_t event : events) {
    Check(cudaEventDestroy(event), "delete an event");
  }
  Check(cudaGraphExecDestroy(executable), "delete a graph");
  Check(cudaGraphDestroy(graph), "delete a graph");
  return fastest * 1e-3 / kLaunches;
}

std::vector<double> Measure(const Launch& launch, cudaStream_t stream, const std::string& name) {
  std::vector<double> seconds(kMeasurements);
  for (double& one : seconds) {
    one = SecondsInGraph(launch, stream, name);
  }
  return seconds;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Result of one configuration. Times are measured only if no element is wrong.
struct Trial {
  std::string name;
  unsigned long long wrong_elements;
  double seconds;
};

struct Environment {
  std::string command;
  std::string device;
  std::string only;  // part of the configurations' names
  cudaStream_t stream;
};

void PrintLine(const Environment& environment, const Layer& layer, int images, const std::vector<Trial>& trials,
               const std::string& fastest, const std::vector<double>& seconds) {
  int runtime = 0;
  Check(cudaRuntimeGetVersion(&runtime), "read CUDA's version");
  std::printf(
      "{\"program\": \"int8_cutlass\", \"command\": \"%s\", \"device\": \"%s\", \"versions\": {\"cutlass\": "
      "\"%d.%d.%d\", \"cuda\": \"%d.%d\"}, \"layer\": \"resnet18/%s\", \"batch\": %d",
      environment.command.c_str(), environment.device.c_str(), CUTLASS_MAJOR, CUTLASS_MINOR, CUTLASS_PATCH,
      runtime / 1000, runtime % 1000 / 10, layer.name, images);
  std::printf(
      ", \"input\": [%d, %d, %d], \"stored_channels\": %d, \"outputs\": %d, \"kernel\": %d, \"stride\": %d, "
      "\"relu\": %s",
      layer.size, layer.size, layer.channels, layer.stored_channels, layer.outputs, layer.kernel, layer.stride,
      layer.relu ? "true" : "false");
  unsigned long long wrong = 0;
  for (const Trial& trial : trials) {
    wrong += trial.wrong_elements;
  }
  std::printf(", \"elements\": %lld, \"wrong_elements\": %llu", static_cast<long long>(layer.OutputBytes(images)),
              wrong);
  if (!seconds.empty()) {
    std::printf(", \"case\": \"%s\", \"us\": %.3f, \"TOPS\": %.1f, \"seconds\": [", fastest.c_str(),
                Median(seconds) * 1e6, 2 * layer.RealMacs() * images / Median(seconds) * 1e-12);
    for (size_t i = 0; i < seconds.size(); ++i) {
      std::printf("%s%.9g", i == 0 ? "" : ", ", seconds[i]);
    }
    std::printf("]");
  }
  std::printf(", \"configurations\": [");
  for (size_t i = 0; i < trials.size(); ++i) {
    std::printf("%s{\"case\": \"%s\", \"wrong_elements\": %llu", i == 0 ? "" : ", ", trials[i].name.c_str(),
                trials[i].wrong_elements);
    std::printf(trials[i].wrong_elements == 0 ? ", \"us\": %.3f}" : "}", trials[i].seconds * 1e6);
  }
  std::printf("]}\n");
  std::fflush(stdout);
}

// Returns the number of elements of the output that are not those of `expected`, after one launch.
unsigned long long CountWrong(const Launch& launch, const Task& task, const int8_t* expected, cudaStream_t stream,
                              const std::string& name) {
  const int64_t size = task.layer.OutputBytes(task.images);
  unsigned long long wrong = 0;
  const DeviceBytes counter = Allocate(sizeof(wrong));
  auto* const differences = reinterpret_cast<unsigned long long*>(counter.get());
  Check(cudaMemsetAsync(differences, 0, sizeof(wrong), stream), "clear a counter");
  Check(cudaMemsetAsync(task.output, 0x80, size, stream), "clear the output");
  Run(launch, stream, name);
  CountDifferences<<<1024, 256, 0, stream>>>(size, task.output, expected, differences);
  Check(cudaMemcpyAsync(&wrong, differences, sizeof(wrong), cudaMemcpyDeviceToHost, stream), name);
  Check(cudaStreamSynchronize(stream), name);
  return wrong;
}

// Returns true if no element of any configuration is wrong, and at least one ran or --only leaves none.
bool MeasureLayer(const Environment& environment, const Layer& layer, int images) {
  const DeviceBytes input = Allocate(layer.InputBytes(images)), weights = Allocate(layer.WeightBytes());
  const int64_t size = layer.OutputBytes(images);
  const DeviceBytes output = Allocate(size), expected = Allocate(size);
  const cudaStream_t stream = environment.stream;
  FillInput<<<1024, 256, 0, stream>>>(layer.InputBytes(images), input.get());
  FillWeights<<<1024, 256, 0, stream>>>(layer, layer.WeightBytes(), weights.get());
  ConvolutionReference<<<static_cast<unsigned>((size + 255) / 256), 256, 0, stream>>>(
      layer, size, input.get(), weights.get(), layer.Alpha(), layer.Low(), expected.get());
  Check(cudaGetLastError(), "launch the reference implementation");
  Check(cudaStreamSynchronize(stream), "run the reference implementation");
  const Task task = {layer, images, input.get(), weights.get(), output.get()};
  std::vector<Trial> trials;
  std::string fastest;
  Launch fastest_launch;
  double least = std::numeric_limits<double>::infinity();
  bool correct = true;
  for (const Configuration& configuration : kConfigurations) {
    const std::string name = configuration.name;
    const Launch launch = name.find(environment.only) == std::string::npos ? nullptr : configuration.prepare(task);
    if (!launch) {
      continue;
    }
    Trial trial = {name, CountWrong(launch, task, expected.get(), stream, name), 0};
    if (trial.wrong_elements == 0) {
      trial.seconds = Median(Measure(launch, stream, name));
      if (trial.seconds < least) {
        least = trial.seconds;
        fastest = name;
        fastest_launch = launch;
      }
    } else {
      std::fprintf(stderr, "int8_cutlass: %s, batch %d, %s: %llu of %lld elements are wrong\n", layer.name, images,
                   name.c_str(), trial.wrong_elements, static_cast<long long>(size));
      correct = false;
    }
    trials.push_back(trial);
  }
  if (trials.empty()) {
    if (environment.only.empty()) {
      std::fprintf(stderr, "int8_cutlass: %s, batch %d: no configuration runs\n", layer.name, images);
    }
    return !environment.only.empty();
  }
  PrintLine(environment, layer, images, trials, fastest,
            fastest_launch ? Measure(fastest_launch, stream, fastest) : std::vector<double>());
  return correct;
}

// Prints the error and the usage, and ends the program.
[[noreturn]] void WrongFlag(const std::string& message) {
  std::fprintf(stderr, "int8_cutlass: %s\n%s", message.c_str(), kHelp);
  std::exit(2);
}

bool AnyNameContains(const std::string& text) {
  return std::any_of(std::begin(kConfigurations), std::end(kConfigurations), [&](const Configuration& configuration) {
    return std::string_view(configuration.name).find(text) != std::string_view::npos;
  });
}

struct Flags {
  std::vector<int> batches;
  std::string only;
};

Flags ParseFlags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc;) {
    const std::string_view flag = argv[i++];
    if (flag == "--help") {
      std::fputs(kHelp, stdout);
      std::exit(0);
    }
    if (flag == "--only" && i < argc) {
      flags.only = argv[i++];
      if (!AnyNameContains(flags.only)) {
        WrongFlag("--only: no configuration has a name that contains \"" + flags.only + "\"");
      }
      continue;
    }
    if (flag != "--batch") {
      WrongFlag("expected --batch, --only TEXT or --help, found \"" + std::string(flag) + "\"");
    }
    const size_t before = flags.batches.size();
    for (; i < argc && std::string_view(argv[i]).substr(0, 2) != "--"; ++i) {
      const std::string_view text = argv[i];
      int batch = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), batch);
      if (error != std::errc() || end != text.data() + text.size() || batch < 1 || batch > 16384) {
        WrongFlag("--batch: expected whole numbers from 1 to 16384, found \"" + std::string(text) + "\"");
      }
      flags.batches.push_back(batch);
    }
    if (flags.batches.size() == before) {
      WrongFlag("--batch: expected at least one number");
    }
  }
  if (flags.batches.empty()) {
    flags.batches = {1024, 256};
  }
  return flags;
}

}  // namespace

int main(int argc, char** argv) {
  const Flags flags = ParseFlags(argc, argv);
  Environment environment = {"int8_cutlass", "", flags.only, nullptr};
  for (int i = 1; i < argc; ++i) {
    environment.command += std::string(" ") + argv[i];
  }
  cudaDeviceProp properties;
  Check(cudaGetDeviceProperties(&properties, 0), "find a GPU");
  environment.device = properties.name;
  if (properties.major != 9) {
    std::fprintf(stderr, "int8_cutlass: expected a GPU of compute capability 9.0, found %d.%d (%s)\n", properties.major,
                 properties.minor, properties.name);
    return 5;
  }
  Check(cudaStreamCreateWithFlags(&environment.stream, cudaStreamNonBlocking), "make a stream");
  bool correct = true;
  for (const int images : flags.batches) {
    for (const Layer& layer : kLayers) {
      correct = MeasureLayer(environment, layer, images) && correct;
    }
  }
  return correct ? 0 : 1;
}
