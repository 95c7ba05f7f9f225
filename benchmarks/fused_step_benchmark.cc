// Measures seconds per epoch of the fused ResNet-18 step (lib/fused), while its optimizations are switched on
// one after another.
//
// Timed: whole epochs of 50,000 images with everything that training does (gather, augmentation, forward, backward,
// SGD, the tail batch), by the host's clock from the upload of the order until the device is done; the first epoch is
// not counted. Not timed: evaluation, the choice of engines. Pixels and weights are random, which is the same work as
// with real ones. Each measurement runs in a separate process, like in train_sweep, because the second step that a
// process makes takes 2 to 3 % longer at batch 32. The processes are forked, so that the pixels are drawn once.
//
//     fused_step_benchmark [--fastest | --fp32 | --early | --forward | --pairs | --partitions[=SMS] |
//                           --search_partition[=MOVES] | --soak | --profile] [BATCH ...]
//
// BATCH: default 32 128 512, with --partitions 128 512. Needs a GPU.
//     --fastest  only the last two in bf16, which have our convolutions with whole batch norms
//     --soak     200 epochs of the fastest in bf16, a line for every tenth: shows a step that hangs once in 100 epochs
//     --fp32     only fp32, without and with our own convolutions
//     --early    only the fastest in bf16, with choices of early_weights, early_next and short_batch_norms
//                (resnet_step_options.h)
//     --forward  only the fastest in bf16, with cuDNN's forward convolutions where they are faster when timed alone,
//                and with ours in any case; by turns
//     --pairs    only the fastest in bf16, without and with convolutions whose pairs of blocks copy their weights
//                together (paired_weights), by turns
//     --partitions=SMS  only the fastest in bf16, with the SM partition of lib/fused/sm_partition.h, and with other SMs
//                of some layers, by turns. SMS: the lists of PartitionVariants (fused_step_variants.h); default:
//                kEarlierSms
//     --search_partition=MOVES  only the fastest in bf16: a round of ImprovePartition (partition_search.h) for each of
//                MOVES, the SMs that its moves take; from the SM partition of lib/fused/sm_partition.h. A line for each
//                partition that is measured, and one at the end of a round. Default: 8,8,4,4
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

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "benchmarks/fused_step_variants.h"
#include "benchmarks/partition_search.h"
#include "lib/base/stopwatch.h"
#include "lib/dataset/counter_random.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/sampler.h"
#include "lib/fused/resnet_epoch.h"
#include "lib/fused/resnet_step.h"

