#include "lib/base/csv_cell.h"

#include <string>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(CsvCellTest, CommasQuotesAndLineEndsAreQuoted) {
  EXPECT_EQ(CsvCell("-1.5"), "-1.5");
  EXPECT_EQ(CsvCell("50,000"), "\"50,000\"");
  EXPECT_EQ(CsvText("a \"b\""), "\"a \"\"b\"\"\"");
  EXPECT_EQ(CsvText("a\nb\r\nc"), "\"a\nb\r\nc\"");
  EXPECT_EQ(CsvText(""), "");
}

TEST(CsvCellTest, FormulasBecomeText) {
  for (const std::string text : {"=cmd()", "+1+cmd()", "-cmd()", "@SUM(1)", " =cmd()", "\t=cmd()", "\xC2\xA0=cmd()",
                                 "\xEF\xBC\x9D"
                                 "cmd()",
                                 "\xE3\x80\x80\xEF\xBC\x8B"
                                 "1"}) {
    EXPECT_EQ(CsvText(text), "'" + text);
  }
  EXPECT_EQ(CsvText("\n=cmd()"), "\"'\n=cmd()\"");
  EXPECT_EQ(CsvText("\xE2\x80\x8B=cmd()"), "\\u200b=cmd()");
}

TEST(CsvCellTest, NumbersStayNumbers) {
  for (const std::string text : {"-1.5", "+3", "-2e-7", "1.97", "-inf", "-0.50 ± 0.11", "-3 %"}) {
    EXPECT_EQ(CsvText(text), text);
  }
  EXPECT_EQ(CsvText("a = b"), "a = b");
}

TEST(CsvCellTest, ControlCharactersAreShown) {
  EXPECT_EQ(CsvText("a\x1B[2J\rb\xC2\x9B\xE2\x80\xAE"), "a\\x1b[2J\\x0db\\u009b\\u202e");
  EXPECT_EQ(CsvCell("\x07"), "\\x07");
}

TEST(CsvCellTest, ATextFillsOneCellAtMost) {
  std::string text;
  while (text.size() < 200'000) {
    text += "\xC3\xA9";
  }
  const std::string cell = CsvText(text);
  EXPECT_LE(cell.size(), 32'767u);
  EXPECT_GT(cell.size(), 32'700u);
  EXPECT_EQ(cell.substr(cell.size() - 5), "\xC3\xA9...");
}

}  // namespace
}  // namespace lockstep
