#include "lib/summary/card_parts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

TEST(CardPartsTest, ACommandNamesBatchesThatFitTheDataSetOfThePage) {
  LabRecords lab = testing::SmallLab();
  EXPECT_THAT(UnansweredCard(lab, "Q4", "No record.").command(), HasSubstr(" --batch_size=128,8192 "));
  lab.datasets[0].info[0].set_image_count(2048);
  EXPECT_THAT(UnansweredCard(lab, "Q4", "No record.").command(), HasSubstr(" --batch_size=256,1844 "));
  EXPECT_THAT(UnansweredCard({}, "Q4", "No record.").command(), HasSubstr(" --batch_size=128,8192 "));
}

TEST(CardPartsTest, ADataSetThatQuantizeRefusesHasAReasonAndNoCommand) {
  LabRecords lab = testing::SmallLab();
  EXPECT_EQ(UnansweredCard(lab, "B2", "No record.").absent_reason(), "No record.");
  EXPECT_THAT(UnansweredCard(lab, "B2", "No record.").command(), HasSubstr("quantize --input=/lab/dataset.rec"));
  lab.datasets[0].info[0].set_height(48);
  lab.datasets[0].info[0].set_width(48);
  const proto::SummaryCard card = UnansweredCard(lab, "B2", "No record.");
  EXPECT_EQ(card.command(), "");
  EXPECT_EQ(card.absent_reason(),
            "An int8 answer needs 10 classes of 32x32 pixels, for which the kernels of quantize are written, and the "
            "data set has 10 classes of 48x48 pixels; a data set of the first shape, such as CIFAR-10, gives one.");
  EXPECT_THAT(UnansweredCard(lab, "Q4", "No record.").command(), HasSubstr("--experiment=large_batch"));
}

}  // namespace
}  // namespace lockstep
