// The choice between conventions that give the same printed digits.
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns times, communication times, and the bandwidths of two and four devices at batch 32 with two decimals.
proto::PublishedTables TwoBandwidths(double scale) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  proto::PublishedTable& table = *document.add_table();
  table.set_name("b");
  for (const uint32_t n : kRanks) {
    Add(table, proto::BANDWIDTH_GIGABYTES_PER_SECOND, n, 32, absl::StrFormat("%.2f", scale * Bandwidth(n, 32) / 1e9));
  }
  return document;
}

// 781.25 or 782 iterations on two devices, 390.625 or 391 on four: each pair gives the same printed digits, and floor
// gives them, too.
TEST(AuditChoiceTest, TheRoundingOfStepsIsNoOtherMeaning) {
  for (const proto::AuditedValue& value : AuditOf(TwoBandwidths(1), "b")) {
    EXPECT_EQ(value.finding(), proto::REPRODUCED) << value.ShortDebugString();
    ASSERT_EQ(value.reproduced_by_size(), 1) << value.ShortDebugString();
    EXPECT_THAT(value.reproduced_by(0).convention(), HasSubstr("* images/(B*N)"));
    EXPECT_THAT(value.flag(), IsEmpty());
  }
}

// Both networks give 6.10 and 4.02: 6.0967 and 6.1009, 4.0215 and 4.0243. The document does not state its parameters.
TEST(AuditChoiceTest, TwoNetworksAreAmbiguous) {
  proto::PublishedTables document = TwoBandwidths(11.173962);
  document.mutable_claims()->clear_parameter_count();
  for (const proto::AuditedValue& value : AuditOf(document, "b")) {
    EXPECT_EQ(value.finding(), proto::AMBIGUOUS) << value.ShortDebugString();
    ASSERT_EQ(value.reproduced_by_size(), 2) << value.ShortDebugString();
    EXPECT_THAT(value.reproduced_by(0).convention(), HasSubstr("X = 11173962"));
    EXPECT_THAT(value.reproduced_by(1).convention(), HasSubstr("X = 11181642"));
    EXPECT_THAT(value.flag(), IsEmpty());
  }
}

// 100.00 / 60.00 = 1.6667 with the same batch per device, 100.02 / 60.00 = 1.6670 with the same total batch.
TEST(AuditChoiceTest, ThePlainestConventionIsTaken) {
  proto::PublishedTables document;
  document.set_source("made up");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  Add(table, proto::EPOCH_SECONDS, 1, 32, "100.00");
  Add(table, proto::EPOCH_SECONDS, 1, 64, "100.02");
  Add(table, proto::EPOCH_SECONDS, 2, 32, "60.00");
  Add(table, proto::SPEEDUP, 2, 32, "1.667");
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[3].finding(), proto::REPRODUCED) << audited[3].ShortDebugString();
  EXPECT_EQ(audited[3].reproduced_by(0).convention(), "T_1/T_N, times of t");
}

// 100.00 / 80.01 = 1.24984 and 50.00 / 40.00 = 1.25: the column with the number's label comes first.
TEST(AuditChoiceTest, TheSameLabelComesFirst) {
  proto::PublishedTables document;
  document.set_source("made up");
  proto::PublishedTable& times = *document.add_table();
  times.set_name("times");
  const auto add_times = [&](const char* label, const char* one, const char* two) {
    Add(times, proto::EPOCH_SECONDS, 1, 32, one);
    Add(times, proto::EPOCH_SECONDS, 2, 32, two);
    for (int i = times.value_size() - 2; i < times.value_size(); ++i) {
      times.mutable_value(i)->set_context(label);
    }
  };
  add_times("fp32", "100.00", "80.01");
  add_times("mixed", "50.00", "40.00");
  proto::PublishedTable& speedups = *document.add_table();
  speedups.set_name("s");
  Add(speedups, proto::SPEEDUP, 2, 32, "1.250");
  for (const char* label : {"mixed", "fp32"}) {
    document.mutable_table(1)->mutable_value(0)->set_context(label);
    const auto audited = AuditOf(document, "s");
    EXPECT_EQ(audited[0].finding(), proto::REPRODUCED) << audited[0].ShortDebugString();
    EXPECT_THAT(audited[0].reproduced_by(0).convention(), HasSubstr(absl::StrFormat("times (%s)", label)));
  }
}

}  // namespace
}  // namespace lockstep::testing
