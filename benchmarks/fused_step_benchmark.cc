// Measures seconds per epoch of the fused ResNet-18 step (lib/fused), while its optimizations are switched on
// one after another.
//
// Timed: whole epochs of 50,000 images with everything that training does (gather, augmentation, forward, backward,
// SGD, the tail batch), by the host's clock from the upload of the order until the device is done; the first epoch is
// not counted. Not timed: evaluation, the choice of engines. Pixels and weights are random, which is the same work as
// with real ones. Each measurement runs in a separate process, like in train_sweep, because the second step that a
// process makes takes 2 to 3 % longer at batch 32. The processes are forked, so that the pixels are drawn once.
//
//     fused_step_benchmark [--fastest | --fp32 | --early | --chains | --soak | --profile] [BATCH ...]
//
// BATCH: default 32 128 512. Needs a GPU.
//     --fastest  only the last two in bf16, which have our convolutions with whole batch norms
//     --soak     200 epochs of the fastest in bf16, a line for every tenth: shows a step that hangs once in 100 epochs
//     --fp32     only fp32, without and with our own convolutions
//     --early    only the fastest in bf16, with choices of early_weights, early_next and short_batch_norms
//                (resnet_step_options.h)
//     --chains   only the fastest in bf16, without and with forward_chains, three times by turns, each with the number
//                of units in chains
//     --profile  only the fastest in bf16, 64 steps of it between cudaProfilerStart and cudaProfilerStop, for
//                ncu --profile-from-start off
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/stopwatch.h"
#include "lib/dataset/counter_random.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/sampler.h"
#include "lib/fused/resnet_epoch.h"
#include "lib/fused/resnet_step.h"

namespace lockstep {
namespace {

constexpr uint32_t kImages = 50'000;
constexpr int kRepeats = 5;
constexpr int kSoakEpochs = 200;
constexpr uint32_t kProfiledSteps = 64;

struct Variant {
  const char* name;
  ConvolutionType type;
  bool graphs = false;
  bool two_streams = false;
  bool autotune = false;
  bool fused_sums = false;
  bool own_weight_gradients = false;
  bool fused_batch_norm = false;
  bool divide_multiprocessors = false;
  bool own_convolutions = false;
  bool early_weights = true;
  bool early_next = false;
  bool short_batch_norms = true;
  bool forward_chains = false;
};

constexpr Variant kFastest = {"and multiprocessors divided between the streams",
                              ConvolutionType::kBf16,
                              true,
                              true,
                              true,
                              true,
                              true,
                              true,
                              true};
constexpr Variant kVariants[] = {
    {"bf16, launches one by one, one stream, cuDNN's first engine", ConvolutionType::kBf16},
    {"and engines timed", ConvolutionType::kBf16, false, false, true},
    {"and a CUDA graph", ConvolutionType::kBf16, true, false, true},
    {"and a second stream", ConvolutionType::kBf16, true, true, true},
    {"and our convolutions with the sums of batch norms", ConvolutionType::kBf16, true, true, true, true},
    {"and our weight gradients", ConvolutionType::kBf16, true, true, true, true, true},
    {"and batch norms applied by them", ConvolutionType::kBf16, true, true, true, true, true, true},
    kFastest,
    {"tf32, all of it", ConvolutionType::kTf32, true, true, true},
    {"fp32, cuDNN's convolutions", ConvolutionType::kFp32, true, true, true},
    {"fp32, and ours", ConvolutionType::kFp32, true, true, true, false, false, false, false, true},
};

Variant Early(const char* name, bool early_weights, bool early_next, bool short_batch_norms) {
  Variant variant = kFastest;
  variant.name = name;
  variant.early_weights = early_weights;
  variant.early_next = early_next;
  variant.short_batch_norms = short_batch_norms;
  return variant;
}

Variant Chains(const char* name, bool forward_chains) {
  Variant variant = kFastest;
  variant.name = name;
  variant.forward_chains = forward_chains;
  return variant;
}

template <typename T>
T Value(absl::StatusOr<T> value) {
  if (!value.ok()) {
    std::fprintf(stderr, "fused_step_benchmark: %s\n", value.status().ToString().c_str());
    std::exit(1);
  }
  return *std::move(value);
}

void Check(const absl::Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "fused_step_benchmark: %s\n", status.ToString().c_str());
    std::exit(1);
  }
}

