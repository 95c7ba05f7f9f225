// The hand-written step through NCCL on two GPUs, with marks in it; skipped elsewhere.

#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/small_dataset.h"
#include "lib/device/device.h"
#include "lib/dist/communicator.h"
#include "lib/dist/communicator_exchange.h"
#include "lib/dist/exchange_times.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/fused/resnet18_epoch.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_test_main.h"
#include "lib/testing/matchers.h"
#include "lib/train/exchange_steps.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallImageSet;
using ::testing::Each;

constexpr uint32_t kBatch = 32;
constexpr uint32_t kImages = 2 * 16 * kBatch + 16;  // two graphs of 16 steps, and a tail
constexpr uint32_t kMultiprocessors = 16;           // that NCCL has beside the step's kernels

c10::Device Gpu(const RankContext& context) { return *ResolveDevice("cuda", context.local_rank); }

// Numbers that are finite and small, the same on all ranks: what is learnt is not looked at.
absl::Status SetSmallValues(ResNet18Step& step) {
  ASSIGN_OR_RETURN(ResNet18Values values, step.GetValues());
  for (size_t i = 0; i < values.weights.size(); ++i) {
    values.weights[i] = 0.02f * std::sin(static_cast<float>(i % 1000));
  }
  std::fill(values.norms.begin(), values.norms.end(), 1.0f);
  std::fill(values.running.begin(), values.running.end(), 1.0f);
  return step.SetValues(values);
}

// Five sums: layer 4, layer 3, the rest, the norms, the stem, which is brought into the wire's type behind backward. In
// nanoseconds, since all are whole ones.
std::string FaultsOf(const ExchangeStep& step, bool sent) {
  const StepTimes times = TimesOf(step, sent);
  std::string found = times.buckets.size() == 5 ? "" : absl::StrCat(times.buckets.size(), " ranges; ");
  double sum = 0;
  for (const BucketTimes& bucket : times.buckets) {
    sum += bucket.end_seconds - bucket.begin_seconds;
    const double limit = step.backward_seconds + (&bucket == &times.buckets.back() ? step.update_seconds : 0);
    if (bucket.ready_seconds > limit + 1e-9 || (sent && bucket.end_seconds <= bucket.begin_seconds)) {
      absl::StrAppend(&found, "ready ", bucket.ready_seconds, ", begin ", bucket.begin_seconds, ", end ",
                      bucket.end_seconds, "; ");
    }
  }
  const double busy = BusySeconds(times);
  if (busy > sum + 1e-9 || (sent && busy <= 0)) {
    absl::StrAppend(&found, "busy ", busy, " of ", sum, "; ");
  }
  if (sent && (ExposedSeconds(times) <= 0 || ExposedSeconds(times) > step.update_seconds + 1e-9)) {
    absl::StrAppend(&found, "exposed ", ExposedSeconds(times), " of ", step.update_seconds, "; ");
  }
  return found;
}

// An epoch, and one more with marks; what is wrong with these. The stem's gradient is the last to be ready, and its sum
// cannot hide.
absl::StatusOr<std::string> TrainMarked(RankContext& context, bool sends, bool graphs) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeNcclCommunicator(*context.store, context.rank, context.size,
                                        {Gpu(context).index(), context.timeout, kMultiprocessors}));
  const CommunicatorExchangeOptions exchange_options = {Gpu(context), Wire::kBf16, sends, kMultiprocessors};
  ASSIGN_OR_RETURN(const std::shared_ptr<GradientExchange> exchange,
                   MakeCommunicatorExchange(*communicator, exchange_options));
  const ImageSet set = SmallImageSet(proto::TRAIN, kImages);
  ResidentImages images;
  images.pixels = set.pixels.data();
  images.labels = set.labels.data();
  images.count = kImages;
  images.mean = {0.5, 0.5, 0.5};
  images.std = {0.25, 0.25, 0.25};
  ResNet18StepOptions options;
  options.type = ConvolutionType::kBf16;
  options.max_batch = kBatch;
  options.autotune = false;
  options.exchange = exchange.get();
  ASSIGN_OR_RETURN(const std::unique_ptr<ResNet18Step> step, ResNet18Step::Make(options, images));
  RETURN_IF_ERROR(SetSmallValues(*step));
  ResNet18Epochs epochs(*step, kBatch, graphs);
  RETURN_IF_ERROR(epochs.Prepare(kImages, false));
  std::vector<uint32_t> order(kImages);
  for (uint32_t i = 0; i < kImages; ++i) {
    order[i] = i;
  }
  const auto rate = [](uint32_t) { return 1e-4f; };
  RETURN_IF_ERROR(epochs.Train(order, 0, rate).status());
  bool captured = false;
  ASSIGN_OR_RETURN(const FusedEpoch marked, epochs.TrainMarked(order, 1, rate, [&] {
    captured = true;
    return communicator->Barrier();
  }));
  ASSIGN_OR_RETURN(const std::vector<ExchangeStep> steps, ToExchangeSteps(marked.marks, marked.range_marks));
  std::string found = steps.size() == kImages / kBatch + 1 ? "" : absl::StrCat(steps.size(), " steps; ");
  double all = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    all += steps[i].forward_seconds + steps[i].backward_seconds + steps[i].update_seconds + steps[i].between_seconds;
    if (const std::string faults = FaultsOf(steps[i], sends); !faults.empty()) {
      absl::StrAppend(&found, "step ", i, ": ", faults);
    }
  }
  if (!captured || all <= 0 || all > marked.device_seconds + 1e-6) {  // the events count in half microseconds
    absl::StrAppend(&found, "steps of ", all, " s in an epoch of ", marked.device_seconds, " s; ");
  }
  const ExchangeCount count = CountOfStep(*exchange);
  if (count.range_bytes.size() != 5 || count.calls != (sends ? 5 : 0)) {
    absl::StrAppend(&found, count.range_bytes.size(), " ranges, ", count.calls, " sums a step");
  }
  return found;
}

absl::StatusOr<std::string> Marks(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  return TrainMarked(context, context.payload != "left out", context.payload != "eager");
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{"marks", Marks}};
  return *tasks;
}

// On two GPUs, if they are there; neither rank must find anything.
void ExpectNothingFound(const std::string& payload) {
  if (!ResolveDevice("cuda", 1).ok()) {
    GTEST_SKIP() << "needs 2 CUDA devices";
  }
  LaunchOptions options;
  options.ranks = 2;
  options.task = "marks";
  options.payload = payload;
  const auto results = LaunchRanks(options);
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

TEST(ExchangeMarksGpuTest, InGraphsTheyComeInOrder) { ExpectNothingFound("graphs"); }

TEST(ExchangeMarksGpuTest, InEagerStepsToo) { ExpectNothingFound("eager"); }

TEST(ExchangeMarksGpuTest, WithoutSumsRangesAreReadyAllTheSame) { ExpectNothingFound("left out"); }

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
