// Tests scaling runs on two GPUs: LibTorch's step captured as a CUDA graph with its all-reduces, and the choice of
// --reducer=auto; skipped without two GPUs.
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/monotonic_time.h"
#include "lib/communicator/nccl_environment.h"
#include "lib/device/device.h"
#include "lib/device/nvidia_driver.h"
#include "lib/device/shared_gpus_testing.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/launch/virtual_hosts.h"
#include "lib/scale_run/point_variants.h"
#include "lib/scale_run/scale_run.h"
#include "lib/scale_run/small_scale_run_testing.h"
#include "lib/testing/matchers.h"
#include "lib/testing/scoped_variable.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ScalePoints;
using ::lockstep::testing::ScopedVariable;
using ::lockstep::testing::SharedGpus;
using ::lockstep::testing::SmallScaleRun;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Each rank has 21 images: two batches of 8 and a tail of 5, with one graph per size.
constexpr uint32_t kBatch = 8;

class ScaleGraphGpuTest : public ::testing::Test {
 protected:
  void SetUp() override { SkipWithout(2); }

  static void SkipWithout(int gpus) {
    if (!ResolveDevice("cuda", gpus - 1).ok()) {
      GTEST_SKIP() << "needs " << gpus << " CUDA devices";
    }
  }

  // The rate is 1/16, which is exact in fp32, in which a graph reads it.
  ScaleRunOptions Options(const std::string& model) const {
    ScaleRunOptions options = SmallScaleRun({2}, kBatch);
    options.device = "cuda";
    proto::TrainingSpec& training = *options.spec.mutable_training();
    training.set_model(model);
    training.set_learning_rate(0.0625);
    training.set_weight_decay(5e-4);
    training.set_deterministic(true);
    training.set_repeats(2);
    return options;
  }

  static std::vector<proto::ScalePoint> Run(ScaleRunOptions options, bool graph) {
    options.output = TempPath(graph ? "graph.rec" : "eager.rec");
    options.force = true;
    options.spec.mutable_training()->set_cuda_graph(graph);
    EXPECT_THAT(RunScaleRun(options), IsOk());
    return ScalePoints(options.output);
  }

  // Compares graphs with eager steps, with all-reduces and without them.
  static void ExpectAGraphChangesNoBit(const ScaleRunOptions& options) {
    const std::vector<proto::ScalePoint> eager = Run(options, false);
    const std::vector<proto::ScalePoint> graph = Run(options, true);
    ASSERT_EQ(eager.size(), 2u);
    ASSERT_EQ(graph.size(), 2u);
    EXPECT_EQ(graph[0].weights_sha256(), eager[0].weights_sha256());
    EXPECT_EQ(graph[0].weights_sha256().size(), 64u);
    for (size_t point = 0; point < 2; ++point) {
      ASSERT_EQ(graph[point].epoch_size(), 3);
      for (int epoch = 0; epoch < 3; ++epoch) {  // same sum in fp64, perhaps fused
        const double expected = eager[point].epoch(epoch).mean_loss();
        EXPECT_NEAR(graph[point].epoch(epoch).mean_loss(), expected, 1e-12 * expected) << point << ", " << epoch;
      }
    }
    ExpectWhatIsSaidOfAGraph(graph[0], eager[0]);
  }

  // The sum was checked before the capture, and each replay counts the bytes that it sends.
  static void ExpectWhatIsSaidOfAGraph(const proto::ScalePoint& graph, const proto::ScalePoint& eager) {
    EXPECT_TRUE(graph.sum_check().passed()) << graph.sum_check().DebugString();
    EXPECT_EQ(graph.exposed_seconds().absent_reason(), "timestamps in a replayed CUDA graph cannot be read");
    EXPECT_EQ(graph.collective_busy_seconds().value_size(), 0);
    EXPECT_EQ(graph.epoch_seconds().value_size(), 2);
    EXPECT_EQ(SentBytes(graph), SentBytes(eager));
    EXPECT_GT(SentBytes(graph), 0u);
  }

  static uint64_t SentBytes(const proto::ScalePoint& point) {
    for (const proto::Traffic& traffic : point.traffic()) {
      if (traffic.kind() == "gradients") {
        return traffic.size_bytes();
      }
    }
    return 0;
  }
};

TEST_F(ScaleGraphGpuTest, TwoRanksReplayWhatTheyStepLeNet5) { ExpectAGraphChangesNoBit(Options("lenet5")); }

TEST_F(ScaleGraphGpuTest, TwoRanksReplayWhatTheyStepResNet18) { ExpectAGraphChangesNoBit(Options("resnet18")); }

TEST_F(ScaleGraphGpuTest, InBf16AndChannelsLastWithBf16CommunicationWithoutOverlap) {
  ScaleRunOptions options = Options("resnet18");
  options.spec.mutable_training()->set_precision(proto::BF16);
  options.spec.mutable_training()->set_channels_last(true);
  options.spec.set_gradient_compression("bf16");
  options.spec.set_overlap(false);
  ExpectAGraphChangesNoBit(options);
}

// The plan by time is made before the capture. The division into buckets does not change the sum of two numbers.
TEST_F(ScaleGraphGpuTest, WithBucketsByTime) {
  ScaleRunOptions options = Options("resnet18");
  options.spec.set_bucket_plan("auto");
  ExpectAGraphChangesNoBit(options);
}

