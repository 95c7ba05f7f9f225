// Documents of many tables. The work of an audit must grow with the number of tables, not with its square or cube; the
// verdicts must stay right, and a document that is too large must be refused. Work is counted in recomputations, which
// do not depend on the machine.
#include <csignal>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/audit.h"
#include "lib/audit/small_document_testing.h"
#include "lib/base/stop_signal.h"
#include "lib/published/published_check.h"
#include "lib/published/published_tables.h"
#include "lib/testing/matchers.h"

namespace lockstep::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Returns tables of 6 numbers, each of which follows from the times of its own table. The tables differ.
proto::PublishedTables ManyTables(int count) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  document.mutable_claims()->set_batch("per_device");
  for (int i = 0; i < count; ++i) {
    proto::PublishedTable& table = *document.add_table();
    table.set_name(absl::StrCat("T", i));
    const double one = 40 + 0.173 * i, two = 0.61 * one, four = 0.37 * one;
    const auto add = [&](proto::PublishedQuantity quantity, uint32_t devices, double value, int decimals) {
      Add(table, quantity, devices, 32, absl::StrFormat("%.*f", decimals, value));
    };
    add(proto::EPOCH_SECONDS, 1, one, 4);
    add(proto::EPOCH_SECONDS, 2, two, 4);
    add(proto::EPOCH_SECONDS, 4, four, 4);
    add(proto::COMPUTE_SECONDS, 4, one / 4, 3);
    add(proto::COMMUNICATION_SECONDS, 2, two - one / 2, 3);
    add(proto::COMMUNICATION_SECONDS, 4, four - one / 4, 3);
  }
  return document;
}

uint64_t Spent(const proto::PublishedTables& document) {
  AuditBudget budget;
  const uint64_t before = budget.recomputations;
  EXPECT_THAT(Audit(document, budget), IsOk());
  return before - budget.recomputations;
}

TEST(AuditSizeTest, table_100_tables_17_KB_in_5_s) {
  const proto::PublishedTables document = ManyTables(100);
  ASSERT_THAT(CheckPublishedTables(document), IsOk());
  const auto audited = Audit(document);
  ASSERT_THAT(audited, IsOk());
  for (const proto::AuditTable& table : *audited) {
    EXPECT_EQ(table.summary().not_reproducible(), 0) << table.summary().sentence();
  }
  EXPECT_LT(Spent(document), 250'000);
}

TEST(AuditSizeTest, TheLargestHandInIsFarBelowTheLimit) {
  const auto file = ReadPublishedTables("data/published/hand_in_003.textproto");
  ASSERT_THAT(file, IsOk());
  EXPECT_LT(20 * Spent(file->tables), kMaxRecomputations);
}

TEST(AuditSizeTest, table_200_tables_36_KB) {
  const uint64_t of_100 = Spent(ManyTables(100));
  EXPECT_LT(Spent(ManyTables(200)), 2.1 * static_cast<double>(of_100));
  EXPECT_LT(Spent(ManyTables(kMaxPublishedTables)), 5.1 * static_cast<double>(of_100));
}

TEST(AuditSizeTest, table_2000_tables) {
  EXPECT_THAT(CheckPublishedTables(ManyTables(2000)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("at most 500 tables, found 2000")));
}

TEST(AuditSizeTest, table_of_many_numbers) {
  proto::PublishedTables document = ManyTables(1);
  for (int i = 0; i < kMaxPublishedNumbers; ++i) {
    Add(*document.mutable_table(0), proto::EPOCH_SECONDS, 1, static_cast<uint32_t>(100 + i), "1.5");
  }
  EXPECT_THAT(CheckPublishedTables(document),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("at most 10000 numbers, found 10006")));
}

// Each number has its own label, so each label is a column of inputs.
TEST(AuditSizeTest, table_of_many_labels) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("labels");
  for (int i = 0; i < 1000; ++i) {
    for (const uint32_t devices : {1u, 2u}) {
      Add(table, proto::ITEMS_PER_SECOND, devices, 32, absl::StrFormat("%d", 1000 + i * static_cast<int>(devices)));
      table.mutable_value(table.value_size() - 1)->set_context(absl::StrCat("label ", i));
    }
    Add(table, proto::SPEEDUP, 2, 32, "1.5");
    table.mutable_value(table.value_size() - 1)->set_context(absl::StrCat("label ", i));
  }
  EXPECT_LT(Spent(document), 500'000);
}

// Many values of one quantity: the text for each must stay a few sentences.
TEST(AuditSizeTest, table_of_one_quantity_everywhere) {
  proto::PublishedTables document = ManyTables(kMaxPublishedTables);
  const auto audited = Audit(document);
  ASSERT_THAT(audited, IsOk());
  const std::string& sentence = audited->front().value(0).sentence();
  EXPECT_THAT(sentence, AllOf(HasSubstr("T10 prints"), HasSubstr("and 489 more.")));
  EXPECT_LT(sentence.size(), 2000);
}

// A stop signal ends Audit within a column.
TEST(AuditSizeTest, table_that_is_stopped) {
  const auto stopped = [] {
    InstallStopSignals();
    raise(SIGTERM);
    return Audit(ManyTables(100)).status().code() == absl::StatusCode::kCancelled ? 0 : 1;
  };
  EXPECT_EXIT(std::exit(stopped()), ::testing::ExitedWithCode(0), "");
}

TEST(AuditSizeTest, ABudgetThatEndsReportsWhere) {
  AuditBudget budget;
  budget.recomputations = 1000;
  EXPECT_THAT(Audit(ManyTables(100), budget),
              StatusIs(absl::StatusCode::kFailedPrecondition, AllOf(HasSubstr("recomputations"), HasSubstr("table 'T"),
                                                                    HasSubstr("100 tables of 600 numbers"))));
}

}  // namespace
}  // namespace lockstep::testing
