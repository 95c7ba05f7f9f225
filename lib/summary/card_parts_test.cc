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

}  // namespace
}  // namespace lockstep
