#include "lib/published/csv.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::vector<std::string>> Fields(absl::string_view text) {
  const auto rows = ParseCsv(text, 1);
  EXPECT_THAT(rows, IsOk());
  std::vector<std::vector<std::string>> fields;
  for (const CsvRow& row : *rows) {
    fields.push_back(row.fields);
  }
  return fields;
}

void ExpectBroken(absl::string_view text, const std::string& says) {
  EXPECT_THAT(ParseCsv(text, 1), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(says)));
}

TEST(CsvTest, RowsOfFields) {
  EXPECT_THAT(Fields(""), IsEmpty());
  EXPECT_THAT(Fields("a,b\nc,d"), ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d")));
  EXPECT_THAT(Fields("a,b\r\nc,\r\n"), ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "")));
  EXPECT_THAT(Fields(",\n"), ElementsAre(ElementsAre("", "")));
  EXPECT_THAT(Fields("a,"), ElementsAre(ElementsAre("a", "")));
}

TEST(CsvTest, EmptyLinesAreNoRows) {
  EXPECT_THAT(Fields("\na\n\n\r\nb\n"), ElementsAre(ElementsAre("a"), ElementsAre("b")));
}

TEST(CsvTest, QuotedFieldsHoldAnything) {
  EXPECT_THAT(Fields("\"a,b\",\"say \"\"c\"\"\",\"\"\n\"two\nlines\""),
              ElementsAre(ElementsAre("a,b", "say \"c\"", ""), ElementsAre("two\nlines")));
}

TEST(CsvTest, LinesAreCountedThroughQuotedOnes) {
  const auto rows = ParseCsv("\"a\nb\"\n\nc\n", 7);
  ASSERT_THAT(rows, IsOk());
  EXPECT_EQ((*rows)[0].line, 7);
  EXPECT_EQ((*rows)[1].line, 10);
}

TEST(CsvTest, QuotesWhereNoneMayBe) {
  ExpectBroken("a\nb\"c", "2: a quote inside");
  ExpectBroken("\"a\"b", "1: expected a comma");
  ExpectBroken("a\n\"b\nc", "2: a quote is opened and never closed");
}

TEST(CsvTest, SemicolonsAndTabsSeparateFields) {
  EXPECT_EQ(SeparatorOfLine("a,b"), ',');
  EXPECT_EQ(SeparatorOfLine("a;b;c,d"), ';');
  EXPECT_EQ(SeparatorOfLine("a\tb"), '\t');
  EXPECT_EQ(SeparatorOfLine("\"a;b;c\",d"), ',');
  EXPECT_EQ(SeparatorOfLine("a"), ',');
  const auto rows = ParseCsv("a;\"b;c\";1,5\r\nd;;\n", 1, ';');
  ASSERT_THAT(rows, IsOk());
  EXPECT_THAT((*rows)[0].fields, ElementsAre("a", "b;c", "1,5"));
  EXPECT_THAT((*rows)[1].fields, ElementsAre("d", "", ""));
  EXPECT_THAT(ParseCsv("\"a\"b;c", 1, ';'), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected a semicolon")));
}

TEST(CsvTest, RowsAndFieldsHaveLimits) {
  ExpectBroken(std::string(kMaxCsvFields, ','), "1: expected at most 1000 fields");
  std::string rows;
  for (size_t i = 0; i <= kMaxCsvRows; ++i) {
    rows += "a\n";
  }
  ExpectBroken(rows, ": expected at most 100000 rows");
}

}  // namespace
}  // namespace lockstep
