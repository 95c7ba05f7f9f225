// Compares the rates with those of torch.optim.lr_scheduler of PyTorch 2.11, and with rates calculated by hand.
#include "lib/train/schedule.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::Pointwise;

// Tolerance of the rates. Both sides compute in double. torch's cosine is recursive and accumulates a rounding (2^-53
// of the rate) in each of its 200 steps: 200 * 2^-53 * 0.1 = 2e-15.
constexpr double kTolerance = 1e-14;

// Returns the spec of a run of `epochs` epochs, the first one untimed, with peak 0.1.
proto::TrainingSpec Spec(uint32_t epochs, const std::string& more) {
  proto::TrainingSpec spec;
  EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(more, &spec)) << more;
  spec.set_learning_rate(0.1);
  spec.set_warmup_epochs(1);
  spec.set_repeats(epochs - 1);
  return spec;
}

// Returns the numbers of warm-up and timed epochs.
std::pair<uint32_t, uint32_t> Epochs(uint32_t epochs, uint32_t repeats) {
  proto::TrainingSpec spec;
  EXPECT_THAT(SetEpochs(epochs, repeats, spec), IsOk());
  return {spec.warmup_epochs(), spec.repeats()};
}

TEST(SetEpochsTest, TheFirstEpochIsTheWarmUp) {
  EXPECT_THAT(Epochs(0, 0), Pair(1, 5));
  EXPECT_THAT(Epochs(0, 2), Pair(1, 2));
  EXPECT_THAT(Epochs(3, 0), Pair(1, 2));
  EXPECT_THAT(Epochs(3, 2), Pair(1, 2));
  EXPECT_THAT(Epochs(1, 0), Pair(1, 0));
}

TEST(SetEpochsTest, TheTwoMustAgree) {
  proto::TrainingSpec spec;
  EXPECT_THAT(SetEpochs(3, 3, spec),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "--epochs=3 is one warm-up and 2 timed epochs, but --repeats=3; give one of the two"));
}

TEST(CheckEpochsTest, AsManyAsARecordHolds) {
  EXPECT_THAT(CheckEpochs(Spec(1, "")), IsOk());
  EXPECT_THAT(CheckEpochs(Spec(kMaxEpochs + 1, "")), IsOk());
  EXPECT_EQ(TotalEpochs(Spec(kMaxEpochs + 1, "")), 1'000'001u);
}

// In 32 bits, 1 + 4294967295 is 0: a run without epochs.
TEST(CheckEpochsTest, MoreAreRefusedBeforeTheyWrapAround) {
  EXPECT_THAT(CheckEpochs(Spec(kMaxEpochs + 2, "")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("1000001")));
  EXPECT_THAT(CheckEpochs(Spec(0, "")), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("4294967295")));
}

// Returns the rates of all steps.
std::vector<double> Rates(const proto::TrainingSpec& spec, uint32_t steps) {
  EXPECT_THAT(CheckSchedule(spec), IsOk());
  std::vector<double> rates;
  for (uint32_t epoch = 0; epoch < TotalEpochs(spec); ++epoch) {
    for (uint32_t step = 0; step < steps; ++step) {
      rates.push_back(LearningRateOf(spec, steps, epoch, step));
    }
  }
  return rates;
}

auto Are(const std::vector<double>& rates) { return Pointwise(DoubleNear(kTolerance), rates); }

TEST(ScheduleTest, ConstantUnlessAskedOtherwise) {
  EXPECT_THAT(Rates(Spec(2, ""), 2), Are({0.1, 0.1, 0.1, 0.1}));
  EXPECT_THAT(Rates(Spec(2, "schedule: CONSTANT"), 1), Are({0.1, 0.1}));
}

TEST(ScheduleTest, CosineGoesDownEpochByEpoch) {
  // cos 0 = 1, cos 60 = 1/2, cos 120 = -1/2 degrees; each epoch's two steps share a rate.
  EXPECT_THAT(Rates(Spec(3, "schedule: COSINE"), 2), Are({0.1, 0.1, 0.075, 0.075, 0.025, 0.025}));
}

TEST(ScheduleTest, CosineOver200EpochsIsTorchs) {
  const std::vector<double> rates = Rates(Spec(200, "schedule: COSINE"), 1);
  EXPECT_THAT((std::vector<double>{rates[0], rates[1], rates[50], rates[100], rates[199]}),
              Are({0.1, 0.09999383162408304, 0.0853553390593274, 0.050000000000000024, 6.168375916970619e-06}));
}

TEST(ScheduleTest, MultistepIsTorchs) {  // MultiStepLR(milestones=[2, 4], gamma=0.2)
  EXPECT_THAT(Rates(Spec(6, "schedule: MULTISTEP lr_milestones: [2, 4] lr_gamma: 0.2"), 1),
              Are({0.1, 0.1, 0.02, 0.02, 0.004, 0.004}));
}

