#include "lib/page/escape.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(EscapeHtmlTest, MarkupBecomesText) {
  EXPECT_EQ(EscapeHtml("<b a=\"1\">&'"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
}

TEST(EscapeHtmlTest, forged_strings_term) {
  EXPECT_EQ(EscapeHtml("a\x1B[2J\x07\rb\tc\nd"), "a\\x1b[2J\\x07\\x0db\tc\nd");
}

TEST(EscapeHtmlTest, forged_strings_nul) { EXPECT_EQ(EscapeHtml(absl::string_view("a\0b", 3)), "a\\x00b"); }

TEST(EscapeHtmlTest, forged_strings_surrogate) {
  EXPECT_EQ(EscapeHtml("\xED\xA0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(EscapeHtml("\uFFFE\uFFFF"), "\\ufffe\\uffff");
}

TEST(EscapeHtmlTest, forged_strings_cdata) { EXPECT_EQ(EscapeHtml("]]><![CDATA[\x01"), "]]&gt;&lt;![CDATA[\\x01"); }

TEST(EscapeHtmlTest, forged_strings_c1_and_bidi) {
  EXPECT_EQ(EscapeHtml("\u009B2J\u202Egpj\u2066"), "\\u009b2J\\u202egpj\\u2066");
  EXPECT_EQ(MarkdownCode("\u202Egpj"), "`\\u202egpj`");
  EXPECT_EQ(EscapeMarkdown("\u202Egpj"), "\\\\u202egpj");
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

TEST(EscapeMarkdownTest, ALineEndWouldEndATableRow) {
  EXPECT_EQ(EscapeMarkdown("a\nb\tc"), "a b c");
  EXPECT_EQ(EscapeMarkdown("a\r"), "a\\\\x0d");
}

}  // namespace
}  // namespace lockstep
