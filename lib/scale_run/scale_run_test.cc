#include "lib/scale_run/scale_run.h"

#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/monotonic_time.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/record/provenance.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/scale_run/point_variants.h"
#include "lib/scale_run/small_scale_run_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::kSmallRunImages;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::ScalePoints;
using ::lockstep::testing::SmallScaleRun;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;

constexpr uint32_t kImages = kSmallRunImages;

class DieAt {
 public:
  explicit DieAt(const char* where) { setenv("LOCKSTEP_TEST_DIE_AT", where, 1); }
  ~DieAt() { unsetenv("LOCKSTEP_TEST_DIE_AT"); }
};

TEST(ScaleRunTest, MeasuresEveryPlannedPoint) {
  const ScaleRunOptions options = SmallScaleRun({1, 2}, 8);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  ASSERT_EQ(points.size(), 4u);
  const proto::ScalePoint& plain = points[0];
  const proto::ScalePoint& one = points[1];
  const proto::ScalePoint& two = points[2];
  const proto::ScalePoint& ablated = points[3];
  EXPECT_EQ(plain.reduction(), proto::PLAIN);
  EXPECT_EQ(one.reduction(), proto::ALL_REDUCE);
  EXPECT_EQ(two.reduction(), proto::ALL_REDUCE);
  EXPECT_EQ(ablated.reduction(), proto::ABLATED);
  for (const proto::ScalePoint& point : points) {
    EXPECT_EQ(point.outcome(), proto::COMPLETED);
    EXPECT_THAT(point.epoch_seconds().value(), AllOf(::testing::SizeIs(1), Each(Gt(0))));
    EXPECT_EQ(point.epoch_size(), 2);
    EXPECT_TRUE(point.epoch(0).warmup());
    EXPECT_EQ(point.rank_size(), static_cast<int>(point.ranks()));
  }

  // The reducer on one rank does not change any bit of the training.
  EXPECT_EQ(plain.epoch(1).mean_loss(), one.epoch(1).mean_loss());

  // Two ranks: the shards are disjoint except for the padding, and each rank saw 21 of the 41 images.
  EXPECT_EQ(two.images_per_epoch(), 42u);
  EXPECT_EQ(two.padded_images(), 1u);
  EXPECT_EQ(two.steps_per_epoch(), 3u);
  EXPECT_NE(two.rank(0).order_sha256(), two.rank(1).order_sha256());
  EXPECT_EQ(two.rank(0).distinct_images() + two.rank(1).distinct_images(), 42u);

  // The ranks have computed a sum.
  EXPECT_TRUE(two.sum_check().passed()) << two.sum_check().DebugString();
  EXPECT_GT(two.sum_check().tolerance(), 0);
  EXPECT_THAT(two.collective_busy_seconds().value(), Each(Gt(0)));
  EXPECT_EQ(two.exposed_seconds().value_size(), 1);
  EXPECT_THAT(two.probe().seconds().value(), AllOf(::testing::SizeIs(20), Each(Gt(0))));

  // All three steps are timed one by one, and the phases of a step are not longer than the step. The clocks are those
  // of one thread, so only roundings are lost.
  EXPECT_EQ(two.step_figures().source(), "timed epochs");
  EXPECT_EQ(two.step_figures().exposed_seconds().count(), 3);
  EXPECT_EQ(two.step_figures().busy_seconds().count(), 3);
  EXPECT_EQ(two.rank(0).last_count() + two.rank(1).last_count(), 3);
  EXPECT_EQ(ablated.step_figures().backward_seconds().count(), 3);
  EXPECT_EQ(ablated.step_figures().busy_seconds().absent_reason(), "the all-reduces are left out");
  EXPECT_FALSE(plain.has_step_figures());
  for (const proto::ScalePoint* point : {&one, &two, &ablated}) {
    EXPECT_FALSE(point->has_step_trace());
    for (const proto::RankFacts& facts : point->rank()) {
      const proto::StepMeans& means = facts.step_means();
      EXPECT_GT(means.forward_seconds(), 0);
      EXPECT_GT(means.backward_seconds(), 0);
      EXPECT_GT(means.update_seconds(), 0);
      EXPECT_LE(means.forward_seconds() + means.backward_seconds() + means.exposed_seconds() + means.update_seconds(),
                means.step_seconds() + 1e-9);
    }
  }
  EXPECT_LE(two.collective_wait_seconds().value(0), two.collective_busy_seconds().value(0));

  // lenet5 without biases, in reverse: 840, 10,080, 48,000 (58,920 floats close the first bucket), then 2,400 and 450.
  ASSERT_EQ(two.bucket_size(), 2);
  EXPECT_EQ(two.bucket(0).size_bytes(), 58920u * 4);
  EXPECT_EQ(two.bucket(1).size_bytes(), 2850u * 4);
  EXPECT_GT(two.bucket(0).mean_done_seconds(), two.bucket(0).mean_ready_seconds());
  EXPECT_GT(two.bucket(1).mean_ready_seconds(), two.bucket(0).mean_ready_seconds());

  // Without all-reduces the hooks still run and fill the buckets, and absent values have a reason.
  ASSERT_EQ(ablated.bucket_size(), 2);
  EXPECT_GT(ablated.bucket(0).mean_ready_seconds(), 0);
  EXPECT_FALSE(ablated.bucket(0).has_mean_done_seconds());
  EXPECT_EQ(ablated.exposed_seconds().absent_reason(), "the all-reduces are left out");
  EXPECT_EQ(plain.exposed_seconds().absent_reason(), "there is no reducer");
  EXPECT_FALSE(one.has_sum_check());  // one rank alone sends nothing
  EXPECT_FALSE(ablated.has_sum_check());
}

