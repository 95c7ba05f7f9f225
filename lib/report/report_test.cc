// The stage, from input files to output files.
#include "lib/report/report.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/plot/gnuplot.h"
#include "lib/proto/report.pb.h"
#include "lib/record/record_reader.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::lockstep::testing::WriteSmallLab;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// Makes a folder for this test.
std::string Folder() {
  const std::string folder = TempPath("lab");
  mkdir(folder.c_str(), 0755);
  return folder;
}

struct ModifiedAt {
  explicit ModifiedAt(const std::string& path) { stat(path.c_str(), &info); }
  bool operator==(const ModifiedAt& other) const {
    return info.st_ino == other.info.st_ino && info.st_mtim.tv_sec == other.info.st_mtim.tv_sec &&
           info.st_mtim.tv_nsec == other.info.st_mtim.tv_nsec;
  }
  struct stat info;
};

TEST(ReportTest, WritesPageMarkdownAndRecord) {
  const std::string folder = Folder();
  ReportOptions options;
  options.inputs = WriteSmallLab(folder);
  options.output = absl::StrCat(folder, "/report.html");
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_THAT(ReadFile(folder + "/report.html"), HasSubstr("Table 3"));
  EXPECT_THAT(ReadFile(folder + "/report.md"), HasSubstr("Table 3"));
  const auto record = ReadRecordFile<proto::ReportFile>(folder + "/report.rec");
  ASSERT_THAT(record, IsOk());
  EXPECT_EQ(record->records.front().section().id(), "summary");
  EXPECT_EQ(record->records.back().section().id(), "records");
  EXPECT_EQ(record->header.input_size(), 6);
  EXPECT_FALSE(FileExists(folder + "/report.html.part"));
}

TEST(ReportTest, AnAuditIsAPageOfItsOwnWhereItIsAskedFor) {
  const std::string folder = Folder();
  ReportOptions options;
  options.inputs = WriteSmallLab(folder);
  options.output = absl::StrCat(folder, "/report.html");
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_FALSE(FileExists(folder + "/report.audit.html"));
  options.audit = true;
  options.force = true;
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_THAT(ReadFile(folder + "/report.audit.html"), HasSubstr("Published tables under audit"));
  EXPECT_TRUE(FileExists(folder + "/report.audit.md"));
  EXPECT_THAT(ReadFile(folder + "/report.html"), Not(HasSubstr("under audit")));
}

TEST(ReportTest, OrderOfInputsDoesNotMatterForTheTables) {
  const std::string folder = Folder();
  ReportOptions options;
  options.inputs = WriteSmallLab(folder);
  options.output = absl::StrCat(folder, "/a.html");
  ASSERT_THAT(RunReport(options), IsOk());
  std::reverse(options.inputs.begin(), options.inputs.end() - 2);
  options.output = absl::StrCat(folder, "/b.html");
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_THAT(ReadFile(folder + "/b.html"), HasSubstr("Table 3: bandwidth of the all-reduce, GB/s (1e9 bytes)"));
}

TEST(ReportTest, TheSameInputsMakeTheSameBytes) {
  const std::string folder = Folder();
  ReportOptions options;
  options.inputs = WriteSmallLab(folder);
  options.output = absl::StrCat(folder, "/report.html");
  ASSERT_THAT(RunReport(options), IsOk());
  const std::string first = ReadFile(folder + "/report.html");
  options.force = true;
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_EQ(ReadFile(folder + "/report.html"), first);
}

TEST(ReportTest, ASecondRunIsCachedUntilAPageIsMissing) {
  const std::string folder = Folder();
  const std::string page = folder + "/report.html";
  ReportOptions options;
  options.inputs = WriteSmallLab(folder);
  options.output = page;
  ASSERT_THAT(RunReport(options), IsOk());
  const ModifiedAt first(page);
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_TRUE(ModifiedAt(page) == first);
  ASSERT_EQ(std::remove((folder + "/report.md").c_str()), 0);
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_TRUE(FileExists(folder + "/report.md"));
  EXPECT_FALSE(ModifiedAt(page) == first);
}

TEST(ReportTest, AReportWithOneMoreRecordReplacesItself) {
  const std::string folder = Folder();
  const std::vector<std::string> lab = WriteSmallLab(folder);
  ReportOptions options;
  options.inputs = {lab[1]};
  options.output = folder + "/report.html";
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_THAT(ReadFile(folder + "/report.html"), Not(HasSubstr(">scale.rec<")));
  options.inputs = {lab[1], lab[2]};
  options.style = PageStyle::kLab;
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("its records are 2 instead of 1"));
  EXPECT_THAT(ReadFile(folder + "/report.html"), HasSubstr(">scale.rec<"));
  options.inputs = {lab[0]};
  EXPECT_THAT(RunReport(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("holds another result")));
}