std::vector<uint8_t> RandomBytes(size_t count, uint32_t below) {
  CounterRandom random(1, RandomPurpose::kSyntheticImage, 0, 0);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) {
    byte = static_cast<uint8_t>(random.Below(below));
  }
  return bytes;
}

// Returns He et al. 2015's initial weights for the convolutions, uniformly distributed; batch norms have 1 and 0.
ResNetValues RandomValues() {
  const ResNetUnits net = MakeResNetUnits();
  CounterRandom random(2, RandomPurpose::kSyntheticImage, 0, 0);
  ResNetValues values;
  values.weights.resize(net.weight_count, 0);
  const auto fill = [&](size_t first, size_t count, double fan_in) {
    for (size_t i = first; i < first + count; ++i) {
      values.weights[i] = static_cast<float>((random.Below(1u << 20) / double{1 << 19} - 1) * std::sqrt(6 / fan_in));
    }
  };
  for (const ConvolutionUnit& unit : net.units) {
    fill(unit.weight, unit.weight_count(), unit.matrix_channels * unit.matrix_filter * unit.matrix_filter);
  }
  fill(net.linear_weight, net.weight_count - net.linear_weight, net.features * 6.0);
  values.batch_norms.resize(net.batch_norm_count(), 0);
  std::fill_n(values.batch_norms.begin(), net.channel_count, 1.0f);
  values.running.resize(2 * net.channel_count, 0);
  std::fill_n(values.running.begin() + net.channel_count, net.channel_count, 1.0f);
  return values;
}

std::unique_ptr<ResNetStep> MakeStep(const Variant& variant, uint32_t batch, const ResidentImages& images) {
  ResNetStepOptions options;
  options.type = variant.type;
  options.max_batch = batch;
  options.two_streams = variant.two_streams;
  options.autotune = variant.autotune;
  options.fused_sums = variant.fused_sums;
  options.own_weight_gradients = variant.own_weight_gradients;
  options.fused_batch_norm = variant.fused_batch_norm;
  options.divide_multiprocessors = variant.divide_multiprocessors;
  options.own_convolutions = variant.own_convolutions;
  options.early_weights = variant.early_weights;
  options.early_next = variant.early_next;
  options.short_batch_norms = variant.short_batch_norms;
  options.forward_chains = variant.forward_chains;
  auto step = Value(ResNetStep::Make(options, images));
  Check(step->SetValues(RandomValues()));
  return step;
}

void Profile(const Variant& variant, uint32_t batch, const ResidentImages& images) {
  const auto step = MakeStep(variant, batch, images);
  const uint32_t count = std::min(kImages, kProfiledSteps * batch);
  ResNetEpochs epochs(*step, batch, variant.graphs);
  Check(epochs.Prepare(count, DropLast::kYes));
  for (const bool profiled : {false, true}) {
    if (profiled) {
      cudaProfilerStart();
    }
    const FusedEpoch result = Value(epochs.Train(EpochOrder(count, 0, 0), 0, [](uint32_t) { return 0.01f; }));
    std::printf("%5u  %.1f us a step\n", batch, 1e6 * result.device_seconds / result.steps);
  }
  cudaProfilerStop();
}

void Soak(const Variant& variant, uint32_t batch, const ResidentImages& images) {
  const auto step = MakeStep(variant, batch, images);
  ResNetEpochs epochs(*step, batch, variant.graphs);
  Check(epochs.Prepare(kImages, DropLast::kNo));
  const Stopwatch clock;
  for (int epoch = 0; epoch < kSoakEpochs; ++epoch) {
    const FusedEpoch result = Value(epochs.Train(EpochOrder(kImages, 0, epoch), epoch, [](uint32_t) { return 0.01f; }));
    if (epoch % 10 == 9) {
      std::printf("%5u  epoch %3d  %6.1f s  loss %.3f  %s\n", batch, epoch + 1, clock.Seconds(), result.mean_loss,
                  variant.name);
      std::fflush(stdout);
    }
  }
}

int UnitsInChains(const ResNetStep& step, uint32_t batch) {
  const std::vector<UnitKernels> kernels = step.Kernels(batch);
  return static_cast<int>(std::count_if(kernels.begin(), kernels.end(), [](const UnitKernels& unit) {
    return unit.forward.find("in a chain") != std::string::npos;
  }));
}

