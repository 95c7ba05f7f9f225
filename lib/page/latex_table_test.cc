#include "lib/page/latex_table.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

proto::Table SmallTable() {
  proto::Table table;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        caption: "Table 3: of $<A&B>_%"
        column: [ "devices", "time, s", "speed-up" ]
        column_group { columns: 1 }
        column_group { title: "batch 32" columns: 2 }
        row {
          cell { text: "[GPU] $<b>_%" }
          cell { text: "1.50" provenance: MEASURED }
          cell { absent_reason: "no run of 1 x 64" }
        }
        row {
          cell { text: "2" }
          cell { text: "-0.1" provenance: MEASURED note: "negative" }
          cell { text: "3" provenance: DERIVED }
        }
        note: "a note")pb",
      &table));
  return table;
}

TEST(LatexTableTest, HasRulesCaptionAndLabel) {
  EXPECT_THAT(LatexTable(SmallTable(), "table-3"),
              AllOf(HasSubstr("\\toprule"), HasSubstr("\\midrule"), HasSubstr("\\bottomrule"),
                    HasSubstr("\\caption{of \\$\\textless{}A\\&B\\textgreater{}\\_\\%}\n\\label{tab:table-3}"),
                    HasSubstr("\\multicolumn{2}{c}{batch 32}"), HasSubstr("\\cmidrule(lr){2-3}")));
}

TEST(LatexTableTest, MarksStandAtTheHeadAndNotesBelow) {
  EXPECT_THAT(LatexTable(SmallTable(), "t"), AllOf(HasSubstr("time,{} s\\textsuperscript{m}"),
                                                   HasSubstr("\\textsuperscript{2}~negative"), HasSubstr("a note")));
}

TEST(LatexTableTest, ARowCannotBeginWithAnArgument) {
  EXPECT_THAT(LatexTable(SmallTable(), "t"), HasSubstr("{}{[}GPU{]}"));
}

TEST(LatexTableTest, WordsAreWrappedOnlyWhereTheLineIsTooShort) {
  proto::Table table = SmallTable();
  EXPECT_THAT(LatexTable(table, "t"), Not(HasSubstr("p{")));
  table.mutable_row(0)->mutable_cell(0)->set_text(std::string(30, 'a') + " " + std::string(120, 'b'));
  EXPECT_THAT(LatexTable(table, "t"), HasSubstr("\\raggedright\\arraybackslash}p{"));
}

TEST(LatexTableTest, ManyRowsAreSeveralPartsOfOneNumber) {
  proto::Table table = SmallTable();
  for (int i = 0; i < 100; ++i) {
    *table.add_row() = table.row(1);
  }
  const std::string text = LatexTable(table, "t");
  EXPECT_THAT(text, HasSubstr("Table~\\ref{tab:t}, continued"));
  EXPECT_EQ(text.find("\\caption{"), text.rfind("\\caption{"));
}

TEST(LatexTableTest, ABlankReportsWhy) {
  proto::Table table;
  table.set_caption("Table 2");
  table.set_absent_reason("no record");
  EXPECT_THAT(LatexTable(table, "t"), HasSubstr("Blank: no record."));
}

TEST(NumberInCaptionTest, OfTheLabsTablesOnly) {
  EXPECT_EQ(NumberInCaption("Table 3: x"), 3);
  EXPECT_EQ(NumberInCaption("Table x: y"), 0);
  EXPECT_EQ(NumberInCaption("Times: x"), 0);
}

}  // namespace
}  // namespace lockstep