TEST(ReportTest, AForeignFileIsNotReplaced) {
  const std::string folder = Folder();
  const std::vector<std::string> lab = WriteSmallLab(folder);
  ReportOptions options;
  options.inputs = {lab[1]};
  options.output = folder + "/report.html";
  WriteFile(options.output, "mine");
  EXPECT_THAT(RunReport(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("report.html exists already")));
  EXPECT_EQ(ReadFile(options.output), "mine");
  ASSERT_EQ(std::remove(options.output.c_str()), 0);
  options.formats = {ReportFormat::kHtml};
  ASSERT_THAT(RunReport(options), IsOk());
  WriteFile(folder + "/report.md", "mine");
  options.formats = {ReportFormat::kHtml, ReportFormat::kMarkdown};
  EXPECT_THAT(RunReport(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("report.md exists already")));
  EXPECT_EQ(ReadFile(folder + "/report.md"), "mine");
}

TEST(ReportTest, MarkdownAloneWritesNoPage) {
  const std::string folder = Folder();
  ReportOptions options;
  options.inputs = {WriteSmallLab(folder)[1]};
  options.output = folder + "/only.md";
  options.formats = {ReportFormat::kMarkdown};
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_TRUE(FileExists(folder + "/only.md"));
  EXPECT_FALSE(FileExists(folder + "/only.html"));
}

TEST(ReportTest, OnlyLatexNeedsGnuplot) {
  const std::string folder = Folder();
  const std::string path = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  setenv("PATH", "/no/such/folder", 1);
  ReportOptions options;
  options.inputs = WriteSmallLab(folder);
  options.output = folder + "/report.html";
  const absl::Status page = RunReport(options);
  options.output = folder + "/hand_in.tex";
  options.formats = {ReportFormat::kLatex};
  ::testing::internal::CaptureStderr();
  const absl::Status latex = RunReport(options);
  const std::string log = ::testing::internal::GetCapturedStderr();
  setenv("PATH", path.c_str(), 1);
  ASSERT_THAT(page, IsOk());
  EXPECT_THAT(ReadFile(folder + "/report.html"), HasSubstr("<svg"));
  EXPECT_THAT(ReadFile(folder + "/report.html"), Not(HasSubstr("gnuplot")));
  EXPECT_THAT(ReadFile(folder + "/report.md"), HasSubstr(".svg"));
  ASSERT_THAT(latex, IsOk());
  EXPECT_THAT(log, ContainsRegex("questions answered(, [0-9]+ partly)?, 0 of [1-9][0-9]* plots drawn, "));
  EXPECT_LT(log.find("questions answered"), log.find("gnuplot is not installed"));  // results first, then warnings
  EXPECT_THAT(ReadFile(folder + "/hand_in.tex"), HasSubstr("gnuplot is not installed"));
}

TEST(ReportTest, PlotsAreInThePageAndNextToTheMarkdown) {
  const std::string folder = Folder();
  ReportOptions options;
  options.inputs = WriteSmallLab(folder);
  options.output = folder + "/report.html";
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_THAT(ReadFile(folder + "/report.html"), HasSubstr("<svg"));
  EXPECT_THAT(ReadFile(folder + "/report.md"), HasSubstr("](report.plots/epoch_time.svg)"));
  EXPECT_THAT(ReadFile(folder + "/report.plots/epoch_time.svg"), HasSubstr("class=\"ground\""));
}