// The fused step, in batches of 32, 32 and 16 per rank.
TEST_F(ScaleGraphGpuTest, AutoIsASharedUpdateWhereGpusShareMemory) {
  if (const absl::Status shared = CheckGpusShareMemory(2); !shared.ok() || NcclPeersAreOff()) {
    GTEST_SKIP() << "GPUs that share their memory: " << shared;
  }
  ScaleRunOptions options = Options("resnet18");
  const ScaleRunOptions larger = SmallScaleRun({1, 2}, 32, 160);  // larger data set, written over the other
  *options.spec.mutable_ranks() = larger.spec.ranks();
  *options.spec.mutable_batch_size() = larger.spec.batch_size();
  options.spec.set_preset("fast");
  options.spec.set_reducer("peer_sharded");
  options.output = TempPath("named.rec");
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> named = ScalePoints(options.output);
  options.spec.set_reducer("auto");
  options.output = TempPath("auto.rec");
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> chosen = ScalePoints(options.output);
  ASSERT_EQ(named.size(), 4u);
  ASSERT_EQ(chosen.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(chosen[i].reducer(), "peer_sharded") << i;
    EXPECT_EQ(chosen[i].reducer_reason(), "") << i;
    EXPECT_EQ(PointKey(chosen[i]), PointKey(named[i])) << i;
    EXPECT_EQ(chosen[i].weights_sha256(), named[i].weights_sha256()) << i;
    EXPECT_EQ(SentBytes(chosen[i]), SentBytes(named[i])) << i;
  }
  EXPECT_GT(SentBytes(chosen[2]), 0u);
}

// Runs with two virtual hosts of two ranks each. On fewer than four GPUs two ranks share each of two GPUs.
absl::Status RunOverHosts(const ScaleRunOptions& options) {
  const ScopedVariable hosts(kHostOfRankVariable, "0,0,1,1");
  const SharedGpus shared(4);
  return RunScaleRun(options);
}

// One rank, one host and two hosts; with a shared update, with gradient norms and with micro-batches. A run fails if
// the ranks' weights differ or a sum is wrong.
TEST_F(ScaleGraphGpuTest, TheHierarchicalReducerTrainsOnOneAndTwoHosts) {
  for (const char* how : {"shared", "clipped", "accumulated"}) {
    ScaleRunOptions options = Options("resnet18");
    const ScaleRunOptions larger = SmallScaleRun({1, 2, 4}, 32, 320);
    *options.spec.mutable_ranks() = larger.spec.ranks();
    *options.spec.mutable_batch_size() = larger.spec.batch_size();
    options.spec.set_preset("fast");
    options.spec.set_reducer("hierarchical");
    options.spec.mutable_training()->set_clip_norm(how == std::string("clipped") ? 1 : 0);
    options.spec.mutable_training()->set_accumulate(how == std::string("accumulated") ? 2 : 1);
    options.output = TempPath("hierarchical.rec");
    options.force = true;
    ASSERT_THAT(RunOverHosts(options), IsOk()) << how;
    const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
    ASSERT_EQ(points.size(), 6u);
    for (const proto::ScalePoint& point : points) {
      EXPECT_EQ(point.outcome(), proto::COMPLETED) << how;
      EXPECT_EQ(point.reducer(), "hierarchical") << how;
      EXPECT_EQ(point.reducer_reason(), "") << how;
    }
    EXPECT_EQ(points[4].weights_sha256().size(), 64u) << how;
    EXPECT_GT(SentBytes(points[4]), 0u) << how;
    EXPECT_EQ(SentBytes(points[5]), 0u) << how;
  }
}

// If four ranks have GPUs of their own, auto takes it for them, and the shared update for the two ranks of one host.
TEST_F(ScaleGraphGpuTest, AutoIsHierarchicalOnTwoHosts) {
  if (const absl::Status shared = CheckGpusShareMemory(4); !shared.ok() || NcclPeersAreOff()) {
    GTEST_SKIP() << "4 GPUs that share their memory: " << shared;
  }
  ScaleRunOptions options = Options("resnet18");
  const ScaleRunOptions larger = SmallScaleRun({2, 4}, 32, 320);
  *options.spec.mutable_ranks() = larger.spec.ranks();
  *options.spec.mutable_batch_size() = larger.spec.batch_size();
  options.spec.set_preset("fast");
  options.spec.set_reducer("auto");
  options.output = TempPath("auto.rec");
  ASSERT_THAT(RunOverHosts(options), IsOk());
  for (const proto::ScalePoint& point : ScalePoints(options.output)) {
    EXPECT_EQ(point.reducer(), point.ranks() == 2 ? "peer_sharded" : "hierarchical");
    EXPECT_EQ(point.reducer_reason(), "");
  }
}

class ScaleGraphOneGpuTest : public ScaleGraphGpuTest {
 protected:
  void SetUp() override { SkipWithout(1); }
};

TEST_F(ScaleGraphOneGpuTest, OneRankReplaysWithAndWithoutItsReducer) {
  ScaleRunOptions options = Options("lenet5");
  options.spec.clear_ranks();
  options.spec.add_ranks(1);
  const std::vector<proto::ScalePoint> points = Run(options, true);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].weights_sha256(), points[1].weights_sha256());
}

// A rank that dies during the replays is detected and named. At most six steps run before a capture, so the eighth step
// is a replay, in the third epoch.
TEST_F(ScaleGraphGpuTest, ARankThatDiesBetweenReplaysIsNamed) {
  ScaleRunOptions options = Options("lenet5");
  options.spec.mutable_training()->set_cuda_graph(true);
  options.spec.set_timeout_seconds(20);
  setenv("LOCKSTEP_TEST_DIE_AT", "1:8", 1);
  const MonotonicTime start = MonotonicTime::Now();
  const absl::Status status = RunScaleRun(options);
  unsetenv("LOCKSTEP_TEST_DIE_AT");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable,
                               AllOf(HasSubstr("2 ranks, batch 8"), HasSubstr("rank 1 of 2 was killed"))));
  EXPECT_LT(MonotonicTime::Now() - start, absl::Minutes(2));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::ScaleRunTasks()); }
