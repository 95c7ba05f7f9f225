#include "lib/wording/cell.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

proto::Samples SamplesOf(const std::vector<double>& values) {
  proto::Samples samples;
  samples.mutable_value()->Add(values.begin(), values.end());
  return samples;
}

TEST(FormatTest, FourSignificantDigits) {
  EXPECT_EQ(FormatNumber(12.0512), "12.05");
  EXPECT_EQ(FormatNumber(0.12345), "0.1235");  // 0.12345 is stored as 0.123450000000000004
  EXPECT_EQ(FormatNumber(-1.5), "-1.500");
  EXPECT_EQ(FormatNumber(0), "0");
  EXPECT_EQ(FormatNumber(3.14159, 2), "3.1");
}

TEST(FormatTest, SharesInPerCentToAHundredth) {
  EXPECT_EQ(FormatPercent(0.541), "54.10");
  EXPECT_EQ(FormatPercent(1), "100.00");
}

TEST(FormatTest, LargeNumbersKeepTheirIntegerPartInThousands) {
  EXPECT_EQ(FormatNumber(9999), "9999");
  EXPECT_EQ(FormatNumber(50000), "50,000");
  EXPECT_EQ(FormatNumber(-1234567.8), "-1,234,568");
  EXPECT_EQ(FormatCount(11173962), "11,173,962");
  EXPECT_EQ(FormatCount(782), "782");
  EXPECT_EQ(CountOf(0, "group"), "0 groups");
  EXPECT_EQ(CountOf(1, "group"), "1 group");
  EXPECT_EQ(CountOf(2, "copied file"), "2 copied files");
  EXPECT_EQ(CountOf(12345, "image"), "12,345 images");
}

TEST(FormatTest, VerySmallNumbersHaveAnExponent) { EXPECT_EQ(FormatNumber(1.25e-7, 2), "1.2e-07"); }

TEST(FormatTest, NumbersThatAreNone) {
  EXPECT_EQ(FormatNumber(std::nan("")), "nan");
  EXPECT_EQ(FormatNumber(-HUGE_VAL), "-inf");
}

// 1, 2, 3: mean 2, sample variance ((1 + 0 + 1) / 2) = 1.
TEST(SpreadTest, SampleStandardDeviation) {
  const MeanAndDeviation spread = MeanAndDeviationOf(SamplesOf({1, 2, 3}));
  EXPECT_DOUBLE_EQ(spread.mean, 2);
  EXPECT_DOUBLE_EQ(spread.standard_deviation, 1);
  EXPECT_EQ(spread.n, 3u);
}

TEST(SpreadTest, IsRoundedToTwoDigitsOfTheDeviation) {
  EXPECT_EQ(FormatMeanAndDeviation({12.0512, 0.1342, 5}), "12.05 ± 0.13");
  EXPECT_EQ(FormatMeanAndDeviation({1234.4, 140, 3}), "1234 ± 140");
  EXPECT_EQ(FormatMeanAndDeviation({2, 0, 2}), "2.000 ± 0");
  EXPECT_EQ(FormatMeanAndDeviation({4.143e-5, 2.7e-7, 3}), "(4.143 ± 0.027)e-5");
}

TEST(IntervalTest, IsRoundedToTwoDigitsOfHalfItsWidth) {
  EXPECT_EQ(FormatInterval(0.67004, 0.5163, 0.8468), "0.67 [0.52, 0.85]");
  EXPECT_EQ(FormatInterval(123.456, 100, 140), "123 [100, 140]");
  EXPECT_EQ(FormatInterval(2, 2, 2), "2.000 [2.000, 2.000]");
  EXPECT_EQ(FormatInterval(1e-5, 0.9e-5, 1.1e-5), "1.000e-05 [9.000e-06, 1.100e-05]");
}