TEST(ReportTest, NoInputIsAUsageError) {
  EXPECT_THAT(RunReport({}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--input")));
}

TEST(ReportTest, ARecordGivenTwiceIsAUsageError) {
  const std::string sweep = WriteSmallLab(Folder())[1];
  ReportOptions options;
  options.inputs = {sweep, sweep};
  options.output = Folder() + "/report.html";
  EXPECT_THAT(RunReport(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("once")));
}

TEST(ReportTest, AnInputIsNeverReplaced) {
  const std::string folder = Folder();
  ReportOptions options;
  options.inputs = {WriteSmallLab(folder)[1]};
  options.output = folder + "/sweep.rec";
  EXPECT_THAT(RunReport(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("would replace the input")));
  EXPECT_THAT(ReadRecordFile<proto::SweepFile>(folder + "/sweep.rec"), IsOk());
}

TEST(ReportTest, APageMayHaveTheNameOfAnInput) {
  const std::string folder = Folder();
  const std::vector<std::string> lab = WriteSmallLab(folder);
  const std::string sweep = ReadFile(lab[1]), page = folder + "/sweep.html";
  ReportOptions options;
  options.inputs = {lab[1]};
  options.output = page;
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_THAT(ReadRecordFile<proto::ReportFile>(folder + "/sweep.report.rec"), IsOk());
  const ModifiedAt first(page);
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_TRUE(ModifiedAt(page) == first);  // cached
  options.inputs = {lab[1], lab[2]};
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_THAT(ReadFile(page), HasSubstr(">scale.rec<"));
  options.inputs = {lab[2]};  // sweep.rec is no input now, and still not replaced
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_THAT(ReadFile(page), Not(HasSubstr(">sweep.rec<")));
  EXPECT_EQ(ReadFile(lab[1]), sweep);
}

TEST(ReportTest, AReportIsNotMadeFromAReport) {
  const std::string folder = Folder();
  ReportOptions options;
  options.inputs = WriteSmallLab(folder);
  options.output = folder + "/report.html";
  ASSERT_THAT(RunReport(options), IsOk());
  options.inputs = {folder + "/report.rec"};
  options.output = folder + "/again.html";
  EXPECT_THAT(RunReport(options), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("ReportFile")));
}

TEST(ReportTest, ABrokenRecordLeavesNoOutput) {
  const std::string folder = Folder();
  const std::string path = WriteSmallLab(folder)[0];
  std::string bytes = ReadFile(path);
  bytes[bytes.size() / 2] ^= 4;
  WriteFile(path, bytes);
  ReportOptions options;
  options.inputs = {path};
  options.output = folder + "/report.html";
  EXPECT_THAT(RunReport(options), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("dataset.rec")));
  EXPECT_FALSE(FileExists(folder + "/report.html"));
  EXPECT_FALSE(FileExists(folder + "/report.md"));
}

TEST(ReportTest, AMissingFolderIsAUsageError) {
  ReportOptions options;
  options.inputs = {WriteSmallLab(Folder())[1]};
  options.output = "/no/such/folder/report.html";
  EXPECT_THAT(RunReport(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/no/such/folder")));
}

TEST(ReportTest, StandardOutputTakesOnePage) {
  ReportOptions options;
  options.inputs = {"-"};
  options.output = "-";
  EXPECT_THAT(RunReport(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--format=html")));
}

TEST(ReportTest, LatexIsADocumentPiecesAndPlots) {
  const std::string folder = Folder();
  ReportOptions options;
  options.inputs = WriteSmallLab(folder);
  options.output = folder + "/report.tex";
  options.formats = {ReportFormat::kLatex};
  options.audit = true;
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_THAT(ReadFile(folder + "/report.tex"), HasSubstr("\\input{report.table-1.tex}"));
  EXPECT_THAT(ReadFile(folder + "/report.table-1.tex"), HasSubstr("\\label{tab:table-1}"));
  EXPECT_TRUE(FileExists(folder + "/report.audit.tex"));
  EXPECT_FALSE(FileExists(folder + "/report.html"));
  if (GnuplotVersion().ok()) {
    EXPECT_THAT(ReadFile(folder + "/report.plots/speedup.pdf"), HasSubstr("%%EOF"));
  }
}

TEST(ReportTest, PiecesThatLatexNoLongerReadsAreRemoved) {
  const std::string folder = Folder();
  ReportOptions options;
  const std::vector<std::string> lab = WriteSmallLab(folder);
  options.inputs = lab;
  options.output = folder + "/report.tex";
  options.formats = {ReportFormat::kLatex};
  ASSERT_THAT(RunReport(options), IsOk());
  ASSERT_TRUE(FileExists(folder + "/report.table-3.tex"));
  options.inputs = {lab[1]};
  options.force = true;
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_FALSE(FileExists(folder + "/report.table-3.tex"));
  EXPECT_TRUE(FileExists(folder + "/report.sweep-table1.tex"));
}

TEST(ReportTest, LatexWantsANameThatItCanRead) {
  ReportOptions options;
  options.inputs = {"-"};
  options.output = "my %report.tex";
  options.formats = {ReportFormat::kLatex};
  EXPECT_THAT(RunReport(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("letters, digits")));
}

TEST(ReportTest, CsvAndJsonHoldTheAuditToo) {
  const std::string folder = Folder();
  ReportOptions options;
  options.inputs = WriteSmallLab(folder);
  options.output = folder + "/report.csv";
  options.formats = {ReportFormat::kCsv, ReportFormat::kJson};
  options.audit = true;
  ASSERT_THAT(RunReport(options), IsOk());
  EXPECT_THAT(ReadFile(folder + "/report.csv"), HasSubstr("\r\ncell,audit,"));
  EXPECT_THAT(ReadFile(folder + "/report.json"), HasSubstr("\"id\": \"audit\""));
  EXPECT_FALSE(FileExists(folder + "/report.audit.csv"));
}

}  // namespace
}  // namespace lockstep
