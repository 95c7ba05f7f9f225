// The audit of phases of a step that add up to a printed time, in documents that say so.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/random_document_testing.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr proto::PublishedQuantity kPartsOfStep[] = {proto::LOADING_SECONDS, proto::FORWARD_SECONDS,
                                                     proto::BACKWARD_SECONDS, proto::OPTIMIZER_SECONDS,
                                                     proto::COMMUNICATION_SECONDS};
constexpr int kDecimals = 4;

// Returns a document with the phases of one step on 1, 2, 4 and 8 devices, and with totals that `total` makes of them.
template <typename Total>
proto::PublishedTables Steps(proto::PublishedQuantity quantity, uint32_t seed, Total total) {
  Random random(seed);
  proto::PublishedTables document;
  document.set_source("made up");
  document.mutable_claims()->set_phases("sum");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("steps");
  for (const uint32_t devices : {1, 2, 4, 8}) {
    std::map<proto::PublishedQuantity, double> parts;
    for (const proto::PublishedQuantity part : kPartsOfStep) {
      const std::string digits = absl::StrFormat("%.*f", kDecimals, random.Between(0.01, 0.3));
      parts[part] = std::stod(digits);
      Add(table, part, devices, 64, digits);
    }
    Add(table, quantity, devices, 64, absl::StrFormat("%.*f", kDecimals, total(parts, devices)));
  }
  return document;
}

using Parts = std::map<proto::PublishedQuantity, double>;

double SumOfParts(const Parts& parts, uint32_t) {
  double sum = 0;
  for (const auto& [part, seconds] : parts) {
    sum += seconds;
  }
  return sum;
}

double WithoutLoading(const Parts& parts, uint32_t n) {
  return SumOfParts(parts, n) - parts.at(proto::LOADING_SECONDS);
}

double WithoutOptimizer(const Parts& parts, uint32_t n) {
  return SumOfParts(parts, n) - parts.at(proto::OPTIMIZER_SECONDS);
}

std::vector<proto::AuditedValue> TotalsOf(const proto::PublishedTables& document, proto::PublishedQuantity quantity) {
  std::vector<proto::AuditedValue> totals;
  for (const proto::AuditedValue& value : AuditOf(document, "steps")) {
    if (value.published().quantity() == quantity) {
      totals.push_back(value);
    } else {
      EXPECT_EQ(value.finding(), proto::GIVEN) << value.ShortDebugString();
    }
  }
  EXPECT_EQ(totals.size(), 4u);
  return totals;
}

TEST(AuditPhasesTest, TheRightSumGivesNoAlarm) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const auto epochs = TotalsOf(Steps(proto::EPOCH_SECONDS, seed, SumOfParts), proto::EPOCH_SECONDS);
    const auto iterations = TotalsOf(Steps(proto::ITERATION_SECONDS, seed, SumOfParts), proto::ITERATION_SECONDS);
    for (const auto& totals : {epochs, iterations}) {
      ExpectAll(totals, proto::REPRODUCED, "sum of the phases", {});
    }
    ExpectAll(TotalsOf(Steps(proto::STEP_SECONDS, seed, WithoutLoading), proto::STEP_SECONDS), proto::REPRODUCED,
              "sum of the phases without loading", {});
  }
}

TEST(AuditPhasesTest, SlipsAreNamed) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    ExpectAll(TotalsOf(Steps(proto::EPOCH_SECONDS, seed, WithoutLoading), proto::EPOCH_SECONDS), proto::REPRODUCED,
              "sum of the phases without loading", {"with_and_without_loading_mixed"});
    ExpectAll(TotalsOf(Steps(proto::STEP_SECONDS, seed, SumOfParts), proto::STEP_SECONDS), proto::REPRODUCED,
              "sum of the phases", {"with_and_without_loading_mixed"});
    ExpectAll(TotalsOf(Steps(proto::ITERATION_SECONDS, seed, WithoutOptimizer), proto::ITERATION_SECONDS),
              proto::REPRODUCED, "sum of the phases without optimizer", {"phase_left_out"});
  }
}

