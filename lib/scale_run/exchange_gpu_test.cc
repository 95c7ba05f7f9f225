// Tests the gradient exchanges of the fused step on two GPUs, and the timestamps of their steps; skipped without
// two GPUs. The exchange over two virtual hosts has four ranks, two on each GPU if there are fewer than four.

#include <c10/core/DeviceGuard.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/host_topology.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/communicator.h"
#include "lib/communicator/hierarchical_communicator.h"
#include "lib/cuda/kernel_code.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/device/device.h"
#include "lib/device/shared_gpus_testing.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/fused/resnet_epoch.h"
#include "lib/fused/resnet_units.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/launch/virtual_hosts.h"
#include "lib/record/digest.h"
#include "lib/reducer/communicator_exchange.h"
#include "lib/reducer/exchange_times.h"
#include "lib/scale_run/reducer_choice.h"
#include "lib/testing/matchers.h"
#include "lib/testing/scoped_variable.h"
#include "lib/train/exchange_steps.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ScopedVariable;
using ::lockstep::testing::SharedGpus;
using ::lockstep::testing::SmallImageSet;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr uint32_t kBatch = 32;
constexpr uint32_t kImages = 2 * 16 * kBatch + 16;  // two graphs of 16 steps, and a tail
constexpr uint32_t kMultiprocessors = 16;           // limit for NCCL next to the step's kernels

c10::Device Gpu(const RankContext& context) { return *ResolveDevice("cuda", context.local_rank); }

absl::StatusOr<std::unique_ptr<Communicator>> Nccl(RankContext& context) {
  return MakeNcclCommunicator(*context.store, context.rank, context.size,
                              {Gpu(context).index(), context.timeout, kMultiprocessors});
}

bool ByPeers(const RankContext& context) { return absl::StrContains(context.payload, "peer"); }
bool OverHosts(const RankContext& context) { return absl::StrContains(context.payload, "hierarchical"); }
bool Sends(const RankContext& context) { return !absl::StrContains(context.payload, "left out"); }

absl::StatusOr<MadeExchange> MakeExchange(const RankContext& context, Communicator& communicator,
                                          CommunicationDtype dtype) {
  PeerExchangeOptions of_peers;
  of_peers.device = Gpu(context);
  of_peers.communication_dtype = dtype;
  of_peers.timeout = context.timeout;
  of_peers.shares_update = absl::StrContains(context.payload, "sharded");
  of_peers.sends = Sends(context);
  if (ByPeers(context)) {
    return MakePeerExchange(communicator, of_peers);
  }
  if (OverHosts(context)) {
    ASSIGN_OR_RETURN(const HostTopology hosts, GatherHosts(*context.store, context.rank, context.size));
    return MakeHierarchicalExchange(*context.store, context.rank, hosts, {of_peers, kMultiprocessors});
  }
  return MakeCommunicatorExchange(communicator, {.device = Gpu(context),
                                                 .communication_dtype = dtype,
                                                 .sends = Sends(context),
                                                 .max_multiprocessors = kMultiprocessors});
}

const ImageSet& Images() {
  static const auto* set = new ImageSet(SmallImageSet(proto::TRAIN, kImages));
  return *set;
}

absl::StatusOr<std::unique_ptr<ResNetStep>> MakeStep(GradientExchange& exchange) {
  ResidentImages images;
  images.pixels = Images().pixels.data();
  images.labels = Images().labels.data();
  images.count = kImages;
  images.mean = {0.5, 0.5, 0.5};
  images.std = {0.25, 0.25, 0.25};
  ResNetStepOptions options;
  options.type = ConvolutionType::kBf16;
  options.max_batch = kBatch;
  options.autotune = false;
  options.exchange = &exchange;
  return ResNetStep::Make(options, images);
}

// Returns an image order that starts at `first`, so that each rank can have its own images.
std::vector<uint32_t> InOrder(uint32_t first) {
  std::vector<uint32_t> order(kImages);
  for (uint32_t i = 0; i < kImages; ++i) {
    order[i] = (first + i) % kImages;
  }
  return order;
}

float Rate(uint32_t) { return 1e-4f; }

// Sets finite, small values that are equal on all ranks; the learnt values are not checked.
absl::Status SetSmallValues(ResNetStep& step) {
  ASSIGN_OR_RETURN(ResNetValues values, step.GetValues());
  for (size_t i = 0; i < values.weights.size(); ++i) {
    values.weights[i] = 0.02f * std::sin(static_cast<float>(i % 1000));
  }
  std::fill(values.batch_norms.begin(), values.batch_norms.end(), 1.0f);
  std::fill(values.running.begin(), values.running.end(), 1.0f);
  return step.SetValues(values);
}