uint64_t BytesOf(const proto::ScalePoint& point, const std::string& kind) {
  for (const proto::Traffic& traffic : point.traffic()) {
    if (traffic.kind() == kind) {
      return traffic.size_bytes();
    }
  }
  return 0;
}

constexpr uint64_t kLenet5Bytes = 61770 * 4;

// Rank 0 sends its gradients in each of the two epochs' three steps, and its weights before them.
TEST(ScaleRunTest, CountsWhatIsSentAndComparesWhatWasLearnt) {
  ScaleRunOptions options = SmallScaleRun({1, 2}, 8);
  options.spec.set_evaluate(true);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  ASSERT_EQ(points.size(), 4u);
  const auto& [plain, one, two, ablated] = std::tie(points[0], points[1], points[2], points[3]);
  EXPECT_EQ(plain.traffic_size(), 1);  // traffic of its metrics, to itself
  EXPECT_EQ(BytesOf(two, "gradients"), 2 * 3 * kLenet5Bytes);
  EXPECT_EQ(BytesOf(two, "initial broadcast"), kLenet5Bytes);
  EXPECT_EQ(BytesOf(ablated, "gradients"), 0);
  EXPECT_EQ(plain.weights_sha256(), one.weights_sha256());
  EXPECT_EQ(two.weights_sha256().size(), 64);
  EXPECT_NE(two.weights_sha256(), one.weights_sha256());
  EXPECT_TRUE(ablated.weights_sha256().empty());
  EXPECT_TRUE(two.epoch(1).has_test_accuracy());
  EXPECT_FALSE(two.epoch(0).has_test_accuracy());
  EXPECT_FALSE(ablated.epoch(1).has_test_accuracy());  // an ABLATED point is not a valid training
  EXPECT_EQ(plain.epoch(1).test_accuracy(), one.epoch(1).test_accuracy());
}

