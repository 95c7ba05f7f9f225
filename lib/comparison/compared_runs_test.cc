#include "lib/comparison/compared_runs.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallLab;
using ::lockstep::testing::SmallScale;
using ::lockstep::testing::SmallSweep;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the small lab's sweep (batch 32: 4 s an epoch, batch 128: 2 s) with all times multiplied.
LabSweep Sweep(const std::string& name, double factor, proto::Precision precision = proto::FP32) {
  LabSweep sweep = SmallSweep();
  sweep.input.set_path(name);
  sweep.header.mutable_device(0)->set_uuid_sha256("a GPU");
  sweep.spec.mutable_training()->set_precision(precision);
  for (proto::SweepPoint& point : sweep.points) {
    for (double& value : *point.mutable_epoch_seconds()->mutable_value()) {
      value *= factor;
    }
  }
  return sweep;
}

TEST(ComparedRunsTest, OneRecordOfAKindIsNotCompared) {
  EXPECT_THAT(CompareLabRuns(SmallLab()), IsEmpty());
  EXPECT_THAT(CompareLabRuns({}), IsEmpty());
}

TEST(ComparedRunsTest, RecordsOfDifferentWorkAreNotCompared) {
  LabRecords lab;
  lab.sweeps = {Sweep("a.rec", 1), Sweep("b.rec", 1)};
  lab.sweeps[1].spec.mutable_training()->set_model("lenet5");
  EXPECT_THAT(CompareLabRuns(lab), IsEmpty());
}

TEST(ComparedRunsTest, EachPointHasTheFastestFirstAndTheSettingsThatDiffer) {
  LabRecords lab;
  lab.sweeps = {Sweep("slow.rec", 13), Sweep("fast.rec", 1, proto::BF16)};
  const std::vector<ComparedWork> works = CompareLabRuns(lab);
  ASSERT_EQ(works.size(), 1u);
  ASSERT_EQ(works[0].places.size(), 2u);
  EXPECT_EQ(works[0].places[0].name, "batch 32");
  const std::vector<ComparedEntry>& entries = works[0].places[1].entries;  // batch 128
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].records, "fast.rec");
  EXPECT_EQ(entries[0].settings, "bf16");
  EXPECT_NEAR(entries[0].seconds, 2, 1e-9);
  EXPECT_EQ(entries[0].comparison.ratio, 1);
  EXPECT_EQ(entries[1].settings, "fp32 by autograd");
  EXPECT_NEAR(entries[1].comparison.ratio, 13, 1e-9);
  EXPECT_THAT(works[0].settings, ElementsAre("fp32 by autograd", "bf16"));
}

TEST(ComparedRunsTest, Fp32IsNamed) {
  LabRecords lab;
  lab.sweeps = {Sweep("fp32.rec", 13), Sweep("bf16.rec", 1, proto::BF16)};
  for (LabSweep& sweep : lab.sweeps) {
    sweep.spec.mutable_training()->set_step(proto::FUSED);
  }
  EXPECT_THAT(CompareLabRuns(lab)[0].settings, ElementsAre("fp32, fused step", "bf16, fused step"));
}

TEST(ComparedRunsTest, EachSettingOfTheCommunicationMakesAnotherRun) {
  const auto settings = [](void (*change)(proto::ScaleSpec&)) {
    LabRecords lab;
    lab.scales = {SmallScale(), SmallScale()};
    lab.scales[1].input.set_path("other.rec");
    change(lab.scales[1].spec);
    return CompareLabRuns(lab).at(0).settings;
  };
  EXPECT_THAT(settings([](proto::ScaleSpec& spec) { spec.set_backend(proto::SHARED_MEMORY); }),
              ElementsAre("backend=nccl", "backend=shared_memory"));
  EXPECT_THAT(settings([](proto::ScaleSpec& spec) { spec.set_bucket_bytes(77); }),
              ElementsAre("bucket_bytes=26214400", "bucket_bytes=77"));
  EXPECT_THAT(settings([](proto::ScaleSpec& spec) { spec.set_first_bucket_bytes(77); }),
              ElementsAre("first_bucket_bytes=1048576", "first_bucket_bytes=77"));
}

