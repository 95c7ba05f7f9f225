#include "lib/audit/scaling_table_audit_testing.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/audit.h"
#include "lib/published/published_tables.h"
#include "lib/testing/matchers.h"

namespace lockstep::testing {
namespace {

struct Expectation {
  proto::Finding finding;
  std::vector<std::string> flags;
};

Expectation ExpectationOf(ByHand by_hand) {
  switch (by_hand) {
    case ByHand::kBaseNotOne:
      return {proto::REPRODUCED, {"base_is_not_one_device"}};
    case ByHand::kCutOff:
      return {proto::REPRODUCED, {"truncated_digits"}};
    case ByHand::kOtherDevices:
      return {proto::REPRODUCED, {"of_another_number_of_devices"}};
    case ByHand::kOtherColumn:
      return {proto::REPRODUCED, {"of_another_column"}};
    case ByHand::kDoesNotFollow:
      return {proto::NOT_REPRODUCIBLE, {}};
    default:
      return {proto::REPRODUCED, {}};
  }
}

bool Same(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

void ExpectAgrees(const proto::AuditedValue& found, const Judgement& judged) {
  const Expectation expected = ExpectationOf(judged.by_hand);
  EXPECT_EQ(found.finding(), expected.finding) << found.sentence();
  EXPECT_THAT(found.flag(), ::testing::ElementsAreArray(expected.flags)) << found.sentence();
  if (expected.finding == proto::NOT_REPRODUCIBLE) {
    EXPECT_EQ(found.reproduced_by_size(), 0);
    return;
  }
  ASSERT_GE(found.reproduced_by_size(), 1);
  const proto::Candidate& first = found.reproduced_by(0);
  EXPECT_TRUE(Same(first.value(), judged.value)) << first.value() << " by hand " << judged.value;
  EXPECT_EQ(absl::StrContains(first.convention(), "before their rounding"), judged.by_hand == ByHand::kWithinRounding)
      << first.convention();
}

// Returns the first match that is not in `seen`, because two rows may print the same number.
const proto::AuditedValue* Find(const std::vector<proto::AuditTable>& tables, const Judgement& judged,
                                std::set<const proto::AuditedValue*>& seen) {
  for (const proto::AuditTable& table : tables) {
    for (const proto::AuditedValue& value : table.value()) {
      const proto::PublishedValue& published = value.published();
      if (table.table() == judged.table && published.quantity() == judged.quantity &&
          published.context() == judged.context && published.devices() == judged.devices &&
          published.as_printed() == judged.printed && seen.insert(&value).second) {
        return &value;
      }
    }
  }
  return nullptr;
}

}  // namespace

void ExpectJudged(const std::string& name, const std::vector<Judgement>& judgements, int given) {
  const auto file = ReadPublishedTables(absl::StrCat("data/published/", name));
  ASSERT_THAT(file, IsOk());
  const std::vector<proto::AuditTable> tables = *Audit(file->tables);
  int found_given = 0, derived = 0;
  for (const proto::AuditTable& table : tables) {
    for (const proto::AuditedValue& value : table.value()) {
      const bool is_given = value.finding() == proto::GIVEN;
      (is_given ? found_given : derived) += 1;
      EXPECT_TRUE(!is_given || value.flag_size() == 0) << value.sentence();
    }
  }
  EXPECT_EQ(found_given, given);
  EXPECT_EQ(derived, static_cast<int>(judgements.size()));
  std::set<const proto::AuditedValue*> seen;
  for (const Judgement& judged : judgements) {
    SCOPED_TRACE(absl::StrCat(judged.table, ", ", judged.context, ", ", judged.devices, ": ", judged.printed));
    const proto::AuditedValue* found = Find(tables, judged, seen);
    ASSERT_NE(found, nullptr);
    ExpectAgrees(*found, judged);
  }
}

}  // namespace lockstep::testing
