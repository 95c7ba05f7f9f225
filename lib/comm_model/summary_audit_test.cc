#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/comm_model/summary.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(AuditTextTest, NamesColumnsThatWereLeftOut) {
  std::vector<proto::CommModelRecord> records(1);
  proto::AuditTable& table = *records[0].mutable_audit();
  table.set_source("a report");
  table.set_table("Table 1");
  table.add_value()->set_finding(proto::GIVEN);
  table.mutable_summary()->set_sentence("1 given");
  EXPECT_THAT(SummaryText(records), Not(HasSubstr("left out")));
  table.add_left_out()->set_name("Comm Overhead");
  table.mutable_left_out(0)->set_numbers(9);
  table.add_left_out()->set_name("Init");
  table.mutable_left_out(1)->set_numbers(1);
  EXPECT_THAT(SummaryText(records),
              HasSubstr("  left out: 'Comm Overhead' (9 numbers), a name that is not understood; numbers that were "
                        "computed from it cannot follow\n"
                        "  left out: 'Init' (1 number), a name that is not understood; numbers that were computed from "
                        "it cannot follow\n"
                        "  = 1 given\n"));
}

}  // namespace
}  // namespace lockstep
