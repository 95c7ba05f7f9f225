#include "lib/report/escape.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(EscapeHtmlTest, MarkupBecomesText) {
  EXPECT_EQ(EscapeHtml("<b a=\"1\">&'"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
}

TEST(EscapeMarkdownTest, MarkupBecomesText) {
  EXPECT_EQ(EscapeMarkdown("a|b *c* `d` ~~e~~ \\"), "a\\|b \\*c\\* \\`d\\` \\~\\~e\\~\\~ \\\\");
  EXPECT_EQ(EscapeMarkdown("<b>&"), "&lt;b&gt;&amp;");
}

TEST(EscapeMarkdownTest, AnUnderscoreIsMarkupAtTheEdgeOfAWordOnly) {
  EXPECT_EQ(EscapeMarkdown("batch_size E_1(B)"), "batch_size E_1(B)");
  EXPECT_EQ(EscapeMarkdown("_emphasis_"), "\\_emphasis\\_");
}

TEST(EscapeMarkdownTest, BracketsAreMarkupInLinksOnly) {
  EXPECT_EQ(EscapeMarkdown("1.97 [1.93, 2.01]"), "1.97 [1.93, 2.01]");
  EXPECT_EQ(EscapeMarkdown("[text](target)"), "[text\\](target)");
  EXPECT_EQ(EscapeMarkdown("[text][name]"), "[text\\][name]");
  EXPECT_EQ(EscapeMarkdown("[name]: target"), "[name\\]: target");
}

TEST(EscapeMarkdownTest, CodeEndsAtItsOwnBacktickOnly) {
  EXPECT_EQ(MarkdownCode("sweep.point"), "`sweep.point`");
  EXPECT_EQ(MarkdownCode("a`b\n\n<script>"), "`a'b  <script>`");
}

TEST(EscapeMarkdownTest, ATargetIsAPathAndNoMarkup) {
  EXPECT_EQ(MarkdownTarget("report.epoch_time.svg"), "report.epoch_time.svg");
  EXPECT_EQ(MarkdownTarget("a b)(<c>\n%.svg"), "a%20b%29%28%3Cc%3E%0A%25.svg");
}

TEST(EscapeMarkdownTest, ALineEndWouldEndATableRow) { EXPECT_EQ(EscapeMarkdown("a\nb\r"), "a b "); }

}  // namespace
}  // namespace lockstep
