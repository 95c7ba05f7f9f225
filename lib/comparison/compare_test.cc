#include "lib/comparison/compare.h"

#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/report/small_records.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallScale;
using ::lockstep::testing::SmallSweep;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Batches 32 and 128, of a GPU with a name of its own.
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

int Told(const RunComparison& comparison, TimeVerdict verdict) {
  int told = 0;
  for (const ComparedPoint& point : comparison.points) {
    told += point.comparison.verdict == verdict ? 1 : 0;
  }
  return told;
}

// Epochs drawn again from those of each point, and a run that differs by 0.45 % as a whole.
class Resampling {
 public:
  explicit Resampling(uint32_t seed) : engine_(seed) {}

  LabRecords Of(LabRecords lab) {
    const double run = 1 + 0.0045 * Normal();
    for (proto::SweepPoint& point : lab.sweeps[0].points) {
      const proto::Samples from = point.epoch_seconds();
      for (double& value : *point.mutable_epoch_seconds()->mutable_value()) {
        value = from.value(static_cast<int>(engine_() % from.value_size())) * run;
      }
    }
    return lab;
  }

 private:
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
      sum += engine_() / 4294967296.0;
    }
    return sum;
  }

  std::mt19937 engine_;
};

int CountTold(TimeVerdict verdict, double factor) {
  Resampling resampling(7);
  int count = 0;
  for (int i = 0; i < 100; ++i) {
    LabRecords first = resampling.Of(Sweep()), second = resampling.Of(Sweep());
    Multiply(factor, second);
    const auto comparison = CompareRuns(first, second, {});
    EXPECT_THAT(comparison, IsOk());
    count += Told(*comparison, verdict) > 0 ? 1 : 0;
  }
  return count;
}

TEST(CompareTest, ARunWithItselfCannotBeToldApart) {
  const auto comparison = CompareRuns(Sweep(), Sweep(), {});
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(Told(*comparison, TimeVerdict::kCannotTell), 2);
  EXPECT_LE(CountTold(TimeVerdict::kFaster, 1) + CountTold(TimeVerdict::kSlower, 1), 5);
}

// Batch 128 has equal epochs; those of batch 32 differ by 5 %.
TEST(CompareTest, APlantedThreePerCentIsFoundWhereTheSpreadAllowsIt) {
  EXPECT_GE(CountTold(TimeVerdict::kSlower, 1.03), 90);
  EXPECT_EQ(CountTold(TimeVerdict::kFaster, 1.03), 0);
}

TEST(CompareTest, AnotherDeviceOfTheKindIsLessCertain) {
  LabRecords other = Sweep();
  other.sweeps[0].header.mutable_device(0)->set_uuid_sha256("another GPU");
  Multiply(1.03, other);
  const auto comparison = CompareRuns(Sweep(), other, {});
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(Told(*comparison, TimeVerdict::kCannotTell), 2);
  EXPECT_THAT(ComparisonText(*comparison),
              AllOf(HasSubstr("cannot tell batch 128: 1.0300 times as long"), HasSubstr("up to 3 %")));
}

TEST(CompareTest, FurtherRunsSayHowMuchRunsDiffer) {
  LabRecords more;
  for (const double factor : {1.001, 0.999, 1.0005}) {
    LabRecords run = Sweep();
    Multiply(factor, run);
    more.sweeps.push_back(run.sweeps[0]);
  }
  const auto comparison = CompareRuns(Sweep(), Sweep(), more);
  ASSERT_THAT(comparison, IsOk());
  EXPECT_EQ(comparison->spread.degrees_of_freedom, 3);
  EXPECT_THAT(ComparisonText(*comparison), HasSubstr("measured, 4 runs"));
}

TEST(CompareTest, ACopyIsNoFurtherRun) {
  EXPECT_THAT(CompareRuns(Sweep(), Sweep(), Sweep()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no run of its own")));
}

TEST(CompareTest, OnlyLikeIsCompared) {
  LabRecords other = Sweep();
  other.sweeps[0].spec.mutable_training()->set_precision(proto::BF16);
  EXPECT_THAT(CompareRuns(Sweep(), other, {}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("settings")));
  LabRecords device = Sweep();
  device.sweeps[0].header.mutable_device(0)->set_name("GPU C");
  EXPECT_THAT(CompareRuns(Sweep(), device, {}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("'GPU C'")));
  LabRecords scale;
  scale.scales.push_back(SmallScale());
  EXPECT_THAT(CompareRuns(Sweep(), scale, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("scaling run")));
  EXPECT_THAT(CompareRuns(Sweep(), {}, {}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("expected one")));
}

TEST(CompareTest, PointsOfOneRunOnlyAreLeftOut) {
  LabRecords other = Sweep();
  other.sweeps[0].points.erase(other.sweeps[0].points.begin());
  const auto comparison = CompareRuns(Sweep(), other, {});
  ASSERT_THAT(comparison, IsOk());
  EXPECT_THAT(comparison->points, SizeIs(1));
  EXPECT_THAT(ComparisonText(*comparison), HasSubstr("left out    batch 32"));
}

TEST(CompareTest, PointsOfAScalingRunAreComparedAsTheyAreTrained) {
  LabRecords scale;
  scale.scales.push_back(SmallScale());
  const auto comparison = CompareRuns(scale, scale, {});
  ASSERT_THAT(comparison, IsOk());
  EXPECT_THAT(comparison->points, SizeIs(6));
  EXPECT_THAT(ComparisonText(*comparison), HasSubstr("2 ranks, batch 128 per device, all-reduce, DDP, lab preset"));
}

TEST(CompareTest, TwoFilesAreWanted) {
  EXPECT_THAT(RunCompare({"a.rec"}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected two records")));
}

}  // namespace
}  // namespace lockstep
