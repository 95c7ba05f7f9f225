#include "lib/comparison/compare.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallScale;
using ::lockstep::testing::SmallSweep;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Batches 32 and 128 on a GPU with its own name.
LabRecords Sweep() {
  LabRecords lab;
  lab.sweeps.push_back(SmallSweep());
  lab.sweeps[0].header.mutable_device(0)->set_uuid_sha256("a GPU");
  return lab;
}

void Multiply(double factor, LabRecords& lab) {
  for (proto::SweepPoint& point : lab.sweeps[0].points) {
    for (double& value : *point.mutable_epoch_seconds()->mutable_value()) {
      value *= factor;
    }
  }
}

int CountVerdicts(const RunComparison& comparison, TimeVerdict verdict) {
  int count = 0;
  for (const ComparedPoint& point : comparison.points) {
    count += point.comparison.verdict == verdict ? 1 : 0;
  }
  return count;
}

// Returns a run whose times are all longer by this factor.
LabRecords RunOf(double factor, const std::string& build = "a build") {
  LabRecords lab = Sweep();
  Multiply(factor, lab);
  lab.sweeps[0].header.mutable_build()->set_build_id(build);
  return lab;
}

LabRecords Together(const std::vector<LabRecords>& runs) {
  LabRecords lab;
  for (const LabRecords& run : runs) {
    lab.sweeps.push_back(run.sweeps[0]);
  }
  return lab;
}

// 0.793 and 0.813 s of one program on one H200 were once called slower.
TEST(CompareTest, TwoSingleRunsAreNeverDistinguishable) {
  for (const double factor : {1.0, 1.026, 2.0}) {
    const auto comparison = CompareRuns(RunOf(1), RunOf(factor), {});
    ASSERT_THAT(comparison, IsOk());
    EXPECT_EQ(CountVerdicts(*comparison, TimeVerdict::kInconclusive), 2) << factor;
    EXPECT_THAT(ComparisonText(*comparison),
                AllOf(HasSubstr("no interval: one run of each"), HasSubstr("not known, as each program was run once")));
  }
}

// 2.6 % at a spread of 1.76 %, two points: a confidence of 97.5 % each.
TEST(CompareTest, ReportsHowManyRunsAreNeeded) {
  const auto comparison = CompareRuns(RunOf(1), RunOf(1.026), {});
  ASSERT_THAT(comparison, IsOk());
  EXPECT_GT(comparison->points[0].runs_needed, 4u);
  EXPECT_LT(comparison->points[0].runs_needed, 12u);
  EXPECT_THAT(ComparisonText(*comparison),
              HasSubstr(absl::StrCat("; ", comparison->points[0].runs_needed,
                                     " runs of each would decide: ", comparison->points[0].runs_needed - 1,
                                     " more runs before and ", comparison->points[0].runs_needed - 1, " more after)")));
  EXPECT_THAT(ComparisonText(*CompareRuns(RunOf(1), RunOf(1), {})), HasSubstr("100 runs of each would not decide"));
}

TEST(CompareTest, FurtherRunsReportHowMuchRunsDiffer) {
  const LabRecords more = Together({RunOf(1.001), RunOf(0.999), RunOf(1.0005), RunOf(1.03, "b"), RunOf(1.0305, "b")});
  const auto comparison = CompareRuns(RunOf(1), RunOf(1.0295, "b"), more);
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(comparison->first_runs, 4u);
  EXPECT_EQ(comparison->second_runs, 3u);
  EXPECT_EQ(comparison->spread.degrees_of_freedom, 5);
  EXPECT_EQ(CountVerdicts(*comparison, TimeVerdict::kSlower), 2);
  EXPECT_THAT(ComparisonText(*comparison),
              AllOf(HasSubstr("slower       batch 128: 1.02"), HasSubstr("95 % for all 2 points together (Bonferroni)"),
                    HasSubstr("runs: 3, before 4"), HasSubstr("measured with 5 degrees of freedom")));
}

// One program was run three times, the other once: the spread is that of the first program.
TEST(CompareTest, RunsOfOneSideAreEnoughForTheSpread) {
  const auto comparison = CompareRuns(RunOf(1), RunOf(1.2, "b"), Together({RunOf(1.01), RunOf(0.99)}));
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(comparison->spread.degrees_of_freedom, 2);
  EXPECT_EQ(CountVerdicts(*comparison, TimeVerdict::kSlower), 2);
}

