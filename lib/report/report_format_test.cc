#include "lib/report/report_format.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(ReportFormatTest, WordsChooseInOneOrder) {
  EXPECT_THAT(*ParseReportFormats("latex,html", "x.html"), ElementsAre(ReportFormat::kHtml, ReportFormat::kLatex));
  EXPECT_THAT(*ParseReportFormats("all", "x.html"), SizeIs(5));
  EXPECT_THAT(ParseReportFormats("pdf", "x"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--format=pdf")));
}

TEST(ReportFormatTest, WithoutWordsTheNameOfTheOutputChooses) {
  EXPECT_EQ(NameOfFormats(*ParseReportFormats("", "a.html")), "html,markdown");
  EXPECT_EQ(NameOfFormats(*ParseReportFormats("", "a.md")), "html,markdown");
  EXPECT_EQ(NameOfFormats(*ParseReportFormats("", "a.tex")), "latex");
  EXPECT_EQ(NameOfFormats(*ParseReportFormats("", "a.csv")), "csv");
  EXPECT_EQ(NameOfFormats(*ParseReportFormats("markdown", "a.tex")), "markdown");
}

TEST(ReportFormatTest, FilesShareTheStem) {
  EXPECT_EQ(StemOfReport("out/a.tex"), "out/a");
  EXPECT_EQ(StemOfReport("out/a"), "out/a");
  EXPECT_EQ(PageFile("a", ReportFormat::kLatex), "a.tex");
  EXPECT_EQ(AuditFile("a", ReportFormat::kHtml), "a.audit.html");
  EXPECT_EQ(ReportRecordFile("out/a"), "out/a.rec");
  EXPECT_EQ(PlotFile("out/a", "loss", ".svg"), "out/a.plots/loss.svg");
}

TEST(ReportFormatTest, OtherFormatsAreRefusedByName) {
  EXPECT_THAT(CheckIsNoOtherFormat("a.PDF"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("writes no pdf")));
  EXPECT_THAT(CheckIsNoOtherFormat("a.tex"), IsOk());
  EXPECT_THAT(CheckIsNoOtherFormat("a.docx"), Not(IsOk()));
}

}  // namespace
}  // namespace lockstep