TEST(ScheduleTest, OneCycleIsTorchs) {  // OneCycleLR(max_lr=0.1, total_steps=10, cycle_momentum=False)
  const std::vector<double> torch = {0.0040000000000000036,
                                     0.052000000000000005,
                                     0.1,
                                     0.09504846320134738,
                                     0.0811745653949763,
                                     0.06112620219362893,
                                     0.03887419780637107,
                                     0.0188258346050237,
                                     0.004951936798652629,
                                     4e-07};
  EXPECT_THAT(Rates(Spec(2, "schedule: ONE_CYCLE"), 5), Are(torch));
  EXPECT_THAT(Rates(Spec(5, "schedule: ONE_CYCLE"), 2), Are(torch));
}

TEST(ScheduleTest, OneCycleOfFewStepsIsTorchs) {
  EXPECT_THAT(Rates(Spec(1, "schedule: ONE_CYCLE"), 1), Are({4e-07}));
  EXPECT_THAT(Rates(Spec(1, "schedule: ONE_CYCLE"), 2), Are({0.0811745653949763, 4e-07}));
  EXPECT_THAT(Rates(Spec(1, "schedule: ONE_CYCLE"), 3), Are({0.09944154354509119, 0.046263710266697504, 4e-07}));
}

TEST(ScheduleTest, WarmupRisesStepByStepAndTheScheduleFollows) {
  // Two epochs of two steps: quarters. Then half a cosine over the two epochs that remain: 1, 1/2.
  EXPECT_THAT(Rates(Spec(4, "schedule: COSINE lr_warmup_epochs: 2"), 2),
              Are({0.025, 0.05, 0.075, 0.1, 0.1, 0.1, 0.05, 0.05}));
  EXPECT_THAT(Rates(Spec(2, "lr_warmup_epochs: 1"), 2), Are({0.05, 0.1, 0.1, 0.1}));
}

// Goyal et al. 2017: the first step has the base rate, each later step a constant amount more, and the first step after
// the warm-up the peak. Here: two epochs of two steps from 0.02 to 0.1.
TEST(ScheduleTest, WarmupStartsAtTheRateAskedFor) {
  EXPECT_THAT(Rates(Spec(3, "lr_warmup_epochs: 2 lr_warmup_start: 0.02"), 2), Are({0.02, 0.04, 0.06, 0.08, 0.1, 0.1}));
  EXPECT_THAT(Rates(Spec(4, "schedule: COSINE lr_warmup_epochs: 2 lr_warmup_start: 0.02"), 2),
              Are({0.02, 0.04, 0.06, 0.08, 0.1, 0.1, 0.05, 0.05}));
  EXPECT_THAT(Rates(Spec(2, "lr_warmup_epochs: 1 lr_warmup_start: 0.1"), 2), Are({0.1, 0.1, 0.1, 0.1}));
}

TEST(ScheduleTest, LinearGoesDownStepByStepAndWouldEndAtZero) {
  EXPECT_THAT(Rates(Spec(2, "schedule: LINEAR"), 2), Are({0.1, 0.075, 0.05, 0.025}));
  // One epoch of warm-up, then quarters.
  EXPECT_THAT(Rates(Spec(3, "schedule: LINEAR lr_warmup_epochs: 1"), 2), Are({0.05, 0.1, 0.1, 0.075, 0.05, 0.025}));
  EXPECT_THAT(Rates(Spec(3, "schedule: LINEAR lr_warmup_epochs: 1 lr_warmup_start: 0.02"), 2),
              Are({0.02, 0.06, 0.1, 0.075, 0.05, 0.025}));
}

// 0.1 * numpy.interp(range(15), [0, int(0.2 * 15), 15], [0.2, 1, 0]) of numpy 2.2.6: the warm-up is 3 steps, less than
// an epoch.
TEST(ScheduleTest, LinearWithAWarmupOfAShareIsNumpysInterpolation) {
  EXPECT_THAT(Rates(Spec(3, "schedule: LINEAR lr_warmup_share: 0.2 lr_warmup_start: 0.02"), 5),
              Are({0.020000000000000004, 0.04666666666666667, 0.07333333333333335, 0.1, 0.09166666666666667,
                   0.08333333333333334, 0.07500000000000001, 0.06666666666666668, 0.05833333333333334, 0.05,
                   0.04166666666666668, 0.03333333333333334, 0.025, 0.016666666666666673, 0.008333333333333337}));
}

// 26 epochs of 100 steps: 0.2 * numpy.interp(steps, [0, int(0.2 * 2600), 2600], [0.2, 1, 0]), the published recipe. The
// peak, step 520, is in the sixth epoch.
TEST(ScheduleTest, LinearOver26EpochsIsThePublishedRecipes) {
  proto::TrainingSpec spec = Spec(26, "schedule: LINEAR lr_warmup_share: 0.2 lr_warmup_start: 0.04");
  spec.set_learning_rate(0.2);
  const std::vector<double> rates = Rates(spec, 100);
  ASSERT_EQ(rates.size(), 2600u);
  std::vector<double> found;
  for (const size_t step : {0, 1, 519, 520, 521, 1560, 2599}) {
    found.push_back(rates[step]);
  }
  EXPECT_THAT(found, Are({0.04000000000000001, 0.040307692307692315, 0.19969230769230772, 0.2, 0.19990384615384615, 0.1,
                          9.615384615384581e-05}));
}

