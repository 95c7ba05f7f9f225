#include "lib/audit/hand_in_audit_testing.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/audit.h"
#include "lib/published/published_tables.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace testing {

using ::testing::HasSubstr;

std::vector<proto::AuditTable> AuditHandIn(const std::string& name) {
  const auto file = ReadPublishedTables("data/published/" + name);
  EXPECT_THAT(file, IsOk());
  return *Audit(file->tables);
}

const proto::AuditedValue* Find(const std::vector<proto::AuditTable>& tables, const std::string& table,
                                proto::PublishedQuantity quantity, uint32_t devices, uint64_t batch,
                                const std::string& digits) {
  for (const proto::AuditTable& audited : tables) {
    for (const proto::AuditedValue& value : audited.value()) {
      const proto::PublishedValue& p = value.published();
      if (audited.table() == table && p.quantity() == quantity && p.devices() == devices && p.batch() == batch &&
          p.as_printed() == digits) {
        return &value;
      }
    }
  }
  ADD_FAILURE() << table << " has no " << digits;
  return nullptr;
}

void ExpectReproduced(const std::vector<proto::AuditTable>& tables, const Expected& e) {
  SCOPED_TRACE(std::string(e.table) + ", " + e.digits);
  const proto::AuditedValue* value = Find(tables, e.table, e.quantity, e.devices, e.batch, e.digits);
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(value->finding(), proto::REPRODUCED) << value->sentence();
  ASSERT_EQ(value->reproduced_by_size(), 1);
  EXPECT_NEAR(value->reproduced_by(0).value(), e.value, kArithmetic * std::abs(e.value));
  EXPECT_THAT(value->reproduced_by(0).convention(), HasSubstr(e.convention));
}

void ExpectFindings(const std::vector<proto::AuditTable>& tables, const Findings& expected) {
  std::map<proto::Finding, int> counts;
  for (const proto::AuditTable& table : tables) {
    for (const proto::AuditedValue& value : table.value()) {
      ++counts[value.finding()];
    }
  }
  EXPECT_EQ(counts[proto::GIVEN], expected.given);
  EXPECT_EQ(counts[proto::REPRODUCED], expected.reproduced);
  EXPECT_EQ(counts[proto::AMBIGUOUS], expected.ambiguous);
  EXPECT_EQ(counts[proto::NOT_REPRODUCIBLE], expected.not_reproducible);
}

std::map<std::string, int> CountFlags(const std::vector<proto::AuditTable>& tables) {
  std::map<std::string, int> counts;
  for (const proto::AuditTable& table : tables) {
    for (const proto::AuditedValue& value : table.value()) {
      for (const std::string& flag : value.flag()) {
        ++counts[flag];
      }
    }
  }
  return counts;
}

}  // namespace testing
}  // namespace lockstep