namespace lockstep {
namespace {

constexpr uint32_t kImages = 50'000;
constexpr int kRepeats = 5, kSearchRepeats = 3;
constexpr int kTurns = 3;
constexpr int kSoakEpochs = 200;
constexpr uint32_t kProfiledSteps = 64;
constexpr double kMinGain = 0.001;  // a move that gains less is noise

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

std::unique_ptr<ResNetStep> MakeStep(const FusedStepVariant& variant, uint32_t batch, const ResidentImages& images) {
  auto step = Value(ResNetStep::Make(OptionsOf(variant, batch), images));
  Check(step->SetValues(RandomValues()));
  return step;
}

void Profile(const FusedStepVariant& variant, uint32_t batch, const ResidentImages& images) {
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

void Soak(const FusedStepVariant& variant, uint32_t batch, const ResidentImages& images) {
  const auto step = MakeStep(variant, batch, images);
  ResNetEpochs epochs(*step, batch, variant.graphs);
  Check(epochs.Prepare(kImages, DropLast::kNo));
  const Stopwatch clock;
  for (int epoch = 0; epoch < kSoakEpochs; ++epoch) {
    const FusedEpoch result = Value(epochs.Train(EpochOrder(kImages, 0, epoch), epoch, [](uint32_t) { return 0.01f; }));
    if (epoch % 10 == 9) {
      std::printf("%5u  epoch %3d  %6.1f s  loss %.3f  %s\n", batch, epoch + 1, clock.Seconds(), result.mean_loss,
                  variant.name.c_str());
      std::fflush(stdout);
    }
  }
}

// Prints the median and the range, and leaves `seconds` in order.
void PrintSeconds(uint32_t batch, std::vector<double>& seconds) {
  std::sort(seconds.begin(), seconds.end());
  std::printf("%5u  %7.4f s (%.4f to %.4f)", batch, seconds[seconds.size() / 2], seconds.front(), seconds.back());
}

// Returns the seconds of `repeats` epochs, in order.
std::vector<double> Time(const FusedStepVariant& variant, uint32_t batch, const ResidentImages& images, int repeats) {
  const Stopwatch setup;
  const auto step = MakeStep(variant, batch, images);
  ResNetEpochs epochs(*step, batch, variant.graphs);
  Check(epochs.Prepare(kImages, DropLast::kNo));
  const double setup_seconds = setup.Seconds();
  std::vector<double> seconds;
  double loss = 0;
  for (int epoch = 0; epoch <= repeats; ++epoch) {
    const FusedEpoch result = Value(epochs.Train(EpochOrder(kImages, 0, epoch), epoch, [](uint32_t) { return 0.01f; }));
    if (epoch > 0) {
      seconds.push_back(result.seconds);
    }
    loss = result.mean_loss;
  }
  PrintSeconds(batch, seconds);
  std::printf("  %5.0f TFLOP/s  %6.2f GB  set up in %4.1f s, loss %.3f  %s\n", 166.6 / seconds[repeats / 2],
              static_cast<double>(step->bytes()) / 1e9, setup_seconds, loss, variant.name.c_str());
  std::fflush(stdout);
  return seconds;
}

void RequireDevice() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "fused_step_benchmark: no CUDA device\n");
    std::exit(5);
  }
}

// Returns what Time returns in a child process, forked before this process has used CUDA; exits if the child failed.
std::vector<double> TimeInOwnProcess(const FusedStepVariant& variant, uint32_t batch, const ResidentImages& images,
                                     int repeats = kRepeats) {
  std::fflush(stdout);
  int ends[2] = {};
  if (pipe(ends) != 0) {
    std::perror("fused_step_benchmark: pipe");
    std::exit(1);
  }
  const pid_t child = fork();
  if (child == 0) {
    RequireDevice();
    const std::vector<double> seconds = Time(variant, batch, images, repeats);
    const ssize_t bytes = static_cast<ssize_t>(seconds.size() * sizeof(double));
    std::exit(write(ends[1], seconds.data(), bytes) == bytes ? 0 : 1);
  }
  close(ends[1]);
  std::vector<double> seconds(repeats);  // few bytes, which the child writes at once
  const ssize_t bytes = static_cast<ssize_t>(seconds.size() * sizeof(double));
  const bool complete = read(ends[0], seconds.data(), bytes) == bytes;
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
    std::fprintf(stderr, "fused_step_benchmark: a measurement was stopped\n");
    std::exit(1);
  }
  if (WEXITSTATUS(status) != 0 || !complete) {
    std::exit(WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1);
  }
  return seconds;
}

// Measures the variants by turns, because a GPU slows down as it gets warm. Then prints a line for each variant with
// the epochs of all its turns.
void TimeByTurns(const std::vector<FusedStepVariant>& variants, uint32_t batch, const ResidentImages& images) {
  std::vector<std::vector<double>> seconds(variants.size());
  for (int turn = 0; turn < kTurns; ++turn) {
    for (size_t i = 0; i < variants.size(); ++i) {
      const std::vector<double> of_turn = TimeInOwnProcess(variants[i], batch, images);
      seconds[i].insert(seconds[i].end(), of_turn.begin(), of_turn.end());
    }
  }
  for (size_t i = 0; i < variants.size(); ++i) {
    PrintSeconds(batch, seconds[i]);
    std::printf("  %zu epochs of %d processes  %s\n", seconds[i].size(), kTurns, variants[i].name.c_str());
  }
}

