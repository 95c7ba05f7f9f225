#include "lib/report/report_format.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/path.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
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
  EXPECT_EQ(PlotFile("out/a", "loss", ".svg"), "out/a.plots/loss.svg");
}

TEST(ReportFormatTest, TheRecordIsNextToThePage) {
  EXPECT_EQ(ReportRecordFile("out/a.html", {}), "out/a.rec");
  EXPECT_EQ(ReportRecordFile("out/a", {"no.rec", "-"}), "out/a.rec");
  EXPECT_EQ(ReportRecordFile("out/a.rec", {"out/a.rec"}), "out/a.rec");
}

TEST(ReportFormatTest, TheRecordIsNoInput) {
  const std::string stem = TempPath("a"), input = stem + ".rec";
  WriteFile(input, "{}");
  EXPECT_EQ(ReportRecordFile(stem + ".html", {}), input);
  EXPECT_EQ(ReportRecordFile(stem + ".html", {"no.rec", FolderOf(input) + "/./" + FileNameOf(input)}),
            stem + ".report.rec");
  EXPECT_EQ(ReportRecordFile(input, {input}), input);  // the user named the input; run_files.h refuses this
}

TEST(ReportFormatTest, TheRecordReplacesNoRecordOfAnotherTool) {
  const std::string stem = TempPath("a"), record = stem + ".rec";
  for (const auto& [schema, expected] :
       {std::pair("lockstep.proto.SweepFile", stem + ".report.rec"), std::pair("lockstep.proto.ReportFile", record)}) {
    proto::Header header;
    header.set_schema(schema);
    header.set_schema_version(1);
    header.add_command_line("tool");
    auto writer = RecordWriter::Create(record, header, ReplaceAnything());
    ASSERT_THAT(writer, IsOk());
    ASSERT_THAT((*writer)->Finish(), IsOk());
    EXPECT_EQ(ReportRecordFile(stem + ".html", {}), expected) << schema;
  }
}

TEST(ReportFormatTest, OtherFormatsAreRefusedByName) {
  EXPECT_THAT(CheckIsNoOtherFormat("a.PDF"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("writes no pdf")));
  EXPECT_THAT(CheckIsNoOtherFormat("a.tex"), IsOk());
  EXPECT_THAT(CheckIsNoOtherFormat("a.docx"), Not(IsOk()));
}

}  // namespace
}  // namespace lockstep
