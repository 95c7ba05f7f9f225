#include "lib/report/prior_report.h"

#include <sys/stat.h>

#include <cstdio>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/path.h"
#include "lib/record/digest.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kUsage = absl::StatusCode::kInvalidArgument;

// Returns the header of a report of records "NAME" with the digest "digest of NAME".
proto::Header HeaderOf(const std::vector<std::string>& inputs,
                       const std::string& schema = "lockstep.proto.ReportFile") {
  proto::Header header;
  header.set_schema(schema);
  header.set_schema_version(1);
  header.add_command_line("report");
  for (const std::string& name : inputs) {
    proto::Input& input = *header.add_input();
    input.set_path(name);
    input.set_sha256("digest of " + name);
    header.set_cache_key(header.cache_key() + name + ",");
  }
  return header;
}

// Writes a record with this header, whose run wrote `files`.
void WriteRecord(const std::string& path, const proto::Header& header, const std::vector<std::string>& files = {}) {
  auto writer = RecordWriter::Create(path, header, ReplaceAnything());
  ASSERT_THAT(writer, IsOk());
  for (const std::string& file : files) {
    proto::Input output;
    output.set_path(file);
    output.set_sha256(Sha256Hex("plot"));
    output.set_size_bytes(4);
    (*writer)->AddOutput(output);
  }
  ASSERT_THAT((*writer)->Finish(), IsOk());
}

TEST(ReplaceSameReportTest, AReportWithAnInputInCommonIsReplaced) {
  const std::string path = TempPath("r.rec");
  WriteRecord(path, HeaderOf({"a.rec", "b.rec"}));
  for (const std::vector<std::string>& inputs : {std::vector<std::string>{"a.rec", "b.rec", "c.rec"}, {"b.rec"}}) {
    EXPECT_EQ(ReplaceSameReport(HeaderOf(inputs), {})({path}), absl::StatusOr<bool>(true));
  }
  proto::Header moved = HeaderOf({"other/a.rec"});
  moved.mutable_input(0)->set_sha256("digest of a.rec");
  EXPECT_EQ(ReplaceSameReport(moved, {})({path}), absl::StatusOr<bool>(true));
}

// The input was measured again since, and is named from another folder.
TEST(ReplaceSameReportTest, AnInputWithOtherBytesIsRecognizedByItsPlace) {
  const std::string path = TempPath("r.rec"), input = TempPath("a.rec");
  WriteFile(input, "new bytes");
  for (const std::string& recorded : {FileNameOf(input), FolderOf(input) + "/./" + FileNameOf(input)}) {
    WriteRecord(path, HeaderOf({recorded}));
    EXPECT_EQ(ReplaceSameReport(HeaderOf({input}), {})({path}), absl::StatusOr<bool>(true)) << recorded;
  }
  WriteRecord(path, HeaderOf({TempPath("none.rec")}));
  EXPECT_THAT(ReplaceSameReport(HeaderOf({input}), {})({path}), StatusIs(kUsage, HasSubstr("holds another result")));
}

// A run that was killed while it put its files in place leaves pages and a complete journal.
TEST(ReplaceSameReportTest, AKilledReportWithAnInputInCommonIsReplaced) {
  const std::string path = TempPath("r.rec"), page = TempPath("r.html"), part = path + ".part";
  const proto::Header planned = HeaderOf({"a.rec", "b.rec"});
  WriteFile(page, "its page");
  WriteRecord(path, HeaderOf({"a.rec"}), {page});
  ASSERT_EQ(std::rename(path.c_str(), part.c_str()), 0);
  EXPECT_EQ(ReplaceSameReport(planned, {page})({path, true}), absl::StatusOr<bool>(true));
  EXPECT_THAT(ReplaceSameReport(HeaderOf({"x.rec"}), {page})({path, true}),
              StatusIs(kUsage, HasSubstr("r.html exists already")));
  const std::string bytes = ReadFile(part);
  WriteFile(part, bytes.substr(0, bytes.size() - 1));  // killed before: the page is not its own
  EXPECT_THAT(ReplaceSameReport(planned, {page})({path, true}), StatusIs(kUsage, HasSubstr("r.html exists already")));
}

TEST(ReplaceSameReportTest, AnotherReportIsRefused) {
  const std::string path = TempPath("r.rec");
  WriteRecord(path, HeaderOf({"a.rec", "-"}));
  EXPECT_THAT(ReplaceSameReport(HeaderOf({"x.rec"}), {})({path}),
              StatusIs(kUsage, HasSubstr("holds another result (input: a.rec,- -> x.rec)")));
  proto::Header piped = HeaderOf({"-"});
  piped.mutable_input(0)->set_sha256("other bytes");
  EXPECT_THAT(ReplaceSameReport(piped, {})({path}), StatusIs(kUsage, HasSubstr("holds another result")));
}