TEST(AuditPhasesTest, OneWrongTotalIsCaughtAndNoOther) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const uint32_t wrong = 1u << seed % 4;
    const auto document = Steps(proto::ITERATION_SECONDS, seed, [&](const Parts& parts, uint32_t n) {
      return SumOfParts(parts, n) * (n == wrong ? 1.02 : 1);
    });
    for (const proto::AuditedValue& value : TotalsOf(document, proto::ITERATION_SECONDS)) {
      const bool alarm = value.finding() == proto::NOT_REPRODUCIBLE || value.flag_size() > 0;
      EXPECT_EQ(alarm, value.published().devices() == wrong) << seed << ": " << value.ShortDebugString();
    }
  }
}

// Random totals: at most 0.5 % are explained.
TEST(AuditPhasesTest, NonsenseIsNotExplained) {
  int explained = 0, all = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Random random(5000 + seed);
    const auto document =
        Steps(proto::ITERATION_SECONDS, seed, [&](const Parts&, uint32_t) { return random.Between(0.3, 1.2); });
    for (const proto::AuditedValue& value : TotalsOf(document, proto::ITERATION_SECONDS)) {
      ++all;
      explained += value.finding() == proto::REPRODUCED || value.finding() == proto::AMBIGUOUS;
    }
  }
  EXPECT_EQ(all, 800);
  EXPECT_LE(200 * explained, all);
}

TEST(AuditPhasesTest, WithoutTheDocumentsStatementNothingIsAdded) {
  auto document = Steps(proto::EPOCH_SECONDS, 1, SumOfParts);
  document.mutable_claims()->clear_phases();
  for (const proto::AuditedValue& value : AuditOf(document, "steps")) {
    if (value.published().quantity() == proto::EPOCH_SECONDS) {
      EXPECT_EQ(value.finding(), proto::GIVEN) << value.ShortDebugString();
    }
  }
}

// Returns a row whose phases add up to 0.6 s.
proto::PublishedTables OneRow(const std::string& iteration_seconds) {
  proto::PublishedTables document;
  document.set_source("made up");
  document.mutable_claims()->set_phases("sum");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("steps");
  Add(table, proto::FORWARD_SECONDS, 2, 64, "0.100");
  Add(table, proto::BACKWARD_SECONDS, 2, 64, "0.200");
  Add(table, proto::COMMUNICATION_SECONDS, 2, 64, "0.300");
  Add(table, proto::ITERATION_SECONDS, 2, 64, iteration_seconds);
  return document;
}

TEST(AuditPhasesTest, ATotalThatIsNoSumIsFlagged) {
  const auto audited = AuditOf(OneRow("0.612"), "steps");
  EXPECT_EQ(audited[3].finding(), proto::NOT_REPRODUCIBLE) << audited[3].ShortDebugString();
  EXPECT_THAT(audited[3].flag(), ElementsAre("parts_do_not_sum"));
  EXPECT_NEAR(audited[3].nearest().value(), 0.6, 1e-12);
}

// 90 s of an epoch is no sum.
TEST(AuditPhasesTest, OnlyTheNearestTotalIsTheSum) {
  proto::PublishedTables document = OneRow("0.600");
  Add(*document.mutable_table(0), proto::EPOCH_SECONDS, 2, 64, "90.12");
  const auto audited = AuditOf(document, "steps");
  EXPECT_EQ(audited[2].finding(), proto::GIVEN) << audited[2].ShortDebugString();
  EXPECT_EQ(audited[3].finding(), proto::REPRODUCED) << audited[3].ShortDebugString();
  EXPECT_THAT(audited[3].sentence(), HasSubstr("from 0.100, 0.200, 0.300"));
  EXPECT_EQ(audited[4].finding(), proto::GIVEN) << audited[4].ShortDebugString();
}

}  // namespace
}  // namespace lockstep::testing
