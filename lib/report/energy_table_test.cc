#include "lib/report/energy_table.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

void SetJoules(double joules, proto::Quantity& quantity) {
  quantity.set_value(joules);
  quantity.set_low(joules * 0.9);
  quantity.set_high(joules * 1.1);
  quantity.set_provenance(proto::MEASURED);
  quantity.set_method("a counter");
}

// 2000 J for the 50,000 images of an epoch: 40 mJ an image, 25 images per joule.
TEST(SweepEnergyTableTest, ByHand) {
  LabSweep sweep = testing::SmallSweep();
  SetJoules(2000, *sweep.points[0].mutable_epoch_joules());
  sweep.points[1].mutable_epoch_joules()->set_absent_reason("no counter");
  const proto::Table table = SweepEnergyTable(sweep, "Energy");
  ASSERT_EQ(table.row_size(), 2);  // the batch that did not fit has no row
  EXPECT_EQ(table.row(0).cell(0).text(), "32");
  EXPECT_THAT(table.row(0).cell(1).text(), HasSubstr("2000 [1800, 2200]"));
  EXPECT_EQ(table.row(0).cell(1).provenance(), proto::MEASURED);
  EXPECT_THAT(table.row(0).cell(2).text(), HasSubstr("40"));
  EXPECT_EQ(table.row(0).cell(2).provenance(), proto::DERIVED);
  EXPECT_THAT(table.row(0).cell(3).text(), HasSubstr("25"));
  EXPECT_EQ(table.row(1).cell(1).absent_reason(), "no counter");
  EXPECT_EQ(table.row(1).cell(3).absent_reason(), "no counter");
}

TEST(SweepEnergyTableTest, AnOlderRecordHasNoRows) {
  EXPECT_EQ(SweepEnergyTable(testing::SmallSweep(), "Energy").row_size(), 0);
}

TEST(ScaleEnergyTableTest, AddsTheDevices) {
  LabRecords lab = testing::SmallLab();
  for (proto::ScalePoint& point : lab.scales[0].points) {
    point.clear_rank();
    for (uint32_t rank = 0; rank < point.ranks(); ++rank) {
      proto::RankFacts& facts = *point.add_rank();
      facts.set_rank(rank);
      SetJoules(500, *facts.mutable_epoch_joules());
    }
  }
  const std::vector<ScalingView> views = ScalingViews(lab);
  const proto::Table table = ScaleEnergyTable(views.at(0));
  ASSERT_GT(table.row_size(), 0);
  for (const proto::Row& row : table.row()) {
    EXPECT_THAT(row.cell(3).text(), HasSubstr(row.cell(0).text() == "1" ? "500 [450, 550]" : "1000 [900, 1100]"));
  }
}

}  // namespace
}  // namespace lockstep
