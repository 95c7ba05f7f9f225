#include "lib/warnings/experiment_warnings.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallLargeBatch;
using ::lockstep::testing::SmallSampler;
using ::lockstep::testing::SmallSent;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> WarningsOf(const LabScale& scale) {
  LabRecords lab;
  lab.scales.push_back(scale);
  std::vector<Warning> warnings;
  WarnOfExperiments(lab, warnings);
  std::vector<std::string> texts;
  for (const Warning& warning : warnings) {
    texts.push_back(warning.text);
  }
  return texts;
}

TEST(ExperimentWarningsTest, WholeExperimentsHaveNone) {
  EXPECT_THAT(WarningsOf(SmallSampler()), IsEmpty());
  EXPECT_THAT(WarningsOf(SmallSent()), IsEmpty());
}

TEST(ExperimentWarningsTest, RowsWithoutAllTheirSeeds) {
  EXPECT_THAT(WarningsOf(SmallLargeBatch()),
              ElementsAre(AllOf(HasSubstr("that lack a seed"), HasSubstr("8192, clipping (2 of 3)"))));
}

TEST(ExperimentWarningsTest, OneSeed) {
  LabScale sampler = SmallSampler();
  sampler.spec.set_seeds(1);
  sampler.points = {sampler.points[0], sampler.points[3]};
  EXPECT_THAT(WarningsOf(sampler), ElementsAre(HasSubstr("One seed only, so no spread: sampler.rec, all rows")));
}

TEST(ExperimentWarningsTest, ASamplerThatRepeatsAnOrderDespiteSetEpoch) {
  LabScale sampler = SmallSampler();
  proto::RankFacts& rank = *sampler.points[1].mutable_rank(1);
  rank.set_epoch_order_sha256(4, rank.epoch_order_sha256(0));
  EXPECT_THAT(WarningsOf(sampler), ElementsAre(AllOf(HasSubstr("WRONG ORDERS OF IMAGES"),
                                                     HasSubstr("'with the epoch number', seed 8, rank 1"),
                                                     HasSubstr("4 different orders in 5 epochs, expected 5"))));
}

TEST(ExperimentWarningsTest, ASamplerThatChangesItsOrderWithoutSetEpoch) {
  LabScale sampler = SmallSampler();
  sampler.points[3].mutable_rank(0)->set_epoch_order_sha256(2, "another");
  EXPECT_THAT(WarningsOf(sampler), ElementsAre(HasSubstr("2 different orders in 5 epochs, expected 1")));
}

TEST(ExperimentWarningsTest, GradientsOfAnotherSizeThanTheModels) {
  LabScale sent = SmallSent();
  sent.points[0].mutable_traffic(0)->set_size_bytes(uint64_t{44695844} * 1955);
  EXPECT_THAT(WarningsOf(sent),
              ElementsAre(AllOf(HasSubstr("WRONG BYTES OF GRADIENTS"), HasSubstr("row 'gradients only'"),
                                HasSubstr("44,695,844"), HasSubstr("44,695,848"))));
  sent = SmallSent();
  for (proto::ScalePoint& point : sent.points) {
    point.set_gradient_compression("bf16");  // halves the bytes that are sent
  }
  EXPECT_THAT(WarningsOf(sent),
              AllOf(SizeIs(9), Each(HasSubstr("44,695,848 bytes per step were counted, expected 22,347,924"))));
}

}  // namespace
}  // namespace lockstep
