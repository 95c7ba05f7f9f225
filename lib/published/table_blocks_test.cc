#include "lib/published/table_blocks.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<TableBlock> Blocks(const std::string& text) {
  TableFaults faults;
  TableBlocks read = ReadTableBlocks(text, faults);
  EXPECT_TRUE(faults.empty()) << faults.ToStatus("a");
  return std::move(read.blocks);
}

TEST(TableBlocksTest, TablesOfCsv) {
  const auto blocks = Blocks(
      "# source: a, b,,\n# a remark\nOld title\n\nTitle\nof two lines,\nGPUs,x,,\n# another remark\n1,2\n2048,,\n"
      "Next\nGPUs,x\n3,4\n,,\n# unit = s\n");
  ASSERT_THAT(blocks, SizeIs(3));
  EXPECT_EQ(blocks[0].title, "Title of two lines");
  ASSERT_THAT(blocks[0].remarks, SizeIs(1));
  EXPECT_EQ(blocks[0].remarks[0].line, 1);
  EXPECT_EQ(blocks[0].remarks[0].key, "source");
  EXPECT_EQ(blocks[0].remarks[0].value, "a, b");
  ASSERT_THAT(blocks[0].rows, SizeIs(3));
  EXPECT_EQ(blocks[0].rows[1].line, 9);
  EXPECT_THAT(blocks[0].rows[0].cells, ElementsAre("GPUs", "x"));
  EXPECT_THAT(blocks[0].rows[2].cells, ElementsAre("2048"));
  EXPECT_EQ(blocks[1].title, "Next");
  EXPECT_THAT(blocks[1].rows, SizeIs(2));
  EXPECT_THAT(blocks[2].rows, IsEmpty());
  EXPECT_EQ(blocks[2].remarks[0].key, "unit");
}

TEST(TableBlocksTest, TablesOfMarkdown) {
  const auto blocks =
      Blocks("# source: x\n# Results\nProse.\n\n## Speed-up\n\n| N | x |\n|---|---|\n| 1 | 2 |\n\n| N |\n|--|\n");
  ASSERT_THAT(blocks, SizeIs(2));
  EXPECT_EQ(blocks[0].title, "Speed-up");
  EXPECT_THAT(blocks[0].remarks, SizeIs(1));
  ASSERT_THAT(blocks[0].rows, SizeIs(2));
  EXPECT_THAT(blocks[0].rows[1].cells, ElementsAre("1", "2"));
}

TEST(TableBlocksTest, TablesOfLatex) {
  const auto blocks = Blocks(
      "% unit: s\n% width=5\nProse.\n\\begin{table}\\caption{One}\n\\begin{tabular}{lr}\nN & x \\\\\n\n% 0 & 0 \\\\\n% "
      "unit: ms\n1\n"
      "& 2 \\\\ \\hline 3 & 4 \\\\[1pt]\n\\end{tabular}\n\\caption{Below}\n\\end{table}\nN & y \\\\\n5 & 6 \\\\\n\nN & "
      "z \\\\\n7 & 8\n");
  ASSERT_THAT(blocks, SizeIs(3));
  EXPECT_EQ(blocks[0].title, "One");
  ASSERT_THAT(blocks[0].remarks, SizeIs(1));
  EXPECT_EQ(blocks[0].remarks[0].value, "s");
  ASSERT_THAT(blocks[0].rows, SizeIs(3));
  EXPECT_THAT(blocks[0].rows[1].cells, ElementsAre("1", "2"));
  EXPECT_THAT(blocks[0].rows[2].cells, ElementsAre("3", "4"));
  EXPECT_EQ(blocks[1].title, "");
  EXPECT_THAT(blocks[1].rows[1].cells, ElementsAre("5", "6"));
  EXPECT_THAT(blocks[2].rows[1].cells, ElementsAre("7", "8"));
}

TEST(TableBlocksTest, ACommaIsDecimalBetweenSemicolonsAndTabs) {
  TableFaults faults;
  EXPECT_EQ(ReadTableBlocks("N;x\n1;2,5\n", faults).comma, CommaMeaning::kDecimal);
  EXPECT_EQ(ReadTableBlocks("N\tx\n1\t2,345\n", faults).comma, CommaMeaning::kDecimal);
  EXPECT_EQ(ReadTableBlocks("N\tx\n1\t2.5\n2\t2,345\n", faults).comma, CommaMeaning::kThousands);
  EXPECT_EQ(ReadTableBlocks("N,x\n1,2\n", faults).comma, CommaMeaning::kThousands);
}

TEST(TableBlocksTest, LimitsAndDamagedLines) {
  TableFaults faults;
  ReadTableBlocks("N,x\n1,\"2\n", faults);
  EXPECT_EQ(faults.ToStatus("a").message(),
            "a:2: a quote is opened and never closed; close it, or write the quote twice (RFC 4180)");
  TableFaults many;
  std::string text;
  for (size_t i = 0; i <= kMaxTableRemarks; ++i) {
    absl::StrAppend(&text, "#:\n");
  }
  ReadTableBlocks(text, many);
  EXPECT_EQ(many.ToStatus("a").message(), "a:10001: expected at most 10000 remarks with : or =");
}

}  // namespace
}  // namespace lockstep
