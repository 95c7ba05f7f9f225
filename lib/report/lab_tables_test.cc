#include "lib/report/lab_tables.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/shown_tables_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ExpectWellFormed;
using ::lockstep::testing::RowOf;
using ::lockstep::testing::SmallLab;
using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST(LabTablesTest, TheTablesAreTheLabs) {
  const proto::Section section = LabTablesSection(SmallLab());
  ExpectWellFormed({section});
  ASSERT_EQ(section.table_size(), 4);
  EXPECT_EQ(section.table(0).id(), "table-1");
  EXPECT_THAT(RowOf(section.table(1), 0), ElementsAre("32", "2", "1500", "500.0", "200.0", "10.00"));
  EXPECT_THAT(RowOf(section.table(1), 1), ElementsAre("128", "2", "750", "-50.0", "10.0", "1.43"));
  EXPECT_EQ(section.paragraph(0), "The tables are of run B.");
  EXPECT_THAT(
      section.table(1).note(0),
      StartsWith("At 2 devices, batch 128 per device, comm is not measurable by subtraction: a step on 2 devices "
                 "took 0.255 ms less than on one"));
  EXPECT_THAT(section.table(1).note(1), StartsWith("Compute: epoch of one device / devices."));
}

TEST(LabTablesTest, WaitingBelow0IsNotMeasurable) {
  LabRecords lab = SmallLab();
  for (proto::ScalingRow& row : lab.comm_models[0].rows) {
    row.mutable_exposed_event_seconds()->set_value(-0.025);
  }
  const proto::Section section = LabTablesSection(lab);
  EXPECT_THAT(RowOf(section.table(1), 0), ElementsAre("32", "2", "1500", "500.0", "- not measurable (below 0 by 25 ms)",
                                                      "- not measurable (below 0 by 25 ms)"));
}

TEST(LabTablesTest, Table1HasTheEpochsOfAllRecordsThatItsSpeedUpUses) {
  LabRecords lab = SmallLab();
  EXPECT_EQ(RowOf(LabTablesSection(lab).table(0), 1)[2], "2500 [2400, 2600]");
  proto::ScalingRow& row = lab.comm_models[0].rows[1];
  row.mutable_epoch_seconds()->set_value(2.75);
  row.mutable_epoch_seconds()->set_low(2.25);
  row.mutable_epoch_seconds()->set_high(3.25);
  EXPECT_EQ(RowOf(LabTablesSection(lab).table(0), 1)[2], "2500 [2400, 2600]");
  row.add_pooled_file("two.rec");
  row.add_pooled_file("four.rec");
  EXPECT_EQ(RowOf(LabTablesSection(lab).table(0), 1)[2], "2750 [2250, 3250]");
}

TEST(LabTablesTest, RunsHaveLetters) {
  const proto::Section section = LabTablesSection(SmallLab());
  EXPECT_EQ(section.table(3).id(), "list-of-runs");
  EXPECT_THAT(RowOf(section.table(3), 1), ElementsAre("B", "ResNet-18 on 1, 2 devices, fp32 (TF32 off)",
                                                      "2 x GPU <A&B>", "21 November 2026", "scale.rec"));
}

TEST(LabTablesTest, WithoutRecordsItIsEmpty) {
  EXPECT_TRUE(LabTablesSection(LabRecords()).table().empty());
  EXPECT_TRUE(LabTablesSection(LabRecords()).paragraph().empty());
}

}  // namespace
}  // namespace lockstep