// Returns the number of ranges of a step: layer 4, layer 3, the remaining layers, the batch-norm gradients, and the
// stem, which is converted to the communication dtype after backward. Without an SM partition (no Hopper kernels),
// layer 3 is part of the remaining layers (gradient_schedule.h). Between peers, the remaining layers and the stem are
// sent together.
size_t SumsOfStep(const RankContext& context) {
  const bool apart = HasHopperKernels() || absl::StrContains(context.payload, "sharded");
  return (apart ? 5 : 4) - (ByPeers(context) ? 1 : 0);
}

// Compares with a tolerance of 1 ns, because all times are whole nanoseconds. Two ranges that are sent together end at
// the same time, so the second one takes no time.
std::string FaultsOf(const ExchangeStep& step, bool sent, size_t sums) {
  const StepTimes times = TimesOf(step, sent ? AllReduces::kSent : AllReduces::kLeftOut);
  std::string found = times.buckets.size() == sums ? "" : absl::StrCat(times.buckets.size(), " ranges; ");
  double sum = 0;
  for (const BucketTimes& bucket : times.buckets) {
    sum += bucket.end_seconds - bucket.begin_seconds;
    const double limit = step.backward_seconds + (&bucket == &times.buckets.back() ? step.update_seconds : 0);
    if (bucket.ready_seconds > limit + 1e-9 || (sent && bucket.end_seconds < bucket.begin_seconds)) {
      absl::StrAppend(&found, "ready ", bucket.ready_seconds, ", begin ", bucket.begin_seconds, ", end ",
                      bucket.end_seconds, "; ");
    }
  }
  const double busy = BusySeconds(times);
  if (busy > sum + 1e-9 || (sent && busy <= 0)) {
    absl::StrAppend(&found, "busy ", busy, " of ", sum, "; ");
  }
  if (sent && ExposedSeconds(times) > step.update_seconds + 1e-9) {
    absl::StrAppend(&found, "exposed ", ExposedSeconds(times), " of ", step.update_seconds, "; ");
  }
  return found;
}

// Trains one epoch, and one more instrumented epoch; returns the errors in its timestamps. The stem's gradient is the
// last to be ready; its sum can overlap at most the next batch.
absl::StatusOr<std::string> Timestamps(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  const bool sends = Sends(context), graphs = !absl::StrContains(context.payload, "eager");
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  ASSIGN_OR_RETURN(const MadeExchange exchange, MakeExchange(context, *communicator, CommunicationDtype::kBf16));
  ASSIGN_OR_RETURN(const std::unique_ptr<ResNetStep> step, MakeStep(*exchange.exchange));
  RETURN_IF_ERROR(SetSmallValues(*step));
  ResNetEpochs epochs(*step, kBatch, graphs);
  RETURN_IF_ERROR(epochs.Prepare(kImages, DropLast::kNo));
  const std::vector<uint32_t> order = InOrder(0);
  RETURN_IF_ERROR(epochs.Train(order, 0, Rate).status());
  bool captured = false;
  ASSIGN_OR_RETURN(const FusedEpoch instrumented, epochs.TrainInstrumented(order, 1, Rate, [&] {
    captured = true;
    return communicator->Barrier();
  }));
  ASSIGN_OR_RETURN(const std::vector<ExchangeStep> steps,
                   ToExchangeSteps(instrumented.timestamps, instrumented.range_timestamps));
  std::string found = steps.size() == kImages / kBatch + 1 ? "" : absl::StrCat(steps.size(), " steps; ");
  double all = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    all += steps[i].forward_seconds + steps[i].backward_seconds + steps[i].update_seconds + steps[i].between_seconds;
    if (const std::string faults = FaultsOf(steps[i], sends, SumsOfStep(context)); !faults.empty()) {
      absl::StrAppend(&found, "step ", i, ": ", faults);
    }
  }
  if (!captured || all <= 0 ||
      all > instrumented.device_seconds + 1e-6) {  // events have a resolution of half a microsecond
    absl::StrAppend(&found, "steps of ", all, " s in an epoch of ", instrumented.device_seconds, " s; ");
  }
  const ExchangeCount count = exchange.counter->CountOfStep();
  if (count.range_bytes.size() != SumsOfStep(context) || count.calls != (sends ? SumsOfStep(context) : 0)) {
    absl::StrAppend(&found, count.range_bytes.size(), " ranges, ", count.calls, " sums a step");
  }
  return found;
}

// Wrapper that only changes max_multiprocessors, so that the step's kernels leave SMs to NCCL. The order of their sums
// depends on it.
class LeavesSmsForNccl : public GradientExchange {
 public:
  explicit LeavesSmsForNccl(GradientExchange& exchange) : exchange_(exchange) {}