TEST(CompareTest, AnotherDeviceOfTheKindIsLessCertain) {
  const LabRecords more = Together({RunOf(1.001), RunOf(0.999)});
  LabRecords other = RunOf(1.03, "b");
  EXPECT_EQ(CountVerdicts(*CompareRuns(RunOf(1), other, more), TimeVerdict::kSlower), 2);
  other.sweeps[0].header.mutable_device(0)->set_uuid_sha256("another GPU");
  const auto comparison = CompareRuns(RunOf(1), other, more);
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(CountVerdicts(*comparison, TimeVerdict::kInconclusive), 2);
  EXPECT_THAT(ComparisonText(*comparison),
              AllOf(HasSubstr("inconclusive batch 128: 1.0300 times as long"), HasSubstr("up to 3 %")));
}

TEST(CompareTest, ACopyIsNoFurtherRun) {
  EXPECT_THAT(CompareRuns(RunOf(1), RunOf(2), RunOf(1)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not a separate run")));
  EXPECT_THAT(CompareRuns(RunOf(1), RunOf(2), RunOf(2)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not a separate run")));
}

TEST(CompareTest, AThirdProgramIsNoFurtherRun) {
  EXPECT_THAT(CompareRuns(RunOf(1), RunOf(1.1, "b"), RunOf(1.2, "c")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another build")));
}

TEST(CompareTest, FurtherRunsOfOneBuildBelongToTheRunWithTheirSettings) {
  const auto run = [](double factor, proto::Backend backend) {
    LabRecords lab;
    lab.scales.push_back(SmallScale());
    lab.scales[0].spec.set_backend(backend);
    for (proto::ScalePoint& point : lab.scales[0].points) {
      for (double& value : *point.mutable_epoch_seconds()->mutable_value()) {
        value *= factor;
      }
    }
    return lab;
  };
  LabRecords more;
  more.scales = {run(1.01, proto::SHARED_MEMORY).scales[0], run(2.01, proto::GLOO).scales[0]};
  const auto comparison = CompareRuns(run(1, proto::SHARED_MEMORY), run(2, proto::GLOO), more);
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(comparison->first_runs, 2u);
  EXPECT_EQ(comparison->second_runs, 2u);
}

TEST(CompareTest, RunsOfOneVersionAreNotCompared) {
  const auto comparison = CompareRuns(RunOf(1), RunOf(2), RunOf(1.1));
  ASSERT_THAT(comparison, IsOk());
  EXPECT_TRUE(comparison->one_version);
  EXPECT_TRUE(comparison->points.empty());
  EXPECT_THAT(ComparisonText(*comparison), HasSubstr("\none version: nothing to compare; "));
  EXPECT_THAT(CompareRuns(RunOf(1), RunOf(2), RunOf(1.1, "b")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another build")));
}

// Two epochs of 1 and 3 s differ by far more than two runs on an H200.
TEST(CompareTest, NoisyEpochsRaiseTheNumberOfRunsNeeded) {
  LabRecords first = RunOf(1), second = RunOf(1.1);
  const uint32_t quiet = CompareRuns(first, second, {})->points[0].runs_needed;
  EXPECT_GT(quiet, 0u);
  for (LabRecords* lab : {&first, &second}) {
    for (proto::SweepPoint& point : lab->sweeps[0].points) {
      if (point.epoch_seconds().value().empty()) {
        continue;
      }
      const double mean = point.epoch_seconds().value(0);
      point.mutable_epoch_seconds()->clear_value();
      point.mutable_epoch_seconds()->add_value(mean / 2);
      point.mutable_epoch_seconds()->add_value(mean * 1.5);
    }
  }
  const auto noisy = CompareRuns(first, second, {});
  ASSERT_THAT(noisy, IsOk());
  EXPECT_NEAR(noisy->epoch_deviation, 0.7768, 1e-4);  // ln(3) / sqrt(2)
  EXPECT_EQ(noisy->points[0].runs_needed, 0u);
  EXPECT_THAT(ComparisonText(*noisy), HasSubstr("a spread of 77.7 %, that of the epochs within the runs"));
}

// Returns a run in which every epoch is longer by `factor`, and one setting differs.
LabRecords ScaleOf(double factor, void (*change)(proto::ScaleSpec&)) {
  LabRecords lab;
  lab.scales.push_back(SmallScale());
  change(lab.scales[0].spec);
  for (proto::ScalePoint& point : lab.scales[0].points) {
    for (double& value : *point.mutable_epoch_seconds()->mutable_value()) {
      value *= factor;
    }
  }
  return lab;
}

// Without a difference nothing says to which run a further run belongs.
TEST(CompareTest, TheSettingsOfTheCommunicationDistinguishRunsOfOneBuild) {
  const auto same = [](proto::ScaleSpec&) {};
  for (const auto change : {+[](proto::ScaleSpec& spec) { spec.set_overlap(false); },
                            +[](proto::ScaleSpec& spec) { spec.set_bucket_bytes(77); },
                            +[](proto::ScaleSpec& spec) { spec.set_first_bucket_bytes(77); }}) {
    const auto comparison = CompareRuns(ScaleOf(1, same), ScaleOf(2, change), ScaleOf(2.01, change));
    ASSERT_THAT(comparison, IsOk());
    EXPECT_EQ(comparison->first_runs, 1u);
    EXPECT_EQ(comparison->second_runs, 2u);
  }
}

LabRecords Named(const std::string& path, LabRecords lab) {
  (lab.sweeps.empty() ? lab.scales[0].input : lab.sweeps[0].input).set_path(path);
  return lab;
}

TEST(CompareTest, EachSideNamesAllItsFilesAndTheBuild) {
  const LabRecords more = Together({Named("again/new.rec", RunOf(1.2, "b")), Named("again/old.rec", RunOf(1.01))});
  const auto comparison = CompareRuns(Named("old.rec", RunOf(1)), Named("-", RunOf(1.1, "b")), more);
  ASSERT_THAT(comparison, IsOk());
  EXPECT_THAT(comparison->first_side.files, ElementsAre("old.rec", "again/old.rec"));
  EXPECT_THAT(comparison->second_side.files, ElementsAre("standard input", "again/new.rec"));
  EXPECT_THAT(ComparisonText(*comparison), AllOf(StartsWith("before       old.rec, again/old.rec (build a build ("),
                                                 HasSubstr("\nafter        standard input, again/new.rec (build b (")));
}

TEST(CompareTest, ASideNamesTheSettingsInWhichItDiffers) {
  const auto same = [](proto::ScaleSpec&) {};
  const auto backend = [](proto::ScaleSpec& spec) { spec.set_backend(proto::GLOO); };
  const LabRecords first = Named("nccl.rec", ScaleOf(1, same));
  EXPECT_THAT(SidesText(*CompareRuns(first, Named("gloo.rec", ScaleOf(2, backend)), {})),
              "before       nccl.rec (backend=nccl)\nafter        gloo.rec (backend=gloo)\n");
  EXPECT_THAT(SidesText(*CompareRuns(first, Named("again.rec", ScaleOf(2, same)), {})),
              "before       nccl.rec (same build, libraries, driver, environment and settings)\n"
              "after        again.rec (same build, libraries, driver, environment and settings)\n");
}

// A new library, driver or environment variable is compared like a new build.
TEST(CompareTest, ASideMayDifferInTheSystemAlone) {
  const auto run = [](double factor, const std::string& nccl, const std::string& algorithm) {
    LabRecords lab = RunOf(factor);
    proto::Header& header = lab.sweeps[0].header;
    header.mutable_libraries()->set_nccl(nccl);
    if (!algorithm.empty()) {
      (*header.mutable_environment())["NCCL_ALGO"] = algorithm;
    }
    return lab;
  };
  const LabRecords more = Together({run(1.01, "2.28", ""), run(1.21, "2.29", "")});
  const auto libraries = CompareRuns(run(1, "2.28", ""), run(1.2, "2.29", ""), more);
  ASSERT_THAT(libraries, IsOk());
  EXPECT_EQ(libraries->first_runs, 2u);
  EXPECT_EQ(libraries->second_runs, 2u);
  EXPECT_EQ(DistinctionText(libraries->first_side), "NCCL 2.28");
  EXPECT_EQ(DistinctionText(libraries->second_side), "NCCL 2.29");
  const auto environment = CompareRuns(run(1, "2.28", ""), run(1.2, "2.28", "Tree"), {});
  ASSERT_THAT(environment, IsOk());
  EXPECT_EQ(DistinctionText(environment->second_side), "environment NCCL_ALGO=Tree");
}

// Each job has another number, and a run may be on another GPU of the host.
TEST(CompareTest, AJobIsNoOtherProgram) {
  const auto run = [](double factor, const std::string& build, const std::string& job, const std::string& gpu) {
    LabRecords lab = RunOf(factor, build);
    (*lab.sweeps[0].header.mutable_environment())["SLURM_JOB_ID"] = job;
    (*lab.sweeps[0].header.mutable_environment())["CUDA_VISIBLE_DEVICES"] = gpu;
    return lab;
  };
  const LabRecords more = Together({run(1.01, "a", "12", "1"), run(1.21, "b", "14", "3")});
  const auto comparison = CompareRuns(run(1, "a", "11", "0"), run(1.2, "b", "13", "2"), more);
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(comparison->first_runs, 2u);
  EXPECT_EQ(comparison->second_runs, 2u);
  EXPECT_THAT(DistinctionText(comparison->second_side), Not(HasSubstr("environment")));
}

// Runs of one program may have other seeds, warm-up and repeats.
TEST(CompareTest, ASeedIsNoOtherProgram) {
  const auto same = [](proto::ScaleSpec&) {};
  const auto seed = [](proto::ScaleSpec& spec) { spec.mutable_training()->set_seed(77); };
  const auto overlap = [](proto::ScaleSpec& spec) { spec.set_overlap(false); };
  const auto comparison = CompareRuns(ScaleOf(1, same), ScaleOf(2, overlap), ScaleOf(1.01, seed));
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(comparison->first_runs, 2u);
}

TEST(CompareTest, OnlyLikeIsCompared) {
  LabRecords other = Sweep();
  other.sweeps[0].spec.mutable_training()->set_precision(proto::BF16);
  EXPECT_THAT(
      CompareRuns(Sweep(), other, {}),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               AllOf(HasSubstr(": precision bf16 instead of fp32; give two runs under the same conditions, or "),
                     HasSubstr("on one page: report "))));
  LabRecords device = Sweep();
  device.sweeps[0].header.mutable_device(0)->set_name("GPU C");
  EXPECT_THAT(CompareRuns(Sweep(), device, {}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("'GPU C'")));
  LabRecords scale;
  scale.scales.push_back(SmallScale());
  EXPECT_THAT(CompareRuns(Sweep(), scale, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("scaling run")));
  EXPECT_THAT(CompareRuns(Sweep(), {}, {}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("expected one")));
}

TEST(CompareTest, EachOfSeveralDifferencesIsALine) {
  LabRecords other = Sweep();
  proto::TrainingSpec& training = *other.sweeps[0].spec.mutable_training();
  training.set_precision(proto::BF16);
  training.set_loader_workers(7);
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(CompareRuns(Sweep(), other, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("the 2 differences above; give ")));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "report: sweep.rec: precision bf16 instead of fp32\nreport: sweep.rec: loader_workers 7 instead of 2\n");
  training.set_weight_decay(0.25);
  training.set_lars(0.5);
  training.set_label_smoothing(0.125);
  training.set_clip_norm(3);
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(CompareRuns(Sweep(), other, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("the 6 differences above; give ")));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("\nreport: sweep.rec: 1 more difference\n"));
}

TEST(CompareTest, PointsOfOneRunOnlyAreLeftOut) {
  LabRecords other = Sweep();
  other.sweeps[0].points.erase(other.sweeps[0].points.begin());
  const auto comparison = CompareRuns(Sweep(), other, {});
  ASSERT_THAT(comparison, IsOk());
  EXPECT_THAT(comparison->points, SizeIs(1));
  EXPECT_THAT(ComparisonText(*comparison), HasSubstr("\nleft out     batch 32: only the run before has times of it\n"));
  EXPECT_THAT(ComparisonText(*comparison), HasSubstr("95 % for the point (Bonferroni); runs: 1, before 1\n"));
  const auto swapped = CompareRuns(other, Sweep(), {});
  ASSERT_THAT(swapped, IsOk());
  EXPECT_THAT(ComparisonText(*swapped), HasSubstr("\nleft out     batch 32: only the run after has times of it\n"));
}

TEST(CompareTest, ManyPointsThatAreLeftOutAreOneLine) {
  LabRecords other = Sweep();
  for (uint32_t batch = 1000; batch < 1030; ++batch) {
    other.sweeps[0].points.push_back(other.sweeps[0].points[0]);
    other.sweeps[0].points.back().set_batch_size(batch);
  }
  const auto comparison = CompareRuns(Sweep(), other, {});
  ASSERT_THAT(comparison, IsOk());
  EXPECT_THAT(LeftOutTexts(*comparison),
              ElementsAre("30 points, first batch 1000: only the run after has times of them"));
}

TEST(CompareTest, PointsOfAScalingRunAreComparedAsTheyAreTrained) {
  LabRecords scale;
  scale.scales.push_back(SmallScale());
  const auto comparison = CompareRuns(scale, scale, {});
  ASSERT_THAT(comparison, IsOk());
  EXPECT_THAT(comparison->points, SizeIs(6));
  EXPECT_THAT(ComparisonText(*comparison), HasSubstr("2 ranks, batch 128 per device, all-reduce, DDP, lab preset"));
}

}  // namespace
}  // namespace lockstep