// Two modes and two communication dtypes: DataParallel has only one dtype, and all variants share one base case.
TEST(ScaleRunTest, HoldsSeveralWaysToTrainSideBySide) {
  ScaleRunOptions options = SmallScaleRun({1, 2}, 8);
  ASSERT_THAT(SetWords("mode", {"ddp", "dp"}, options.spec), IsOk());
  ASSERT_THAT(SetWords("gradient_compression", {"none", "bf16"}, options.spec), IsOk());
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  std::vector<std::string> names;
  std::set<std::string> keys;
  for (const proto::ScalePoint& point : points) {
    names.push_back(absl::StrCat(proto::ScaleMode_Name(point.mode()), " ", point.gradient_compression(), " ",
                                 point.ranks(), " ", proto::Reduction_Name(point.reduction())));
    keys.insert(PointKey(point));
    EXPECT_FALSE(point.has_training());
  }
  EXPECT_THAT(names, ElementsAre("DDP none 1 PLAIN", "DDP none 1 ALL_REDUCE", "DDP none 2 ALL_REDUCE",
                                 "DDP none 2 ABLATED", "DDP bf16 1 ALL_REDUCE", "DDP bf16 2 ALL_REDUCE",
                                 "DDP bf16 2 ABLATED", "DP none 1 STAR", "DP none 2 STAR"));
  EXPECT_EQ(keys.size(), points.size());
  EXPECT_EQ(2 * BytesOf(points[5], "gradients"), BytesOf(points[2], "gradients"));
  EXPECT_NE(points[5].weights_sha256(), points[2].weights_sha256());
  EXPECT_TRUE(points[8].has_star());
  // In mode DP one process has the whole batch: 41 images in batches of 16, none equal to a batch of the previous
  // epoch.
  EXPECT_EQ(points[8].rank(0).distinct_images_ever(), 41);
}

// 5 of 41 images are held out. Training uses the others, and the accuracy is that over all ranks' shares.
TEST(ScaleRunTest, HeldOutImagesAreNotTrainedOn) {
  ScaleRunOptions options = SmallScaleRun({1, 2}, 8);
  options.spec.set_evaluate(true);
  options.spec.mutable_training()->set_validation_images(5);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  ASSERT_EQ(points.size(), 4u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(points[i].images_per_epoch(), 36);
    EXPECT_FALSE(points[i].epoch(0).has_validation_accuracy());
    ASSERT_TRUE(points[i].epoch(1).has_validation_accuracy());
    const double images = 5 * points[i].epoch(1).validation_accuracy();
    EXPECT_NEAR(images, std::round(images), 1e-9);
  }
  EXPECT_EQ(points[0].epoch(1).validation_accuracy(), points[1].epoch(1).validation_accuracy());
  EXPECT_EQ(points[3].reduction(), proto::ABLATED);
  EXPECT_FALSE(points[3].epoch(1).has_validation_accuracy());
}

// Both counts of correct images are summed over the ranks' shares of the test set.
TEST(ScaleRunTest, TheAccuracyWithMirrorImagesIsOfAllShares) {
  ScaleRunOptions options = SmallScaleRun({1, 2}, 8);
  options.spec.set_evaluate(true);
  options.spec.mutable_training()->set_evaluate_mirrored(true);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  ASSERT_EQ(points.size(), 4u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(points[i].epoch(0).has_mirrored_test_accuracy());
    EXPECT_TRUE(points[i].epoch(1).has_test_accuracy());
    ASSERT_TRUE(points[i].epoch(1).has_mirrored_test_accuracy());
    EXPECT_LE(points[i].epoch(1).mirrored_test_accuracy(), 1);
  }
  EXPECT_EQ(points[0].epoch(1).mirrored_test_accuracy(), points[1].epoch(1).mirrored_test_accuracy());
  EXPECT_EQ(points[3].reduction(), proto::ABLATED);
  EXPECT_FALSE(points[3].epoch(1).has_mirrored_test_accuracy());
}

