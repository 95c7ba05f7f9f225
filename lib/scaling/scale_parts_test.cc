#include "lib/scaling/scale_parts.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::SizeIs;

ScaleRecords Records(const std::vector<std::string>& texts) {
  ScaleRecords scale;
  scale.input.set_path("scale.rec");
  for (const std::string& text : texts) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &scale.records.emplace_back())) << text;
  }
  return scale;
}

TEST(ScalePartsTest, OneWayToTrainIsOnePartOfTheSameName) {
  const auto parts = SplitScaleRecords(Records({"spec { mode: DDP }", "point { ranks: 1 }", "point { ranks: 2 }"}));
  ASSERT_THAT(parts, IsOk());
  ASSERT_THAT(*parts, SizeIs(1));
  EXPECT_EQ((*parts)[0].input.path(), "scale.rec");
  EXPECT_THAT((*parts)[0].records, SizeIs(3));
}

TEST(ScalePartsTest, EachPartNamesItsTraining) {
  const auto parts = SplitScaleRecords(Records(
      {"spec { mode: DDP training { precision: FP32 } }", "point { ranks: 1 reduction: PLAIN }",
       "point { ranks: 2 mode: DP reduction: STAR }",
       "point { ranks: 2 preset: 'fast' step: FUSED gradient_compression: 'bf16' training { precision: BF16 } }",
       "point { ranks: 2 row: '8192' }"}));
  ASSERT_THAT(parts, IsOk());
  ASSERT_THAT(*parts, SizeIs(3));
  EXPECT_EQ((*parts)[1].input.path(), "scale.rec (DataParallel, lab preset)");
  EXPECT_EQ((*parts)[1].records[0].spec().mode(), proto::DP);
  EXPECT_THAT((*parts)[1].records, SizeIs(3));  // spec, the plain point of the first part, its own
  EXPECT_EQ((*parts)[1].records[1].point().reduction(), proto::PLAIN);
  const proto::ScaleSpec& fast = (*parts)[2].records[0].spec();
  EXPECT_EQ(fast.preset(), "fast");
  EXPECT_EQ(fast.training().precision(), proto::BF16);
  EXPECT_EQ(fast.training().step(), proto::FUSED);
  EXPECT_EQ(fast.gradient_compression(), "bf16");
  EXPECT_THAT((*parts)[2].records, SizeIs(2));  // no plain run of that step
}

// Record of scale_run --reducer=auto whose ranks fell back after the first point.
TEST(ScalePartsTest, APartBorrowsTheBaseCasesThatItLacksBatchByBatch) {
  const auto parts = SplitScaleRecords(
      Records({"spec { mode: DDP }", "point { ranks: 1 batch_per_device: 32 reduction: PLAIN reducer: 'peer' }",
               "point { ranks: 2 batch_per_device: 32 reduction: ALL_REDUCE reducer: 'own' }",
               "point { ranks: 1 batch_per_device: 128 reduction: PLAIN reducer: 'own' }",
               "point { ranks: 2 batch_per_device: 128 reduction: ALL_REDUCE reducer: 'own' }"}));
  ASSERT_THAT(parts, IsOk());
  ASSERT_THAT(*parts, SizeIs(2));
  EXPECT_EQ((*parts)[1].records[0].spec().reducer(), "own");
  ASSERT_THAT((*parts)[1].records, SizeIs(5));  // spec, the plain point of the first part, its own
  EXPECT_EQ((*parts)[1].records[1].point().batch_per_device(), 32u);
  EXPECT_EQ((*parts)[1].records[1].point().reduction(), proto::PLAIN);
  EXPECT_EQ((*parts)[1].records[3].point().reduction(), proto::PLAIN);
}

TEST(ScalePartsTest, ARecordWithoutPointsIsOnePart) {
  const auto parts = SplitScaleRecords(Records({"spec { mode: DDP }"}));
  ASSERT_THAT(parts, IsOk());
  EXPECT_THAT(*parts, SizeIs(1));
  EXPECT_THAT(SplitScaleRecords(Records({})), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("ScaleSpec")));
}

}  // namespace
}  // namespace lockstep
