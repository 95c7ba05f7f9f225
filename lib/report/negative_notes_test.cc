#include "lib/report/negative_notes.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

proto::ScalingRow Row(double communication_seconds) {
  proto::ScalingRow row;
  row.set_ranks(2);
  row.set_batch_per_device(64);
  row.mutable_communication_seconds()->set_value(communication_seconds);
  return row;
}

TEST(NegativeNotesTest, OnlyNegativeTimesHaveANoteThatNamesTheBatchAsTheTableDoes) {
  LabRecords lab = testing::SmallLab();
  const proto::ScalingRow negative = Row(-0.25), positive = Row(0.25);
  proto::Table table;
  AddNegativeNotes(ScalingViews(lab)[0], {nullptr, &positive, &negative}, table);
  EXPECT_THAT(table.note(), ElementsAre(StartsWith("At 2 devices, batch 64 per device, comm is not measurable by "
                                                   "subtraction: an epoch on 2 devices took 0.25 s less than")));
  lab.scales[0].spec.set_batch_mode(proto::GLOBAL);
  table.clear_note();
  AddNegativeNotes(ScalingViews(lab)[0], {&negative}, table);
  EXPECT_THAT(table.note(), ElementsAre(StartsWith("At 2 devices, global batch 128, comm is not measurable by ")));
}

}  // namespace
}  // namespace lockstep