TEST(ScaleRunTest, RefusesToHoldOutMoreThanLeavesABatch) {
  ScaleRunOptions options = SmallScaleRun({1, 2}, 8);
  options.spec.set_evaluate(true);
  options.spec.mutable_training()->set_validation_images(26);
  EXPECT_THAT(RunScaleRun(options),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--validation_images=26 leaves 15 of 41 training images, expected a batch of 16")));
  options.spec.set_evaluate(false);
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--noevaluate")));
}

// A tenth of 41, unless the options set another number; LeNet-5 has no batch norm.
TEST(ScaleRunTest, LargeBatchesHoldOutATenth) {
  ScaleRunOptions options = SmallScaleRun({2}, 8);
  options.spec.add_batch_size(16);
  options.spec.set_experiment(proto::LARGE_BATCH);
  options.spec.set_seeds(1);
  options.spec.set_evaluate(true);
  options.default_validation = true;
  options.rows = {"8"};
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const auto file = ReadRecordFile<proto::ScaleFile>(options.output);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->records[0].spec().training().validation_images(), 4);
  EXPECT_EQ(file->records[0].spec().model().training_images(), 37);
  EXPECT_TRUE(ScalePoints(options.output)[0].epoch(1).has_validation_accuracy());

  options.output = TempPath("without.rec");
  options.default_validation = false;
  ASSERT_THAT(RunScaleRun(options), IsOk());
  EXPECT_FALSE(ScalePoints(options.output)[0].epoch(1).has_validation_accuracy());

  options.rows = {"16, zero gamma"};
  EXPECT_THAT(RunScaleRun(options),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--rows names '16, zero gamma', which is left out: lenet5 has no batch norm")));
}

// A variant that is refused alone is an error if it is the only one, or if all variants are refused.
TEST(ScaleRunTest, RefusesWaysToTrainThatCannotBe) {
  ScaleRunOptions options = SmallScaleRun({2}, 8);
  ASSERT_THAT(SetWords("mode", {"dp"}, options.spec), IsOk());
  ASSERT_THAT(SetWords("gradient_compression", {"bf16"}, options.spec), IsOk());
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--mode=dp has one set")));
  ASSERT_THAT(SetWords("reducer", {"own", "c10d"}, options.spec), IsOk());
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--mode=dp has one set")));
  options = SmallScaleRun({2}, 8);
  ASSERT_THAT(SetWords("preset", {"lab", "faster"}, options.spec), IsOk());
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("faster")));
  options = SmallScaleRun({2}, 8);
  ASSERT_THAT(SetWords("reducer", {"own", "auto"}, options.spec), IsOk());
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument,
                                             HasSubstr("--reducer=own,auto: auto chooses one of the others")));
  options = SmallScaleRun({2}, 8);
  options.spec.set_experiment(proto::SAMPLER_EPOCH);
  options.spec.set_seeds(1);
  ASSERT_THAT(SetWords("buffers", {"local", "broadcast"}, options.spec), IsOk());
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("give --buffers one word")));
}

// A batch in three micro-batches sends as much as an undivided batch.
TEST(ScaleRunTest, AccumulatedGradientsAreSentOnceAStep) {
  ScaleRunOptions options = SmallScaleRun({2}, 9);
  options.spec.mutable_training()->set_accumulate(3);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(BytesOf(points[0], "gradients"), 2 * 3 * kLenet5Bytes);
  EXPECT_EQ(points[0].batch_norm_images(), 3);
}

// LibTorch's reducer, over the same communicator, yields the same bits as ours.
TEST(ScaleRunTest, LibTorchsReducerTrainsAsOurs) {
  ScaleRunOptions options = SmallScaleRun({2}, 8);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::string ours = ScalePoints(options.output)[0].weights_sha256();
  options.spec.set_reducer("c10d");
  options.output = TempPath("c10d.rec");
  ASSERT_THAT(RunScaleRun(options), IsOk());
  EXPECT_EQ(ScalePoints(options.output)[0].weights_sha256(), ours);
  const proto::ScalePoint theirs = ScalePoints(options.output)[0];
  EXPECT_EQ(theirs.reducer(), "c10d");
  EXPECT_EQ(BytesOf(theirs, "gradients"), 2 * 3 * kLenet5Bytes);
  EXPECT_EQ(BytesOf(theirs, "batch-norm buffers"), 0);
}