TEST(CellTest, SamplesShowSpreadAndCount) {
  EXPECT_THAT(SamplesCell(SamplesOf({1, 2, 3})), EqualsProto(R"pb(
                text: "2.0 ± 1.0 (3)"
                provenance: MEASURED
                method: "mean ± sample standard deviation of 3 timed epochs"
                exact: "2 ± 1")pb"));
}

TEST(CellTest, ASingleValueHasNoSpread) {
  const proto::Cell cell = SamplesCell(SamplesOf({12.0512}));
  EXPECT_EQ(cell.text(), "12.05 (1)");
  EXPECT_THAT(cell.method(), HasSubstr("no spread"));
}

TEST(CellTest, NoSamplesAreBlankWithTheReasonAndNever0) {
  proto::Samples samples;
  samples.set_absent_reason("out of memory");
  EXPECT_THAT(SamplesCell(samples), EqualsProto("absent_reason: 'out of memory'"));
}

TEST(CellTest, AMissingReasonIsReportedAsMissing) {
  EXPECT_THAT(AbsentCell("").absent_reason(), HasSubstr("gives no reason"));
}

TEST(CellTest, AQuantityKeepsItsProvenanceAndMethod) {
  proto::Quantity quantity;
  quantity.set_value(2e9);
  quantity.set_low(1.5e9);
  quantity.set_high(2.5e9);
  quantity.set_provenance(proto::MODELLED);
  quantity.set_method("alpha + beta * S");
  EXPECT_THAT(QuantityCell(quantity, 1e-9), EqualsProto(R"pb(
                text: "2.00 [1.50, 2.50]"
                provenance: MODELLED
                method: "alpha + beta * S"
                exact: "2 [1.5, 2.5]")pb"));
}

TEST(CellTest, AQuantityOf0IsANumber) {
  proto::Quantity quantity;
  quantity.set_value(0);
  EXPECT_EQ(QuantityCell(quantity).text(), "0");
  EXPECT_EQ(QuantityCell(proto::Quantity()).text(), "");
}

TEST(CellTest, ACountHasNoPoint) {
  proto::Quantity quantity;
  quantity.set_value(1955);
  EXPECT_EQ(QuantityCountCell(quantity).text(), "1955");
  EXPECT_EQ(QuantityCountCell(proto::Quantity()).text(), "");
}

TEST(CellTest, WhatIsNoCountIsNotShownAsOne) {
  proto::Quantity quantity;
  quantity.set_value(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(QuantityCountCell(quantity).text(), "nan");
  quantity.set_value(-3);
  EXPECT_EQ(QuantityCountCell(quantity).text(), "-3.000");
}

TEST(CellTest, ANegativeQuantityIsShownAndNoted) {
  proto::Quantity quantity;
  quantity.set_value(-0.25);
  EXPECT_EQ(QuantityCell(quantity).text(), "-0.2500");
  EXPECT_THAT(QuantityCell(quantity).note(), HasSubstr("not clamped"));
}

TEST(MethodNotesTest, ColumnsOfOneMethodShareANote) {
  proto::Table table = MakeTable("", {"batch", "a, s", "b, s"});
  AddRow(table,
         {LabelCell("32"), NumberCell(1, proto::MEASURED, "by clock"), NumberCell(2, proto::MEASURED, "by clock")});
  AddMethodNotes(table);
  EXPECT_THAT(table.note(), ElementsAre("a, s; b, s: by clock"));
}

TEST(MethodNotesTest, MethodsThatDifferByCellGiveAnExample) {
  proto::Table table = MakeTable("", {"speed-up", "speed-up"});
  AddRow(table, {NumberCell(1, proto::DERIVED, "E_1(32)/E_2(32)"), NumberCell(2, proto::DERIVED, "E_1(64)/E_2(64)")});
  AddMethodNotes(table);
  EXPECT_THAT(table.note(), ElementsAre("speed-up: for example E_1(32)/E_2(32)"));
}

}  // namespace
}  // namespace lockstep
