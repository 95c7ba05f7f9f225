#include "lib/published/table_markup.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/csv.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(TableMarkupTest, RowsOfMarkdown) {
  EXPECT_THAT(MarkdownCells("| **a** | b \\| c | |"), ElementsAre("a", "b | c", ""));
  EXPECT_THAT(MarkdownCells("a | `b`"), ElementsAre("a", "b"));
  EXPECT_THAT(MarkdownCells("|:---|---:|:-:|"), IsEmpty());
  EXPECT_THAT(MarkdownCells("| 4 | - |"), ElementsAre("4", "-"));
  EXPECT_TRUE(IsMarkdownRow("a | b"));
  EXPECT_FALSE(IsMarkdownRow("a \\| b"));
  EXPECT_FALSE(IsMarkdownRow("no cells"));
}

TEST(TableMarkupTest, RowsOfLatex) {
  EXPECT_TRUE(IsLatexRow("a & b \\\\"));
  EXPECT_FALSE(IsLatexRow("R\\&D \\\\"));
  EXPECT_FALSE(IsLatexRow("% a & b \\\\"));
  EXPECT_THAT(LatexCells("\\hline \\textbf{4} & $1.93\\times$ & 97\\% % comment"),
              ElementsAre("4", "1.93x", "97% % comment"));
  EXPECT_THAT(LatexCells("\\multirow{2}{*}{32} & \\multicolumn{2}{c|}{batch 32} & 1"),
              ElementsAre("32", "batch 32", "", "1"));
  EXPECT_THAT(LatexCells("\\cmidrule(lr){2-4} 1\\,024 & T_{comm}~[s] & $12 \\pm 3$"),
              ElementsAre("1 024", "T_comm [s]", "12 \xC2\xB1 3"));
  EXPECT_EQ(LatexText("\\caption{Epoch time (s)}\\label{tab:x}"), "Epoch time (s)");
  EXPECT_EQ(LatexText("\\begin{tabular}[t]{l@{}rr}"), "");
  EXPECT_EQ(WithoutLatexComment("97\\% & 1 % note"), "97\\% & 1 ");
}

TEST(TableMarkupTest, DamagedMarkupEnds) {
  EXPECT_EQ(LatexText("\\begin{tabular"), "");
  EXPECT_EQ(LatexText("a\\"), "a");
  EXPECT_THAT(LatexCells("\\multicolumn{99999999999}{c}{a}"), SizeIs(100));
  EXPECT_THAT(MarkdownCells(std::string(5000, '|')), SizeIs(kMaxCsvFields + 1));
  EXPECT_LT(LatexCells(std::string(5000, '&')).size(), 2 * kMaxCsvFields);
}

}  // namespace
}  // namespace lockstep