TEST(ScaleRunTest, Bf16CommunicationSendsHalfTheBytes) {
  ScaleRunOptions options = SmallScaleRun({2}, 8);
  options.spec.set_gradient_compression("bf16");
  options.spec.set_bucket_plan("auto");
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const proto::ScalePoint point = ScalePoints(options.output)[0];
  EXPECT_EQ(BytesOf(point, "gradients"), 2 * 3 * kLenet5Bytes / 2);
  EXPECT_TRUE(point.sum_check().passed()) << point.sum_check().DebugString();
}

// The output of the first convolution for 6,000 images takes 1.6 GB.
TEST(ScaleRunTest, APointThatRunsOutOfMemoryIsAnOutcomeAndTheRunGoesOn) {
  ScaleRunOptions options = SmallScaleRun({1}, 6000, 6000);
  options.spec.mutable_training()->set_model("resnet18");
  options.spec.mutable_training()->set_augment(false);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  const rlimit limit = {rlim_t{1'500} << 20, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &limit), 0);
  const absl::Status status = RunScaleRun(options);
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
  ASSERT_THAT(status, IsOk());
  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  ASSERT_EQ(points.size(), 2u);
  for (const proto::ScalePoint& point : points) {
    EXPECT_EQ(point.outcome(), proto::OUT_OF_MEMORY);
    EXPECT_THAT(point.detail(), HasSubstr("rank 0 of 1: "));
    EXPECT_EQ(point.epoch_seconds().value_size(), 0);
  }
}

TEST(ScaleRunTest, DataParallelTrainsAsOneDevice) {
  ScaleRunOptions options = SmallScaleRun({1, 2}, 8);
  options.spec.set_mode(proto::DP);
  options.spec.set_evaluate(true);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  ASSERT_EQ(points.size(), 3u);
  const auto& [plain, one, two] = std::tie(points[0], points[1], points[2]);
  EXPECT_EQ(plain.reduction(), proto::PLAIN);
  EXPECT_EQ(one.reduction(), proto::STAR);
  EXPECT_EQ(plain.weights_sha256(), one.weights_sha256());  // one device runs the module itself
  EXPECT_EQ(two.ranks(), 2);
  EXPECT_EQ(two.global_batch(), 16);
  EXPECT_EQ(two.steps_per_epoch(), 3);
  EXPECT_EQ(two.images_per_epoch(), kImages);
  EXPECT_EQ(two.padded_images(), 0);
  EXPECT_EQ(two.rank_size(), 1);
  EXPECT_THAT(two.star().forward_seconds().value(), AllOf(::testing::SizeIs(1), Each(Gt(0))));
  EXPECT_EQ(BytesOf(two, "gradients"), 2 * 3 * kLenet5Bytes);  // sent by device 1 to device 0
  EXPECT_EQ(BytesOf(two, "parameters and buffers"), 2 * 3 * kLenet5Bytes);
  EXPECT_EQ(BytesOf(two, "images"), 2 * (8 + 8 + 4) * 3072 * 4);
  EXPECT_EQ(two.exposed_seconds().absent_reason(), "DataParallel has no all-reduce");
  EXPECT_TRUE(two.epoch(1).has_test_accuracy());
}

TEST(ScaleRunTest, ASecondRunIsCached) {
  const ScaleRunOptions options = SmallScaleRun({1}, 20);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::string before = ReadFile(options.output);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  EXPECT_EQ(ReadFile(options.output), before);
}

// On the CPU there is only one choice. The record contains the reducer that ran, and is found in the cache by the
// requested word.
TEST(ScaleRunTest, AutoIsOwnOnACpuAndCachedAsAuto) {
  ScaleRunOptions options = SmallScaleRun({1, 2}, 20);
  options.spec.set_reducer("auto");
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const auto file = ReadRecordFile<proto::ScaleFile>(options.output);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->records[0].spec().reducer(), "own");
  for (const proto::ScalePoint& point : ScalePoints(options.output)) {
    EXPECT_EQ(point.reducer(), "own");
    EXPECT_EQ(point.reducer_reason(), "");
  }
  const std::string before = ReadFile(options.output);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  EXPECT_EQ(ReadFile(options.output), before);
}

proto::ScaleSpec SpecOf(const std::string& path) {
  const auto file = ReadRecordFile<proto::ScaleFile>(path);
  EXPECT_THAT(file, IsOk());
  return file->records.at(0).spec();
}

// The sum over two ranks is one addition in every implementation.
TEST(ScaleRunTest, RanksOfOneHostUseSharedMemoryByDefault) {
  ScaleRunOptions options = SmallScaleRun({2}, 20);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  EXPECT_EQ(SpecOf(options.output).backend(), proto::SHARED_MEMORY);
  const std::string weights = ScalePoints(options.output)[0].weights_sha256();
  EXPECT_EQ(weights.size(), 64u);
  options.output = TempPath("gloo.rec");
  options.spec.set_backend(proto::GLOO);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  EXPECT_EQ(SpecOf(options.output).backend(), proto::GLOO);
  EXPECT_EQ(ScalePoints(options.output)[0].weights_sha256(), weights);
  options.spec.set_backend(proto::NCCL);
  EXPECT_THAT(RunScaleRun(options),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--backend=nccl: ranks on CPUs communicate over shared_memory or gloo")));
}

// Points use the first ranks: two of one virtual host, three of hosts with unequal numbers, and two of each host.
TEST(ScaleRunTest, RanksOfVirtualHostsShareMemoryWithinHosts) {
  const ScaleRunOptions options = SmallScaleRun({2, 3, 4}, 8);
  setenv("LOCKSTEP_HOST_OF_RANK", "0,0,1,1", /*overwrite=*/1);
  const absl::Status status = RunScaleRun(options);
  unsetenv("LOCKSTEP_HOST_OF_RANK");
  ASSERT_THAT(status, IsOk());
  const auto file = ReadRecordFile<proto::ScaleFile>(options.output);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->header.environment().at("LOCKSTEP_HOST_OF_RANK"), "0,0,1,1");
  const proto::ScaleSpec& spec = file->records.at(0).spec();
  EXPECT_EQ(spec.backend(), proto::HIERARCHICAL);
  EXPECT_EQ(spec.backend_reason(), "");
  EXPECT_THAT(spec.virtual_host(), ElementsAre(0, 0, 1, 1));
  for (const proto::ScalePoint& point : ScalePoints(options.output)) {
    const uint32_t ranks = point.ranks();
    EXPECT_EQ(point.communicator(), ranks == 2 ? "shared_memory" : ranks == 3 ? "gloo" : "hierarchical") << ranks;
    EXPECT_EQ(
        point.communicator_reason(),
        ranks == 3 ? "shared memory within hosts needs equally many ranks on each, found 2 hosts of 1 to 2 ranks" : "")
        << ranks;
    if (point.reduction() == proto::ALL_REDUCE) {
      EXPECT_TRUE(point.sum_check().passed()) << point.sum_check().DebugString();
    }
  }
}

TEST(ScaleRunTest, UnequalVirtualHostsFallBackToGlooWithAReason) {
  ScaleRunOptions options = SmallScaleRun({3}, 8);
  setenv("LOCKSTEP_HOST_OF_RANK", "0,0,1", /*overwrite=*/1);
  const absl::Status status = RunScaleRun(options);
  const std::string first = options.output;
  options.output = TempPath("hierarchical.rec");
  options.spec.set_backend(proto::HIERARCHICAL);
  const absl::Status named = RunScaleRun(options);
  setenv("LOCKSTEP_HOST_OF_RANK", "0,1", /*overwrite=*/1);
  const absl::Status too_few = RunScaleRun(options);
  unsetenv("LOCKSTEP_HOST_OF_RANK");
  ASSERT_THAT(status, IsOk());
  const proto::ScaleSpec spec = SpecOf(first);
  EXPECT_EQ(spec.backend(), proto::GLOO);
  EXPECT_THAT(spec.backend_reason(), HasSubstr("found 2 hosts of 1 to 2 ranks"));
  EXPECT_THAT(named, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--backend=hierarchical: these ranks")));
  EXPECT_THAT(too_few, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("has 2 numbers, expected one for each of "
                                                                              "3 ranks")));
}

// --reducer=hierarchical is checked against the hosts of every point, then against the step.
TEST(ScaleRunTest, TheHierarchicalReducerNeedsEqualHostsAndTheFusedStep) {
  ScaleRunOptions options = SmallScaleRun({2, 3}, 8);
  options.spec.set_reducer("hierarchical");
  setenv("LOCKSTEP_HOST_OF_RANK", "0,0,1", /*overwrite=*/1);
  const absl::Status unequal = RunScaleRun(options);
  unsetenv("LOCKSTEP_HOST_OF_RANK");
  EXPECT_THAT(unequal, StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("--ranks=3: --reducer=hierarchical needs equally many ranks on each host")));
  EXPECT_THAT(RunScaleRun(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--reducer=hierarchical needs the fused step")));
}

TEST(ScaleRunTest, TheDataSetMayComeFromStandardInput) {
  ScaleRunOptions options = SmallScaleRun({2}, 20);
  ASSERT_NE(std::freopen(options.input.c_str(), "rb", stdin), nullptr);
  options.input = "-";
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const auto file = ReadRecordFile<proto::ScaleFile>(options.output);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->header.input(0).path(), "-");
  EXPECT_EQ(file->records.size(), 3u);  // the spec and two points
}

TEST(ScaleRunTest, BatchNormsBuffersTravelToo) {
  ScaleRunOptions options = SmallScaleRun({2}, 4, /*images=*/9);
  options.spec.mutable_training()->set_model("resnet18");
  options.spec.mutable_training()->set_drop_last(true);
  options.spec.set_buffers("broadcast");
  options.spec.set_overlap(false);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_TRUE(points[0].sum_check().passed()) << points[0].sum_check().DebugString();
  EXPECT_EQ(points[0].images_per_epoch(), 8u);
  EXPECT_EQ(points[0].padded_images(), 0u);
  EXPECT_GT(points[0].exposed_seconds().value(0), 0);  // all-reduces after backward cannot overlap it
}

TEST(ScaleRunTest, ARankThatDiesAtTheStartIsNamedAndNothingIsLeft) {
  const DieAt die("1:0");
  const ScaleRunOptions options = SmallScaleRun({2}, 8);
  EXPECT_THAT(RunScaleRun(options),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 was killed by signal 9")));
  EXPECT_FALSE(FileExists(options.output));
  EXPECT_FALSE(FileExists(options.output + ".part"));
}

TEST(ScaleRunTest, AfterARankDiedInTheMiddleTheSameCommandGoesOn) {
  ScaleRunOptions options = SmallScaleRun({1, 2}, 8);
  options.spec.set_reducer("auto");  // planned anew; the earlier points must be found
  const MonotonicTime start = MonotonicTime::Now();
  {
    const DieAt die("1:3");
    EXPECT_THAT(RunScaleRun(options),
                StatusIs(absl::StatusCode::kUnavailable,
                         AllOf(HasSubstr("2 ranks, batch 8"), HasSubstr("rank 1 of 2 was killed"))));
  }
  EXPECT_LT(MonotonicTime::Now() - start, absl::Seconds(55));  // at once, not after the timeout of 60 s
  EXPECT_FALSE(FileExists(options.output));
  const std::vector<proto::ScalePoint> kept = ScalePoints(options.output + ".part", ReadMode::kSalvage);
  ASSERT_EQ(kept.size(), 2u);

  ASSERT_THAT(RunScaleRun(options), IsOk());
  const std::vector<proto::ScalePoint> points = ScalePoints(options.output);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].SerializeAsString(), kept[0].SerializeAsString());  // same times: not measured again
  EXPECT_EQ(points[1].SerializeAsString(), kept[1].SerializeAsString());
  EXPECT_FALSE(FileExists(options.output + ".part"));
}

