// The audit of numbers that two tables print alike.
#include "lib/audit/repeated.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns a table of speed-ups that follow, and a summary that prints one of them next to a rate and a run's time, so
// that several formulas are as plain.
proto::PublishedTables WithSummary(const char* speedup) {
  proto::PublishedTables document = Times();
  AddTable(document, "speed-ups", proto::SPEEDUP, 2, [](uint32_t n, uint32_t b) { return T(1, b) / T(n, b); });
  proto::PublishedTable& summary = *document.add_table();
  summary.set_name("summary");
  document.mutable_claims()->set_epochs(10);
  Add(summary, proto::RUN_SECONDS, 1, 32, "441.4");
  Add(summary, proto::RUN_SECONDS, 2, 32, "257.9");
  Add(summary, proto::EPOCH_SECONDS, 1, 32, "40.1");
  Add(summary, proto::EPOCH_SECONDS, 2, 32, "25.8");
  Add(summary, proto::SPEEDUP, 2, 32, speedup);
  return document;
}

TEST(RepeatedTest, ANumberThatFollowsElsewhereIsNotLeftToChance) {
  const auto audited = AuditOf(WithSummary("1.56"), "summary");  // 40.123 / 25.789 = 1.55582
  EXPECT_EQ(audited[4].finding(), proto::REPRODUCED) << audited[4].ShortDebugString();
  EXPECT_EQ(audited[4].reproduced_by(0).convention(), "as printed in speed-ups");
  EXPECT_NEAR(audited[4].reproduced_by(0).value(), 40.123 / 25.789, 1e-12);
  EXPECT_THAT(audited[4].sentence(), HasSubstr("Repeats 1.56 of speed-ups, which follows"));
  EXPECT_THAT(audited[4].flag(), IsEmpty());
}

TEST(RepeatedTest, OtherDigitsAreNoRepetition) {
  const auto audited = AuditOf(WithSummary("1.55"), "summary");
  EXPECT_NE(audited[4].finding(), proto::REPRODUCED) << audited[4].ShortDebugString();
}

TEST(RepeatedTest, ARepeatedErrorDoesNotFollow) {
  proto::PublishedTables document = WithSummary("1.65");
  ValueOf(document, "speed-ups", 0).set_as_printed("1.65");
  EXPECT_EQ(AuditOf(document, "speed-ups")[0].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_EQ(AuditOf(document, "summary")[4].finding(), proto::NOT_REPRODUCIBLE);
}

}  // namespace
}  // namespace lockstep::testing