TEST(ReplaceSameReportTest, AFileThatIsNoReportIsRefused) {
  const std::string path = TempPath("r.rec"), page = TempPath("r.html");
  EXPECT_EQ(ReplaceSameReport(HeaderOf({"a.rec"}), {})({path}), absl::StatusOr<bool>(false));
  WriteFile(path, "mine");
  EXPECT_THAT(ReplaceSameReport(HeaderOf({"a.rec"}), {})({path}), StatusIs(kUsage, HasSubstr("would replace")));
  WriteRecord(path, HeaderOf({"a.rec"}, "lockstep.proto.SweepFile"));
  EXPECT_THAT(ReplaceSameReport(HeaderOf({"a.rec"}), {})({path}),
              StatusIs(kUsage, HasSubstr("is a record of train_sweep")));
  WriteFile(page, "mine");
  EXPECT_THAT(ReplaceSameReport(HeaderOf({"a.rec"}), {page})({TempPath("no.rec")}),
              StatusIs(kUsage, HasSubstr("r.html exists already")));
}

TEST(PriorReportTest, FilesAreWhereTheReportIsNow) {
  const std::string stem = TempPath("r");
  WriteRecord(stem + ".rec", HeaderOf({"a.rec"}), {"out/old.html", "out/old.plots/loss.svg"});
  const PriorReport prior = ReadPriorReport(stem, stem + ".rec");
  EXPECT_TRUE(prior.known);
  ASSERT_EQ(prior.files.size(), 2u);
  EXPECT_EQ(prior.files[0].path(), FolderOf(stem) + "/old.html");
  EXPECT_EQ(prior.files[1].path(), stem + ".plots/loss.svg");
  EXPECT_FALSE(ReadPriorReport(TempPath("no"), TempPath("no.rec")).known);
}

TEST(PriorReportTest, APageInAFolderNamedLikeThatOfPlotsIsAPage) {
  const std::string stem = TempPath("r");
  WriteRecord(stem + ".rec", HeaderOf({"a.rec"}), {"my.plots/r.html", "my.plots/r.plots/loss.svg"});
  const PriorReport prior = ReadPriorReport(stem, stem + ".rec");
  ASSERT_EQ(prior.files.size(), 2u);
  EXPECT_EQ(prior.files[0].path(), FolderOf(stem) + "/r.html");
  EXPECT_EQ(prior.files[1].path(), stem + ".plots/loss.svg");
}

TEST(PriorReportTest, OnlyItsOwnFilesMayBeReplaced) {
  PriorReport prior;
  prior.known = true;
  prior.files.emplace_back().set_path(TempPath("r.html"));
  WriteFile(TempPath("r.html"), "page");
  WriteFile(TempPath("r.md"), "mine");
  EXPECT_EQ(ReplacePriorFiles(prior)({TempPath("r.html")}), absl::StatusOr<bool>(true));
  EXPECT_THAT(ReplacePriorFiles(prior)({TempPath("r.md")}), StatusIs(kUsage, HasSubstr("exists already")));
  EXPECT_EQ(ReplacePriorFiles({})({TempPath("r.md")}), absl::StatusOr<bool>(true));  // its record is damaged
}

std::vector<std::string> PathsOf(const std::vector<proto::Input>& files) {
  std::vector<std::string> paths;
  for (const proto::Input& file : files) {
    paths.push_back(file.path());
  }
  return paths;
}

// The first plot is next to the page, as reports wrote them before there was a folder of plots.
TEST(PriorReportTest, UnchangedPlotsThatAreNoLongerWrittenAreStale) {
  const std::string stem = TempPath("r"), next_to = stem + ".loss.svg", inside = stem + ".plots/loss.svg";
  mkdir((stem + ".plots").c_str(), 0755);
  for (const std::string& file : {next_to, inside, stem + ".html", stem + ".plots/changed.svg"}) {
    WriteFile(file, "plot");
  }
  WriteRecord(stem + ".rec", HeaderOf({"a.rec"}), {next_to, inside, stem + ".html", stem + ".plots/changed.svg"});
  WriteFile(stem + ".plots/changed.svg", "by hand");
  const PriorReport prior = ReadPriorReport(stem, stem + ".rec");
  const UnwrittenFiles all = FindUnwrittenFiles(stem, {ReportFormat::kMarkdown}, prior, {});
  EXPECT_THAT(PathsOf(all.stale), ElementsAre(next_to, inside));
  EXPECT_THAT(PathsOf(all.kept), ElementsAre(stem + ".html"));
  const UnwrittenFiles again = FindUnwrittenFiles(stem, {ReportFormat::kMarkdown}, prior, {prior.files[1]});
  EXPECT_THAT(PathsOf(again.stale), ElementsAre(next_to));
  EXPECT_THAT(FindUnwrittenFiles(stem, {ReportFormat::kHtml}, prior, {}).stale, IsEmpty());
}

}  // namespace
}  // namespace lockstep