TEST(ScaleRunTest, RefusesWhatCannotBe) {
  const ScaleRunOptions good = SmallScaleRun({1, 2}, 8);
  ScaleRunOptions options = SmallScaleRun({2}, 22);
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument,
                                             HasSubstr("22 per device is larger than a rank's share of 21")));
  options = good;
  options.spec.clear_batch_mode();
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("batch mode is not set")));
  options = good;
  options.spec.set_buffers("none");
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--buffers=none")));
  options = good;
  options.spec.mutable_training()->set_model("resnet99");
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("resnet99")));
  options = good;
  options.spec.mutable_training()->set_repeats(0);
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--epochs=1")));
  options = good;
  options.input = "/no/such.rec";
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such.rec")));
}

std::string WriteCommModel(const char* name, const proto::CommModelRecord& record) {
  HeaderOptions header;
  header.schema = proto::CommModelFile::descriptor()->full_name();
  const std::string path = TempPath(name);
  EXPECT_THAT(WriteRecordFile(path, MakeHeader(header), std::vector<proto::CommModelRecord>{record}), IsOk());
  return path;
}

TEST(ScaleRunTest, APredictionsDigestIsKept) {
  ScaleRunOptions options = SmallScaleRun({1}, 8);
  proto::CommModelRecord record;
  record.mutable_prediction()->set_ranks(1);
  record.mutable_prediction()->set_batch_per_device(8);
  options.prediction = WriteCommModel("prediction.rec", record);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const auto prediction = ReadRecordFile<proto::CommModelFile>(options.prediction);
  const auto run = ReadRecordFile<proto::ScaleFile>(options.output);
  ASSERT_THAT(run, IsOk());
  ASSERT_EQ(run->header.input_size(), 2);
  EXPECT_EQ(run->header.input(1).sha256(), prediction->input.sha256());
}