  uint32_t ranks() const override { return exchange_.ranks(); }
  CommunicationDtype communication_dtype() const override { return exchange_.communication_dtype(); }
  uint32_t max_multiprocessors() const override { return kMultiprocessors; }
  absl::Status Sum(const RangeToSum& range) override { return exchange_.Sum(range); }
  absl::Status EndStep(cudaStream_t stream) override { return exchange_.EndStep(stream); }
  absl::Status Health() const override { return exchange_.Health(); }
  AddendExchange* addend_exchange() override { return exchange_.addend_exchange(); }
  SharedUpdate* shared_update() override { return exchange_.shared_update(); }

 private:
  GradientExchange& exchange_;
};

std::string DigestOf(const std::vector<float>& values) {
  return Sha256Hex(absl::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
}

// Returns digests of the weights and their momentum after three epochs with an odd number of steps, in graphs of 16 and
// one by one. The payload selects the exchange.
absl::StatusOr<std::string> Weights(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  std::string digests;
  for (const CommunicationDtype dtype : {CommunicationDtype::kBf16, CommunicationDtype::kFp32}) {
    ASSIGN_OR_RETURN(const MadeExchange exchange, MakeExchange(context, *communicator, dtype));
    LeavesSmsForNccl leaves_sms(*exchange.exchange);
    ASSIGN_OR_RETURN(const std::unique_ptr<ResNetStep> step, MakeStep(leaves_sms));
    RETURN_IF_ERROR(SetSmallValues(*step));
    ResNetEpochs epochs(*step, kBatch, /*graphs=*/true);
    RETURN_IF_ERROR(epochs.Prepare(kImages, DropLast::kNo));
    for (uint32_t epoch = 0; epoch < 3; ++epoch) {
      RETURN_IF_ERROR(epochs.Train(InOrder(static_cast<uint32_t>(context.rank) * 500), epoch, Rate).status());
    }
    ASSIGN_OR_RETURN(const ResNetValues values, step->GetValues());
    ASSIGN_OR_RETURN(const ResNetValues momentum, step->GetMomentum());
    absl::StrAppend(&digests, DigestOf(values.weights), DigestOf(momentum.weights));
  }
  return digests;
}

// Rank 1 cannot open files while peer memory is shared, so the driver cannot share memory. The exchange to which all
// ranks fall back is checked with exact sums when it is made. Returns the reason for the fallback.
absl::StatusOr<std::string> FallsBack(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  const std::function<absl::StatusOr<MadeExchange>()> peers = [&] {
    const int next = dup(0);
    close(next);
    const rlimit none = {static_cast<rlim_t>(next), before.rlim_max};
    setrlimit(RLIMIT_NOFILE, context.rank == 1 ? &none : &before);
    auto made = MakePeerExchange(*communicator, {.device = Gpu(context),
                                                 .communication_dtype = CommunicationDtype::kBf16,
                                                 .timeout = context.timeout,
                                                 .shares_update = true});
    setrlimit(RLIMIT_NOFILE, &before);
    return made;
  };
  const std::function<absl::StatusOr<MadeExchange>()> own = [&] {
    return MakeCommunicatorExchange(*communicator, {.device = Gpu(context),
                                                    .communication_dtype = CommunicationDtype::kBf16,
                                                    .max_multiprocessors = kMultiprocessors});
  };
  std::string why;
  RETURN_IF_ERROR(PeersOrOwn(peers, own, why).status());
  RETURN_IF_ERROR(communicator->Barrier());
  return why;
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks =
      new std::map<std::string, RankTask>{{"timestamps", Timestamps}, {"weights", Weights}, {"falls back", FallsBack}};
  return *tasks;
}

absl::StatusOr<std::vector<std::string>> RunRanks(int ranks, const std::string& task, const std::string& payload) {
  LaunchOptions options;
  options.ranks = ranks;
  options.task = task;
  options.payload = payload;
  return LaunchRanks(options);
}

// Runs the instrumented epoch on two GPUs, if there are two. Neither rank may find an error.
void ExpectNothingFound(const std::string& payload) {
  if (!ResolveDevice("cuda", 1).ok()) {
    GTEST_SKIP() << "needs 2 CUDA devices";
  }
  const auto results = RunRanks(2, "timestamps", payload);
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

// The exchanges allocate their buffers before they know the network.
TEST(ExchangeTest, HasRoomForTheLargestNetwork) {
  EXPECT_LE(MakeResNetUnits(kResNet34Blocks, kMaxFusedClasses).weight_count, size_t{kMaxExchanged});
}

TEST(ExchangeTimestampsGpuTest, InGraphsTheyComeInOrder) { ExpectNothingFound("graphs"); }

TEST(ExchangeTimestampsGpuTest, InEagerStepsToo) { ExpectNothingFound("eager"); }

TEST(ExchangeTimestampsGpuTest, WithoutSumsRangesAreReadyAllTheSame) { ExpectNothingFound("left out"); }

TEST(PeerExchangeGpuTest, TimestampsComeInOrderInGraphs) { ExpectNothingFound("peer, graphs"); }

TEST(PeerExchangeGpuTest, TimestampsComeInOrderInEagerSteps) { ExpectNothingFound("peer, eager"); }

// The sum over two ranks is one addition, which NCCL rounds in the same way.
TEST(PeerExchangeGpuTest, TrainsAsNcclToTheBit) {
  if (!ResolveDevice("cuda", 1).ok()) {
    GTEST_SKIP() << "needs 2 CUDA devices";
  }
  const auto by_nccl = RunRanks(2, "weights", "nccl");
  const auto by_peers = RunRanks(2, "weights", "peer");
  ASSERT_THAT(by_nccl, IsOk());
  ASSERT_THAT(by_peers, IsOk());
  EXPECT_EQ((*by_peers)[0], (*by_peers)[1]);
  EXPECT_EQ(*by_peers, *by_nccl);
  EXPECT_EQ((*by_peers)[0].size(), 256u);
}

// Each rank keeps half of the weights, which must not change the result.
TEST(PeerExchangeGpuTest, ASharedUpdateTrainsAsEachRanksOwnToTheBit) {
  if (!ResolveDevice("cuda", 1).ok()) {
    GTEST_SKIP() << "needs 2 CUDA devices";
  }
  const auto own = RunRanks(2, "weights", "peer");
  const auto shared = RunRanks(2, "weights", "peer, sharded");
  ASSERT_THAT(own, IsOk());
  ASSERT_THAT(shared, IsOk());
  EXPECT_EQ(*shared, *own);
}

TEST(PeerExchangeGpuTest, TimestampsComeInOrderInGraphsOfASharedUpdate) { ExpectNothingFound("peer, sharded, graphs"); }

TEST(PeerExchangeGpuTest, WithoutSumsRangesAreReadyAllTheSame) {
  ExpectNothingFound("peer, left out");
  ExpectNothingFound("peer, sharded, left out");
}

TEST(PeerExchangeGpuTest, WhereMemoryCannotBeSharedAllRanksFallBack) {
  if (!ResolveDevice("cuda", 1).ok()) {
    GTEST_SKIP() << "needs 2 CUDA devices";
  }
  const auto why = RunRanks(2, "falls back", "");
  ASSERT_THAT(why, IsOk());
  EXPECT_THAT((*why)[0], HasSubstr("the GPUs' memory cannot be shared: rank 1: "));
  EXPECT_EQ((*why)[1], (*why)[0]);
}

TEST(PeerExchangeGpuTest, FourRanksHaveTheSameBits) {
  if (!ResolveDevice("cuda", 3).ok()) {
    GTEST_SKIP() << "needs 4 CUDA devices";
  }
  const auto weights = RunRanks(4, "weights", "peer");
  const auto shared = RunRanks(4, "weights", "peer, sharded");
  ASSERT_THAT(weights, IsOk());
  EXPECT_THAT(*weights, Each((*weights)[0]));
  EXPECT_EQ(*shared, *weights);
}

// Runs the task with four ranks on two virtual hosts, on at least two GPUs.
absl::StatusOr<std::vector<std::string>> RunOverHosts(const std::string& task, const std::string& payload) {
  const ScopedVariable hosts(kHostOfRankVariable, "0,0,1,1");
  const SharedGpus shared(4);
  return RunRanks(4, task, payload);
}

// The ranks that share an update use the sums that the other form puts in place. So both train to the same bits.
TEST(HierarchicalExchangeGpuTest, AllRanksHaveTheSameBitsWithAndWithoutASharedUpdate) {
  if (!ResolveDevice("cuda", 1).ok()) {
    GTEST_SKIP() << "needs 2 CUDA devices";
  }
  const auto whole = RunOverHosts("weights", "hierarchical");
  const auto shared = RunOverHosts("weights", "hierarchical, sharded");
  ASSERT_THAT(whole, IsOk());
  ASSERT_THAT(shared, IsOk());
  EXPECT_THAT(*whole, Each((*whole)[0]));
  EXPECT_EQ(*shared, *whole);
  EXPECT_EQ((*whole)[0].size(), 256u);
}

TEST(HierarchicalExchangeGpuTest, TimestampsComeInOrder) {
  if (!ResolveDevice("cuda", 1).ok()) {
    GTEST_SKIP() << "needs 2 CUDA devices";
  }
  for (const char* how : {"graphs", "eager", "sharded, graphs", "sharded, eager", "left out", "sharded, left out"}) {
    const auto results = RunOverHosts("timestamps", absl::StrCat("hierarchical, ", how));
    ASSERT_THAT(results, IsOk()) << how;
    EXPECT_THAT(*results, Each("")) << how;
  }
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