TEST(ComparedRunsTest, SettingsOfTheTrainingHaveTheValuesOfTheirFlags) {
  const auto settings = [](void (*change)(proto::TrainingSpec&)) {
    LabRecords lab;
    lab.sweeps = {Sweep("a.rec", 1), Sweep("b.rec", 1)};
    change(*lab.sweeps[1].spec.mutable_training());
    return CompareLabRuns(lab).at(0).settings;
  };
  EXPECT_THAT(settings([](proto::TrainingSpec& training) { training.set_optimizer(proto::ADAMW); }),
              ElementsAre("optimizer=unset", "optimizer=adamw"));
  EXPECT_THAT(settings([](proto::TrainingSpec& training) { training.add_lr_milestones(60); }),
              ElementsAre("lr_milestones=none", "lr_milestones=60"));
  EXPECT_THAT(settings([](proto::TrainingSpec& training) { training.set_zero_gamma(true); }),
              ElementsAre("", "zero_gamma"));
}

TEST(ComparedRunsTest, SettingsWithoutEffectOnATimeAreOneRun) {
  LabRecords lab;
  lab.sweeps = {Sweep("a.rec", 1), Sweep("b.rec", 1)};
  lab.sweeps[1].spec.mutable_training()->set_seed(7);
  lab.sweeps[1].spec.mutable_training()->set_evaluate_mirrored(true);
  EXPECT_THAT(CompareLabRuns(lab).at(0).settings, ElementsAre(""));
}

// report --compare calls them two versions (version.h).
TEST(ComparedRunsTest, RunsOfAnotherEnvironmentAreAnotherEntry) {
  LabRecords lab;
  lab.sweeps = {Sweep("before.rec", 1), Sweep("after.rec", 2)};
  (*lab.sweeps[1].header.mutable_environment())["ATEN_CPU_CAPABILITY"] = "default";
  const std::vector<ComparedWork> works = CompareLabRuns(lab);
  ASSERT_EQ(works.size(), 1u);
  EXPECT_THAT(works[0].settings, ElementsAre("no environment variables", "environment ATEN_CPU_CAPABILITY=default"));
  EXPECT_EQ(works[0].places[0].entries.size(), 2u);
}

TEST(ComparedRunsTest, RunsOfAnotherCommitOrLibraryAreAnotherEntry) {
  LabRecords lab;
  lab.sweeps = {Sweep("a.rec", 1), Sweep("b.rec", 1), Sweep("c.rec", 1)};
  lab.sweeps[1].header.mutable_build()->set_git_commit("1a2b3c4d5e6f");
  lab.sweeps[2].header.mutable_libraries()->set_libtorch("9.9");
  EXPECT_EQ(CompareLabRuns(lab).at(0).settings.size(), 3u);
}

// Even 13 times is no verdict: see lib/comparison.
TEST(ComparedRunsTest, TwoSingleRunsAreInconclusive) {
  LabRecords lab;
  lab.sweeps = {Sweep("slow.rec", 13), Sweep("fast.rec", 1, proto::BF16)};
  const ComparedEntry slow = CompareLabRuns(lab)[0].places[0].entries[1];
  EXPECT_EQ(slow.comparison.verdict, TimeVerdict::kInconclusive);
  EXPECT_EQ(slow.runs_needed, 2u);
}

TEST(ComparedRunsTest, RunsOfTheSameSettingsAreOneEntry) {
  LabRecords lab;
  lab.sweeps = {Sweep("a.rec", 1), Sweep("b.rec", 1.01), Sweep("fast.rec", 0.5, proto::BF16)};
  const std::vector<ComparedWork> works = CompareLabRuns(lab);
  const std::vector<ComparedEntry>& entries = works[0].places[0].entries;
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[1].records, "a.rec and b.rec");
  EXPECT_EQ(entries[1].runs, 2u);
  EXPECT_EQ(entries[1].epoch_seconds.value_size(), 2);  // the runs' means, 4 s and 4.04 s
  EXPECT_NEAR(entries[1].epoch_seconds.value(1), 4.04, 1e-9);
  EXPECT_NEAR(entries[1].mean_seconds, 4.02, 1e-9);
  EXPECT_LT(entries[1].seconds, entries[1].mean_seconds);  // the geometric mean
}

// Three runs each: 2 and 1 s with a spread of 0.5 %.
TEST(ComparedRunsTest, EnoughRunsGiveAVerdict) {
  LabRecords lab;
  for (const double factor : {0.995, 1.0, 1.005}) {
    lab.sweeps.push_back(Sweep("slow.rec", factor));
    lab.sweeps.push_back(Sweep("fast.rec", factor / 2, proto::BF16));
  }
  const std::vector<ComparedWork> works = CompareLabRuns(lab);
  EXPECT_EQ(works[0].places[1].entries[1].comparison.verdict, TimeVerdict::kSlower);
  EXPECT_NEAR(works[0].places[1].entries[1].comparison.ratio, 2, 1e-9);
}

}  // namespace
}  // namespace lockstep