TEST(ScaleRunTest, AnswersOfWhatIfArePredictions) {
  ScaleRunOptions options = SmallScaleRun({1}, 8);
  proto::CommModelRecord record;
  record.mutable_what_if()->set_devices(1);
  record.mutable_what_if()->set_batch_per_device(8);
  options.prediction = WriteCommModel("what_if.rec", record);
  ASSERT_THAT(RunScaleRun(options), IsOk());
  const auto prediction = ReadRecordFile<proto::CommModelFile>(options.prediction);
  const auto run = ReadRecordFile<proto::ScaleFile>(options.output);
  ASSERT_THAT(run, IsOk());
  ASSERT_EQ(run->header.input_size(), 2);
  EXPECT_EQ(run->header.input(1).sha256(), prediction->input.sha256());
}

TEST(ScaleRunTest, ARecordWithoutPredictionsIsRefused) {
  ScaleRunOptions options = SmallScaleRun({1}, 8);
  proto::CommModelRecord record;
  record.mutable_spec()->set_parameter_count(1);
  options.prediction = WriteCommModel("explanation.rec", record);
  EXPECT_THAT(RunScaleRun(options), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--predict_ranks")));
  EXPECT_FALSE(FileExists(options.output));
}

TEST(ScaleRunTest, ADryRunWritesNothing) {
  ScaleRunOptions options = SmallScaleRun({1, 2}, 8);
  options.dry_run = true;
  EXPECT_THAT(RunScaleRun(options), IsOk());
  EXPECT_FALSE(FileExists(options.output));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::ScaleRunTasks()); }
