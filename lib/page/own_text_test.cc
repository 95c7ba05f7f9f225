#include "lib/page/own_text.h"

#include "gtest/gtest.h"
#include "lib/page/csv.h"
#include "lib/page/latex.h"
#include "lib/page/markdown.h"

namespace lockstep {
namespace {

TEST(OwnTextTest, TheTextsOfAReportAreRecognised) {
  EXPECT_TRUE(IsReportText(RenderCsv({})));
  EXPECT_TRUE(IsReportText(RenderMarkdown("Training on one and two devices", {}, {})));
  EXPECT_TRUE(IsReportText(RenderLatex(LatexHead(), {}, {}, "").document));
}

TEST(OwnTextTest, OtherTablesAreNot) {
  EXPECT_FALSE(IsReportText(""));
  EXPECT_FALSE(IsReportText("# Lab 4\n\nNumbers are marked.\n\n| batch | 1 GPU |\n"));
  EXPECT_FALSE(IsReportText("\\documentclass{article}\n"));
}

}  // namespace
}  // namespace lockstep
