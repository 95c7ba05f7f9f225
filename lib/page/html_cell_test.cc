#include "lib/page/html_cell.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ClassOfTest, EmptyNamesAreLeftOut) {
  EXPECT_EQ(ClassOf({"", "a", "", "b"}), " class=\"a b\"");
  EXPECT_EQ(ClassOf({"", ""}), "");
}

TEST(NumberHtmlTest, SpreadsAndIntervalsAreInASpan) {
  EXPECT_EQ(NumberHtml("1.5"), "1.5");
  EXPECT_EQ(NumberHtml("1.5 [1.4, 1.6]"), "1.5 <span class=\"spread\">1.4–1.6</span>");
  EXPECT_EQ(NumberHtml("1.5 [-1.4, 1.6]"), "1.5 <span class=\"spread\">[-1.4, 1.6]</span>");
  EXPECT_EQ(NumberHtml("1.5 ± 0.1 (3)"), "1.5 <span class=\"spread\">±\u00a00.1 (3)</span>");
  EXPECT_EQ(NumberHtml("<1"), "&lt;1");
}

TEST(SpreadLengthTest, CountsCharacters) {
  EXPECT_EQ(SpreadLength("1.5"), 0u);
  EXPECT_EQ(SpreadLength("1.5 ± 0.1 (3)"), 9u);  // "±" is two bytes
  EXPECT_EQ(SpreadLength("1.5 [1.4, 1.6]"), 7u);
}

TEST(HeadingHtmlTest, TheUnitIsOnALineOfItsOwn) {
  EXPECT_EQ(HeadingHtml("time, s", "<i>m</i>"), "time<i>m</i><span class=\"unit\">s</span>");
  EXPECT_EQ(HeadingHtml("batch", "<i>m</i>"), "batch<i>m</i>");
  EXPECT_EQ(HeadingHtml("epochs, of which the first is left out", ""), "epochs, of which the first is left out");
}

TEST(LabelClassTest, LongLabelsMayBeBroken) {
  EXPECT_EQ(LabelClass("ResNet-18"), "");
  EXPECT_EQ(LabelClass("a label of twenty-five xxx"), "long");
  EXPECT_EQ(LabelClass(std::string(81, 'x')), "prose");
  EXPECT_EQ(LabelClass(std::string(64, 'a')), "digest");
}

TEST(ShowsNumbersTest, LabelsOfDigitsAreNumbers) {
  proto::Table table;
  table.add_row()->add_cell()->set_text("2,048");
  EXPECT_TRUE(ShowsNumbers(table, 0));
  table.add_row()->add_cell()->set_absent_reason("not run");
  EXPECT_TRUE(ShowsNumbers(table, 0));
  table.add_row()->add_cell()->set_text("2 (base)");
  EXPECT_FALSE(ShowsNumbers(table, 0));
  table.mutable_row(0)->mutable_cell(0)->set_provenance(proto::MEASURED);
  EXPECT_TRUE(ShowsNumbers(table, 0));
}

// "batch" has 5 characters, "1.5" has 3 and its spread 9, a long label counts as 24.
TEST(WidthInPixelsTest, AddsTheWidestTextOfEachColumn) {
  proto::Table table;
  table.add_column("batch");
  table.add_column("time, s");
  table.add_column("what");
  proto::Row& row = *table.add_row();
  row.add_cell()->set_text("32");
  row.add_cell()->set_text("1.5 ± 0.1 (3)");
  row.add_cell()->set_text("a label of more than twenty-four characters");
  EXPECT_NEAR(WidthInPixels(table), (5 + 4 + 24) * 8.9 + 9 * 7.6 + 5 + 3 * 14, 1e-9);
}

}  // namespace
}  // namespace lockstep
