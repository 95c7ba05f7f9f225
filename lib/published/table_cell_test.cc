#include "lib/published/table_cell.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(TableCellTest, NumbersKeepTheirDigits) {
  const struct {
    const char *text, *digits, *unit;
  } kCases[] = {{"12.30", "12.30", ""},
                {"1,024", "1024", ""},
                {"1,234,567.80", "1234567.80", ""},
                {"1 024", "1024", ""},
                {"1\xC2\xA0"
                 "024",
                 "1024", ""},
                {"~12.3", "12.3", ""},
                {"\xE2\x89\x88 12", "12", ""},
                {"+5", "5", ""},
                {"-0.15", "-0.15", ""},
                {"\xE2\x88\x92"
                 "3",
                 "-3", ""},
                {"1.93x", "1.93", "1"},
                {"x1.93", "1.93", "1"},
                {"1.93\xC3\x97", "1.93", "1"},
                {"97 %", "97", "%"},
                {"12.3s", "12.3", "s"},
                {"250 ms", "250", "ms"},
                {"1.5 GB/s", "1.5", "GB/s"},
                {"5e-2", "5e-2", ""},
                {"2:05", "125", "s"},
                {"0:09.75", "9.75", "s"},
                {"1:02:05", "3725", "s"},
                {"120.53 \xC2\xB1 0.41 s", "120.53", "s"},
                {"12.5*", "12.5", ""}};
  for (const auto& test : kCases) {
    const auto cell = ParseTableCell(test.text, CommaMeaning::kThousands);
    ASSERT_THAT(cell, IsOk()) << test.text;
    EXPECT_EQ(cell->digits, test.digits) << test.text;
    EXPECT_EQ(cell->unit, test.unit) << test.text;
  }
}

TEST(TableCellTest, ADecimalComma) {
  const std::pair<const char*, const char*> cases[] = {
      {"12,30", "12.30"}, {"1.024,5", "1024.5"}, {"1 024,5", "1024.5"}, {"1,024", "1.024"}, {"2:05,3", "125.3"}};
  for (const auto& [text, digits] : cases) {
    const auto cell = ParseTableCell(text, CommaMeaning::kDecimal);
    ASSERT_THAT(cell, IsOk()) << text;
    EXPECT_EQ(cell->digits, digits) << text;
  }
  EXPECT_THAT(ParseTableCell("1.5", CommaMeaning::kDecimal),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("one decimal sign throughout")));
}

TEST(TableCellTest, BlanksHaveNoDigits) {
  for (const char* text : {"", " ", "OOM", "N/A", "n/a", "-", "\xE2\x80\x94", "**OOM**"}) {
    const auto cell = ParseTableCell(text, CommaMeaning::kThousands);
    ASSERT_THAT(cell, IsOk()) << text;
    EXPECT_EQ(cell->digits, "") << text;
  }
}

TEST(TableCellTest, OtherTextsAreRefused) {
  for (const char* text : {"fast", "12 parsec", "12,5", "0,123", "1,02", "1.2.3", "1:75", "1:2", "1:2:3:4", "12 13",
                           "4 GPUs", "12.3 (1.9x)", "--5", "1e99", "2:05 GB", "%", "<0.01"}) {
    EXPECT_THAT(ParseTableCell(text, CommaMeaning::kThousands),
                StatusIs(absl::StatusCode::kInvalidArgument, Not(IsEmpty())))
        << text;
  }
}

}  // namespace
}  // namespace lockstep
