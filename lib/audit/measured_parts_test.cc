// The audit of computing and communication times that were measured.
#include "lib/audit/measured_parts.h"

#include <cmath>
#include <cstdint>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Computing of a program that does not divide the data as T_1/N: 61 to 79 % of the whole time, by device and batch.
double Compute(uint32_t n, uint32_t b) { return T(n, b) * (0.61 + 0.03 * n + (b == 128 ? 0.06 : 0)); }
double Communicate(uint32_t n, uint32_t b) { return T(n, b) * (0.03 * n + (b == 512 ? 0.11 : 0.04)); }

proto::PublishedTables Measured() {
  proto::PublishedTables document = Times();
  AddTable(document, "compute", proto::COMPUTE_SECONDS, 4, Compute);
  AddTable(document, "communication", proto::COMMUNICATION_SECONDS, 4, Communicate);
  return document;
}

TEST(MeasuredPartsTest, AColumnOfWhichNothingFollowsIsGiven) {
  for (const char* table : {"compute", "communication"}) {
    for (const proto::AuditedValue& value : AuditOf(Measured(), table)) {
      EXPECT_EQ(value.finding(), proto::GIVEN) << value.ShortDebugString();
      EXPECT_THAT(value.flag(), IsEmpty()) << value.ShortDebugString();
      EXPECT_THAT(value.sentence(), HasSubstr("Most likely measured"));
    }
  }
}

TEST(MeasuredPartsTest, ABandwidthFollowsFromMeasuredCommunication) {
  proto::PublishedTables document = Measured();
  AddTable(document, "bandwidth", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6, [](uint32_t n, uint32_t b) {
    return Bytes(n) * kImages / (b * n) / std::round(Communicate(n, b) * 1e4) * 1e4 / 1e9;
  });
  for (const proto::AuditedValue& value : AuditOf(document, "bandwidth")) {
    EXPECT_EQ(value.finding(), proto::REPRODUCED) << value.ShortDebugString();
    EXPECT_THAT(value.flag(), IsEmpty());
  }
}

TEST(MeasuredPartsTest, OneWrongNumberOfAComputedColumnIsNotGiven) {
  proto::PublishedTables document = Clean();
  ValueOf(document, "compute", 2).set_as_printed("9.999");
  EXPECT_EQ(AuditOf(document, "compute")[2].finding(), proto::NOT_REPRODUCIBLE);
}

TEST(MeasuredPartsTest, APartLongerThanTheWholeIsNotGiven) {
  proto::PublishedTables document = Measured();
  ValueOf(document, "compute", 3).set_as_printed("17.9000");  // T_4 = 16.543
  const auto audited = AuditOf(document, "compute");
  EXPECT_EQ(audited[3].finding(), proto::NOT_REPRODUCIBLE) << audited[3].ShortDebugString();
  EXPECT_EQ(audited[2].finding(), proto::GIVEN);
}

TEST(MeasuredPartsTest, ExchangedRowsAreNotGiven) {
  proto::PublishedTables document = Times();
  AddTable(document, "communication", proto::COMMUNICATION_SECONDS, 4,
           [](uint32_t n, uint32_t b) { return Communication(6 - n, b); });
  for (const proto::AuditedValue& value : AuditOf(document, "communication")) {
    EXPECT_NE(value.finding(), proto::GIVEN) << value.ShortDebugString();
  }
}

TEST(MeasuredPartsTest, MultiplesOfAFormulaAreNotGiven) {
  proto::PublishedTables document = Times();
  AddTable(document, "compute", proto::COMPUTE_SECONDS, 5, [](uint32_t n, uint32_t b) { return T(1, b) / n / 60; });
  for (const proto::AuditedValue& value : AuditOf(document, "compute")) {
    EXPECT_EQ(value.finding(), proto::NOT_REPRODUCIBLE) << value.ShortDebugString();  // minutes labelled seconds
  }
}

TEST(MeasuredPartsTest, ASingleNumberIsNotGiven) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("c");
  Add(table, proto::COMPUTE_SECONDS, 2, 32, "15.503");
  EXPECT_EQ(AuditOf(document, "c")[0].finding(), proto::NOT_REPRODUCIBLE);
}

}  // namespace
}  // namespace lockstep::testing
