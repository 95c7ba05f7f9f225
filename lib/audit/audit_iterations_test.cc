// The audit of the time of an iteration as the time of an epoch over its iterations. Measured iteration times, which
// follow from nothing, stay given.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/random_document_testing.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::IsEmpty;

double Steps(uint32_t n, uint32_t b) { return kImages / (n * b); }

std::vector<proto::AuditedValue> AuditIterations(const Formula& formula, int decimals = 5) {
  proto::PublishedTables document = Times();
  AddTable(document, "iterations", proto::ITERATION_SECONDS, decimals, formula);
  return AuditOf(document, "iterations");
}

TEST(AuditIterationsTest, EachWayToCountTheStepsIsFound) {
  // 25.789 s / 781.25 steps of two devices at batch 32
  const auto quotient = AuditIterations([](uint32_t n, uint32_t b) { return T(n, b) / Steps(n, b); });
  EXPECT_EQ(quotient[0].published().as_printed(), "0.03301");
  ExpectAll(quotient, proto::REPRODUCED, "T_N / (images/(B*N)), T_N of times", {});
  ExpectAll(AuditIterations([](uint32_t n, uint32_t b) { return T(n, b) / std::ceil(Steps(n, b)); }), proto::REPRODUCED,
            "T_N / (ceil(images/(B*N)))", {});
  ExpectAll(AuditIterations([](uint32_t n, uint32_t b) { return T(n, b) / std::floor(Steps(n, b)); }),
            proto::REPRODUCED, "T_N / (floor(images/(B*N)))", {});
}

TEST(AuditIterationsTest, StepsOfOneDeviceAreNamed) {
  ExpectAll(AuditIterations([](uint32_t n, uint32_t b) { return T(n, b) * b / kImages; }, 6), proto::REPRODUCED,
            "T_N / (images/B)", {"iterations_not_divided_by_N"});
}

TEST(AuditIterationsTest, OneWrongTimeIsCaughtAndNoOther) {
  for (uint32_t wrong : kBatches) {
    const auto audited = AuditIterations(
        [&](uint32_t n, uint32_t b) { return T(n, b) / Steps(n, b) * (n == 4 && b == wrong ? 1.03 : 1); });
    for (const proto::AuditedValue& value : audited) {
      const bool alarm = value.finding() == proto::NOT_REPRODUCIBLE || value.flag_size() > 0;
      EXPECT_EQ(alarm, value.published().devices() == 4 && value.published().batch() == wrong)
          << value.ShortDebugString();
    }
  }
}

TEST(AuditIterationsTest, MeasuredTimesAreGiven) {
  for (const proto::AuditedValue& value : AuditIterations([](uint32_t, uint32_t b) { return 0.5 + 0.001 * b; }, 3)) {
    EXPECT_EQ(value.finding(), proto::GIVEN) << value.ShortDebugString();
    EXPECT_THAT(value.flag(), IsEmpty()) << value.ShortDebugString();
  }
}

// At most 0.5 % of random times are explained, and no other is called wrong.
TEST(AuditIterationsTest, NonsenseIsGiven) {
  int explained = 0, all = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    for (const proto::AuditedValue& value :
         AuditIterations([&](uint32_t, uint32_t) { return random.Between(0.01, 0.2); })) {
      ++all;
      explained += value.finding() != proto::GIVEN;
    }
  }
  EXPECT_EQ(all, 1200);
  EXPECT_LE(200 * explained, all);
}

// The printed time, not the quotient, is the input of a rate: 64 / 0.033 = 1939, and 64 / 0.0330099 = 1938.8.
TEST(AuditIterationsTest, ARateUsesThePrintedTime) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("rates");
  Add(table, proto::ITERATION_SECONDS, 2, 32, "0.033");
  Add(table, proto::ITEMS_PER_SECOND, 2, 32, "1939.39");
  const auto audited = AuditOf(document, "rates");
  EXPECT_EQ(audited[1].finding(), proto::REPRODUCED) << audited[1].ShortDebugString();
  EXPECT_DOUBLE_EQ(audited[1].reproduced_by(0).value(), 64 / 0.033);
}

}  // namespace
}  // namespace lockstep::testing