void Time(const Variant& variant, uint32_t batch, const ResidentImages& images) {
  const Stopwatch setup;
  const auto step = MakeStep(variant, batch, images);
  ResNetEpochs epochs(*step, batch, variant.graphs);
  Check(epochs.Prepare(kImages, DropLast::kNo));
  const double setup_seconds = setup.Seconds();
  std::vector<double> seconds;
  double loss = 0;
  for (int epoch = 0; epoch <= kRepeats; ++epoch) {
    const FusedEpoch result = Value(epochs.Train(EpochOrder(kImages, 0, epoch), epoch, [](uint32_t) { return 0.01f; }));
    if (epoch > 0) {
      seconds.push_back(result.seconds);
    }
    loss = result.mean_loss;
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("%5u  %7.4f s (%.4f to %.4f)  %5.0f TFLOP/s  %6.2f GB  set up in %4.1f s, loss %.3f  %s", batch,
              seconds[kRepeats / 2], seconds.front(), seconds.back(), 166.6 / seconds[kRepeats / 2],
              static_cast<double>(step->bytes()) / 1e9, setup_seconds, loss, variant.name);
  if (variant.forward_chains) {
    std::printf(", which have %d units", UnitsInChains(*step, batch));
  }
  std::printf("\n");
  std::fflush(stdout);
}

void RequireDevice() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "fused_step_benchmark: no CUDA device\n");
    std::exit(5);
  }
}

// Runs `measure` in a child process, before this process has used CUDA; exits if the child failed.
template <typename F>
void InOwnProcess(const F& measure) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    RequireDevice();
    measure();
    std::exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
    std::fprintf(stderr, "fused_step_benchmark: a measurement was stopped\n");
    std::exit(1);
  }
  if (WEXITSTATUS(status) != 0) {
    std::exit(WEXITSTATUS(status));
  }
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  using namespace lockstep;
#ifndef __OPTIMIZE__
  std::fprintf(stderr, "warning: built without optimisation\n");
#endif
  const std::vector<uint8_t> pixels = RandomBytes(size_t{kImages} * kImageBytes, 256), bytes = RandomBytes(kImages, 10);
  const std::vector<uint16_t> labels(bytes.begin(), bytes.end());
  const ResidentImages images = {pixels.data(), labels.data(), kImages, {0.49f, 0.48f, 0.45f}, {0.2f, 0.2f, 0.2f}};
  std::vector<uint32_t> batches;
  const std::string mode = argc > 1 && std::string(argv[1]).rfind("--", 0) == 0 ? argv[1] : "";
  const bool fastest = mode == "--fastest", fp32 = mode == "--fp32", early = mode == "--early";
  const bool chains = mode == "--chains";
  if (!fastest && !fp32 && !early && !chains && mode != "--profile" && mode != "--soak" && !mode.empty()) {
    std::fprintf(stderr, "fused_step_benchmark: unknown flag %s\n", mode.c_str());
    return 2;
  }
  for (int i = mode.empty() ? 1 : 2; i < argc; ++i) {
    batches.push_back(static_cast<uint32_t>(std::atoi(argv[i])));
  }
  if (batches.empty()) {
    batches = {32, 128, 512};
  }
  if (mode == "--profile" || mode == "--soak") {
    RequireDevice();
    for (const uint32_t batch : batches) {
      mode == "--soak" ? Soak(kFastest, batch, images) : Profile(kFastest, batch, images);
    }
    return 0;
  }
  std::printf("batch  s per 50,000 images: median of %d (smallest to largest)\n", kRepeats);
  const Variant without = Chains("no chains", false), with = Chains("forward chains", true);
  const std::vector<Variant> by_turns = {without, with, without, with, without, with};
  const std::vector<Variant> choices = {Early("none", false, false, false),
                                        Early("early weights", true, false, false),
                                        Early("early next launch", false, true, false),
                                        Early("short batch norms", false, false, true),
                                        Early("early weights, short batch norms", true, false, true),
                                        Early("all", true, true, true)};
  for (const uint32_t batch : batches) {
    for (const Variant& variant : chains ? by_turns : choices) {
      if (early || chains) {
        InOwnProcess([&] { Time(variant, batch, images); });
      }
    }
    for (const Variant& variant : kVariants) {
      if (!early && !chains && (!fastest || variant.fused_batch_norm) &&
          (!fp32 || variant.type == ConvolutionType::kFp32)) {
        InOwnProcess([&] { Time(variant, batch, images); });
      }
    }
  }
  return 0;
}
