// Findings of the rules in the five hand-ins, and in documents in which every number follows.
#include "lib/checks/table_rules.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/random_document_testing.h"
#include "lib/checks/check.h"
#include "lib/published/published_tables.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<CheckFinding> HandIn(const std::string& name) {
  const auto file = ReadPublishedTables("data/published/" + name);
  EXPECT_THAT(file, IsOk());
  return file.ok() ? *CheckTables(name, file->tables) : std::vector<CheckFinding>();
}

// A batch instead of bytes, rows whose parts do not sum, 1.07 % for a ratio of 1.15.
TEST(TableRulesTest, HandIn000) {
  EXPECT_THAT(
      FailedRules(HandIn("hand_in_000.textproto")),
      ElementsAre("bandwidth_not_derivable", "parts_do_not_sum", "scaling_mislabelled", "number_not_reproducible"));
}

// Clocks that cannot be right, 'computation' that is the whole time, GB although it states GiB, one wrong speed-up.
TEST(TableRulesTest, HandIn001) {
  EXPECT_THAT(FailedRules(HandIn("hand_in_001.textproto")),
              ElementsAre("flops_above_peak", "communication_in_compute", "parts_do_not_sum", "gib_as_gb",
                          "number_not_reproducible"));
}

// N counted twice, the parameters of another model, iterations forgotten, batches beyond the data, different loaders.
// Its GB are 2^30 bytes, as it states.
TEST(TableRulesTest, HandIn002) {
  EXPECT_THAT(FailedRules(HandIn("hand_in_002.textproto")),
              ElementsAre("bandwidth_not_derivable", "loading_mixed", "batch_beyond_the_data", "n_counted_twice",
                          "wrong_model_size"));
}

// The speed-ups of this document count N twice; documents in which every number follows have no refuted number.
TEST(TableRulesTest, NumbersThatAFailingRuleNamesAreRefuted) {
  const auto file = ReadPublishedTables("data/published/hand_in_002.textproto");
  ASSERT_THAT(file, IsOk());
  AuditBudget budget;
  std::vector<proto::PublishedValue> refuted;
  ASSERT_THAT(CheckTables("hand_in_002", file->tables, budget, refuted), IsOk());
  EXPECT_TRUE(std::any_of(refuted.begin(), refuted.end(),
                          [](const proto::PublishedValue& value) { return value.quantity() == proto::SPEEDUP; }));
  refuted.clear();
  RandomDocument document(1);
  for (proto::PublishedValue& value : *document.table("times").mutable_value()) {
    value.set_quantity(proto::STEP_SECONDS);
  }
  ASSERT_THAT(CheckTables("random", document.tables(), budget, refuted), IsOk());
  EXPECT_THAT(refuted, IsEmpty());
}

// Whole seconds, total batches labelled per GPU, elements instead of bytes, N counted twice.
TEST(TableRulesTest, HandIn003) {
  EXPECT_THAT(FailedRules(HandIn("hand_in_003.textproto")),
              ElementsAre("bandwidth_not_derivable", "loading_counted_as_communication", "scaling_mislabelled",
                          "n_counted_twice", "whole_second_clock"));
}

// A base of two GPUs, iterations forgotten, a peak below the reached bandwidth, two numbers that differ from its log.
TEST(TableRulesTest, HandIn004) {
  EXPECT_THAT(FailedRules(HandIn("hand_in_004.textproto")),
              ElementsAre("bandwidth_not_derivable", "loading_counted_as_communication", "scaling_mislabelled",
                          "link_peak_assumed", "number_not_reproducible", "speedup_formula"));
}

proto::PublishedValue Printed(proto::PublishedQuantity quantity, const std::string& digits, uint32_t devices) {
  proto::PublishedValue value;
  value.set_quantity(quantity);
  value.set_as_printed(digits);
  value.set_devices(devices);
  return value;
}

TEST(TableRulesTest, SpeedupsAboveTheDevicesAreFoundBeyondTheirRounding) {
  EXPECT_TRUE(IsSpeedupAboveDevices(Printed(proto::SPEEDUP, "4.60", 4)));
  EXPECT_TRUE(IsSpeedupAboveDevices(Printed(proto::SPEEDUP, "4.02", 4)));
  EXPECT_FALSE(IsSpeedupAboveDevices(Printed(proto::SPEEDUP, "4.00", 4)));
  EXPECT_FALSE(IsSpeedupAboveDevices(Printed(proto::SPEEDUP, "3.64", 4)));
  EXPECT_TRUE(IsSpeedupAboveDevices(Printed(proto::EFFICIENCY_PERCENT, "115", 4)));
  EXPECT_FALSE(IsSpeedupAboveDevices(Printed(proto::EFFICIENCY_PERCENT, "100", 4)));
  EXPECT_FALSE(IsSpeedupAboveDevices(Printed(proto::EPOCH_SECONDS, "31.4", 4)));
  proto::PublishedValue of_two = Printed(proto::SPEEDUP, "4.60", 4);
  of_two.set_base_devices(2);
  EXPECT_FALSE(IsSpeedupAboveDevices(of_two));
}

// The times exclude data loading, so that their split is one of computation and communication.
TEST(TableRulesTest, DocumentsInWhichEveryNumberFollowsRaiseNoAlarm) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    RandomDocument document(seed);
    for (proto::PublishedValue& value : *document.table("times").mutable_value()) {
      value.set_quantity(proto::STEP_SECONDS);
    }
    const std::vector<CheckFinding> findings = *CheckTables("random", document.tables());
    EXPECT_THAT(FailedRules(findings), IsEmpty()) << "seed " << seed << "\n" << CheckText(findings);
  }
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