// 7 steps: the share 0.3 is 2.1 steps, rounded down.
TEST(ScheduleTest, AShareOfTheStepsIsRoundedDown) {
  EXPECT_THAT(Rates(Spec(7, "schedule: LINEAR lr_warmup_share: 0.3"), 1),
              Are({0.05, 0.1, 0.1, 0.08, 0.06, 0.04, 0.02}));
  // Less than one step: no warm-up.
  EXPECT_THAT(Rates(Spec(2, "schedule: LINEAR lr_warmup_share: 0.1 lr_warmup_start: 0.01"), 2),
              Are({0.1, 0.075, 0.05, 0.025}));
}

TEST(ScheduleTest, MilestonesCountFromTheBeginningOfTheRun) {
  EXPECT_THAT(Rates(Spec(4, "schedule: MULTISTEP lr_milestones: 2 lr_gamma: 0.5 lr_warmup_epochs: 1"), 2),
              Are({0.05, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05}));
}

TEST(ScheduleTest, StepsAreCounted) {
  EXPECT_EQ(StepsPerEpoch(50000, 128, DropLast::kNo), 391);
  EXPECT_EQ(StepsPerEpoch(50000, 128, DropLast::kYes), 390);
  EXPECT_EQ(StepsPerEpoch(100, 100, DropLast::kNo), 1);
}

TEST(ScheduleTest, RefusesWhatCannotBe) {
  const auto refused = [](const std::string& more, const std::string& says) {
    EXPECT_THAT(CheckSchedule(Spec(10, more)), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(says))) << more;
  };
  refused("schedule: MULTISTEP lr_gamma: 0.1", "--lr_milestones is missing");
  refused("schedule: MULTISTEP lr_gamma: 0.1 lr_milestones: [4, 4]", "from 1 to 9, the last one of the run, found 4");
  refused("schedule: MULTISTEP lr_gamma: 0.1 lr_milestones: [4, 2]", "found 2");
  refused("schedule: MULTISTEP lr_gamma: 0.1 lr_milestones: [10]", "found 10");
  refused("schedule: MULTISTEP lr_gamma: 0.1 lr_milestones: [0]", "found 0");
  refused("schedule: MULTISTEP lr_milestones: [4]", "--lr_gamma=0");
  refused("schedule: MULTISTEP lr_gamma: nan lr_milestones: [4]", "--lr_gamma=nan");
  refused("schedule: COSINE lr_milestones: [4]", "belong to --schedule=multistep");
  refused("lr_gamma: 0.5", "belong to --schedule=multistep");
  refused("schedule: COSINE lr_warmup_epochs: 10", "--lr_warmup_epochs=10 is not below the 10 epochs");
  refused("schedule: ONE_CYCLE lr_warmup_epochs: 1", "has its own warm-up");
  refused("lr_warmup_start: 0.01", "--lr_warmup_start=0.01 is the first rate of a warm-up; give --lr_warmup_epochs");
  refused("lr_warmup_epochs: 1 lr_warmup_start: 0.2", "expected a rate above 0 and up to 0.1, the learning rate");
  refused("lr_warmup_epochs: 1 lr_warmup_start: nan", "--lr_warmup_start=nan");
  refused("schedule: COSINE lr_warmup_share: 0.2", "--lr_warmup_share belongs to --schedule=linear");
  refused("schedule: LINEAR lr_warmup_share: 1", "--lr_warmup_share=1: expected a share of the run's steps");
  refused("schedule: LINEAR lr_warmup_share: nan", "--lr_warmup_share=nan");
  refused("schedule: LINEAR lr_warmup_share: 0.2 lr_warmup_epochs: 1",
          "--lr_warmup_epochs=1 and --lr_warmup_share=0.2 are both the length of the warm-up");
  refused("schedule: LINEAR lr_warmup_epochs: 10", "--lr_warmup_epochs=10 is not below the 10 epochs");
}

TEST(UntimedWarningTest, ReportsThatAWarmUpAloneTimesNothing) {
  proto::TrainingSpec spec;
  ASSERT_THAT(SetEpochs(1, 0, spec), IsOk());
  EXPECT_EQ(UntimedWarning(spec), "--epochs=1 is only the warm-up, and nothing is timed; --epochs=2 times one epoch");
  ASSERT_THAT(SetEpochs(2, 0, spec), IsOk());
  EXPECT_EQ(UntimedWarning(spec), "");
}

}  // namespace
}  // namespace lockstep
