#include "lib/report/page_check_testing.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/page/html.h"
#include "lib/page/markdown.h"
#include "lib/report/tables.h"
#include "lib/summary/page_head.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

TEST(PageCheckTest, TheReportOfASmallLabPasses) {
  const LabRecords lab = SmallLab();
  const std::vector<proto::Section> sections = BuildSections(lab);
  EXPECT_EQ(WhyNotWellFormed(RenderHtml(ReportTitle(lab), sections, {})), "");
  EXPECT_EQ(WhyTablesBreak(RenderMarkdown(ReportTitle(lab), sections, {})), "");
}

TEST(PageCheckTest, FindsMarkupThatIsNotOurs) {
  EXPECT_EQ(WhyNotWellFormed("<p class=\"x\">1 &lt; 2</p>"), "");
  EXPECT_THAT(WhyNotWellFormed("<p><script>x</script></p>"), HasSubstr("<script>"));
  EXPECT_THAT(WhyNotWellFormed("<p>a < b</p>"), HasSubstr("< b"));
  EXPECT_THAT(WhyNotWellFormed("<p>a & b</p>"), HasSubstr("& b"));
  EXPECT_THAT(WhyNotWellFormed("<p>&nbsp;</p>"), HasSubstr("&nbsp;"));
  EXPECT_THAT(WhyNotWellFormed("<p title=\"a\"b\">c</p>"), HasSubstr("<p title"));
  EXPECT_THAT(WhyNotWellFormed("<p title=x>c</p>"), HasSubstr("<p title"));
}

TEST(PageCheckTest, FindsTagsThatDoNotPair) {
  EXPECT_EQ(WhyNotWellFormed("<svg><line x1=\"1\"/></svg>"), "");
  EXPECT_THAT(WhyNotWellFormed("<p><span></p></span>"), HasSubstr("</p>"));
  EXPECT_THAT(WhyNotWellFormed("<p>"), HasSubstr("not closed"));
  EXPECT_THAT(WhyNotWellFormed("</p>"), HasSubstr("</p>"));
}

TEST(PageCheckTest, FindsRowsThatHaveMoreOrFewerCellsThanTheirTable) {
  EXPECT_EQ(WhyTablesBreak("| a | b |\n|---|---|\n| 1 \\| 2 | 3 |\n\n| c |\n"), "");
  EXPECT_EQ(WhyTablesBreak("| a | b |\n| 1 | 2 | 3 |\n"), "| 1 | 2 | 3 |");
  EXPECT_EQ(WhyTablesBreak("| a | b |\n| 1 |\n"), "| 1 |");
}

}  // namespace
}  // namespace lockstep::testing