void SearchPartition(const std::vector<uint32_t>& moves, uint32_t batch, const ResidentImages& images) {
  FusedStepVariant variant = FastestVariant();
  const auto measure = [&](const std::vector<LayerSms>& layers) {
    variant.layer_sms = layers;
    variant.name = LayerSmsText(layers);
    return TimeInOwnProcess(variant, batch, images, kSearchRepeats)[kSearchRepeats / 2];
  };
  std::vector<LayerSms> best = FoundLayerSms(batch);
  for (const uint32_t sms : moves) {
    best = ImprovePartition(best, batch, sms, kMinGain, measure);
    std::printf("%5u  moves of %u SMs: %s\n", batch, sms, LayerSmsText(best).c_str());
    std::fflush(stdout);
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
  const std::string flag = argc > 1 && std::string(argv[1]).rfind("--", 0) == 0 ? argv[1] : "";
  const size_t equals = flag.find('=');
  const std::string mode = flag.substr(0, equals);
  const bool fastest = mode == "--fastest", fp32 = mode == "--fp32", early = mode == "--early";
  const bool forward = mode == "--forward", pairs = mode == "--pairs", partitions = mode == "--partitions";
  const bool search = mode == "--search_partition", has_value = equals != std::string::npos;
  const bool known =
      fastest || fp32 || early || forward || pairs || partitions || search || mode == "--profile" || mode == "--soak";
  if ((!known && !flag.empty()) || (has_value && !partitions && !search)) {
    std::fprintf(stderr, "fused_step_benchmark: unknown flag %s\n", flag.c_str());
    return 2;
  }
  for (int i = flag.empty() ? 1 : 2; i < argc; ++i) {
    batches.push_back(static_cast<uint32_t>(std::atoi(argv[i])));
  }
  if (batches.empty()) {
    batches = partitions ? std::vector<uint32_t>{128, 512} : std::vector<uint32_t>{32, 128, 512};
  }
  if (mode == "--profile" || mode == "--soak") {
    RequireDevice();
    for (const uint32_t batch : batches) {
      mode == "--soak" ? Soak(FastestVariant(), batch, images) : Profile(FastestVariant(), batch, images);
    }
    return 0;
  }
  std::printf("batch  s per 50,000 images: median of %d (smallest to largest)\n", search ? kSearchRepeats : kRepeats);
  if (search) {
    std::vector<uint32_t> moves;
    for (const absl::string_view sms : absl::StrSplit(has_value ? flag.substr(equals + 1) : "8,8,4,4", ',')) {
      if (!absl::SimpleAtoi(sms, &moves.emplace_back())) {
        std::fprintf(stderr, "fused_step_benchmark: expected numbers of SMs like 8,4, found %s\n", flag.c_str());
        return 2;
      }
    }
    for (const uint32_t batch : batches) {
      SearchPartition(moves, batch, images);
    }
    return 0;
  }
  std::vector<FusedStepVariant> by_turns;
  if (forward) {
    by_turns = ForwardVariants();
  } else if (pairs) {
    by_turns = PairVariants();
  } else if (partitions) {
    by_turns = Value(PartitionVariants(has_value ? flag.substr(equals + 1) : kEarlierSms));
  }
  const std::vector<FusedStepVariant> once = early ? EarlyVariants() : OptimizationVariants();
  for (const uint32_t batch : batches) {
    if (!by_turns.empty()) {
      TimeByTurns(by_turns, batch, images);
      continue;
    }
    for (const FusedStepVariant& variant : once) {
      if (early || ((!fastest || variant.fused_batch_norm) && (!fp32 || variant.type == ConvolutionType::kFp32))) {
        TimeInOwnProcess(variant, batch, images);
      }
    }
  }
  return 0;
}
