#include "lib/audit/audit_summary.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;

void Add(proto::AuditTable& table, proto::Finding finding, const char* convention) {
  proto::AuditedValue& value = *table.add_value();
  value.set_finding(finding);
  value.add_reproduced_by()->set_convention(convention);
}

TEST(AuditSummaryTest, CountsFindingsAndConventions) {
  proto::AuditTable table;
  table.add_value()->set_finding(proto::GIVEN);
  table.add_value()->set_finding(proto::GIVEN);
  Add(table, proto::REPRODUCED, "T_1/T_N");
  Add(table, proto::REPRODUCED, "N*T_1/T_N");
  Add(table, proto::REPRODUCED, "T_1/T_N");
  Add(table, proto::AMBIGUOUS, "T_1/N");
  table.add_value()->set_finding(proto::NOT_REPRODUCIBLE);
  table.add_value()->set_finding(proto::COULD_BE_CHANCE);
  EXPECT_THAT(
      Summarize(table), EqualsProto(R"pb(
        given: 2
        reproduced: 3
        ambiguous: 1
        not_reproducible: 1
        convention { convention: 'T_1/T_N' numbers: 2 }
        convention { convention: 'N*T_1/T_N' numbers: 1 }
        could_be_chance: 1
        sentence: '3 of 6 reproduced: T_1/T_N (2) | N*T_1/T_N (1); 1 ambiguous; 1 could be chance; 1 not reproducible; 2 given')pb"));
}

TEST(AuditSummaryTest, ATableOfTimesAndOneOfNothing) {
  proto::AuditTable table;
  EXPECT_EQ(Summarize(table).sentence(), "no numbers");
  table.add_value()->set_finding(proto::GIVEN);
  EXPECT_EQ(Summarize(table).sentence(), "1 given");
  table.mutable_value(0)->set_finding(proto::NOT_REPRODUCIBLE);
  EXPECT_EQ(Summarize(table).sentence(), "0 of 1 reproduced; 1 not reproducible");
}

}  // namespace
}  // namespace lockstep
