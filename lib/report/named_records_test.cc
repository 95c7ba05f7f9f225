#include "lib/report/named_records.h"

#include <sys/stat.h>

#include <cstdio>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/convert_record.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/report.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::lockstep::testing::WriteSmallLab;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns an empty folder of this test.
std::string Folder(const std::string& name) {
  const std::string folder = TempPath(name);
  mkdir(folder.c_str(), 0755);
  return folder;
}

// Returns a folder with the six records of the small lab, a report of them (report.csv, report.rec), and a text.
std::string LabFolder() {
  const std::string folder = Folder("named_lab");
  ReportOptions options;
  options.inputs = WriteSmallLab(folder);
  options.output = folder + "/report.csv";
  options.formats = {ReportFormat::kCsv};
  options.force = true;
  EXPECT_THAT(RunReport(options), IsOk());
  WriteFile(folder + "/notes.txt", "notes");
  return folder;
}

TEST(NamedRecordsTest, AFileStandsForItself) {
  const auto named = FindNamedRecords({"no_such.rec", "-", "table.csv"});
  ASSERT_THAT(named, IsOk());
  EXPECT_THAT(named->paths, ElementsAre("no_such.rec", "-", "table.csv"));
  EXPECT_THAT(named->remarks, IsEmpty());
  EXPECT_THAT(FindNamedRecords({})->paths, IsEmpty());
}

TEST(NamedRecordsTest, AFolderStandsForItsRecordsWithoutAReport) {
  const std::string folder = LabFolder();
  const auto named = FindNamedRecords({folder});
  ASSERT_THAT(named, IsOk());
  EXPECT_THAT(named->paths, ElementsAre(folder + "/audit.rec", folder + "/comm_model.rec", folder + "/dataset.rec",
                                        folder + "/quantized.rec", folder + "/scale.rec", folder + "/sweep.rec"));
  EXPECT_THAT(named->remarks,
              ElementsAre(absl::StrCat(folder, ": 6 records; not read: notes.txt, report.csv, report.rec")));
  WriteFile(folder + "/.probe.rec", ReadFile(folder + "/sweep.rec"));
  EXPECT_THAT(FindNamedRecords({folder + "/"})->paths,
              ElementsAre(folder + "/audit.rec", folder + "/comm_model.rec", folder + "/dataset.rec",
                          folder + "/quantized.rec", folder + "/scale.rec", folder + "/sweep.rec"));
}

bool IsCsv(absl::string_view name) { return absl::EndsWith(name, ".csv"); }

TEST(NamedRecordsTest, AFolderAlsoStandsForItsTablesIfThatIsAsked) {
  const std::string folder = Folder("named_tables");
  WriteFile(folder + "/hand_in.csv", "# source = a test\n");
  EXPECT_THAT(FindNamedRecords({folder}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("hand_in.csv")));
  const auto tables = FindNamedRecords({folder}, &IsCsv);
  ASSERT_THAT(tables, IsOk());
  EXPECT_THAT(tables->paths, ElementsAre(folder + "/hand_in.csv"));

  const std::string lab = LabFolder();  // its report.csv is a report's own
  WriteFile(lab + "/hand_in.csv", "# source = a test\n");
  const auto both = FindNamedRecords({lab}, &IsCsv);
  ASSERT_THAT(both, IsOk());
  EXPECT_THAT(both->paths,
              ElementsAre(lab + "/audit.rec", lab + "/comm_model.rec", lab + "/dataset.rec", lab + "/hand_in.csv",
                          lab + "/quantized.rec", lab + "/scale.rec", lab + "/sweep.rec"));
  EXPECT_THAT(both->remarks,
              ElementsAre(absl::StrCat(lab, ": 6 records and 1 table; not read: notes.txt, report.csv, report.rec")));
  ASSERT_EQ(std::remove((lab + "/hand_in.csv").c_str()), 0);  // other tests use the folder
}

// JSON of a record is read, except next to a record of its kind, from which it may be printed.
TEST(NamedRecordsTest, JsonIsReadIfNoRecordOfItsKindIsThere) {
  const std::string lab = LabFolder(), folder = Folder("named_json");
  std::ostringstream log;
  for (const char* name : {"sweep", "scale"}) {
    ASSERT_THAT(
        ConvertRecord({absl::StrCat(lab, "/", name, ".rec"), absl::StrCat(folder, "/", name, ".json"), true}, log),
        IsOk());
  }
  WriteFile(folder + "/settings.json", "{}");
  const auto json = FindNamedRecords({folder});
  ASSERT_THAT(json, IsOk());
  EXPECT_THAT(json->paths, ElementsAre(folder + "/scale.json", folder + "/sweep.json"));
  EXPECT_THAT(json->remarks, ElementsAre(HasSubstr("2 records; not read: settings.json")));
  WriteFile(folder + "/sweep.rec", ReadFile(lab + "/sweep.rec"));
  EXPECT_THAT(FindNamedRecords({folder})->paths, ElementsAre(folder + "/scale.json", folder + "/sweep.rec"));
  ASSERT_EQ(std::remove((folder + "/sweep.rec").c_str()), 0);
}

TEST(NamedRecordsTest, AFolderWithoutRecordsIsAnError) {
  const std::string folder = Folder("named_empty");
  EXPECT_THAT(FindNamedRecords({folder}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found none")));
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    WriteFile(absl::StrCat(folder, "/", name), "text");
  }
  EXPECT_THAT(FindNamedRecords({folder}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not read: a, b, c and 2 more")));
}

TEST(NamedRecordsTest, APatternStandsForItsMatches) {
  const std::string folder = LabFolder();
  const auto named = FindNamedRecords({folder + "/s*.rec"});
  ASSERT_THAT(named, IsOk());
  EXPECT_THAT(named->paths, ElementsAre(folder + "/scale.rec", folder + "/sweep.rec"));
  EXPECT_THAT(FindNamedRecords({folder + "/x*.rec"}),
              StatusIs(absl::StatusCode::kNotFound, AllOf(HasSubstr("/x*.rec"), HasSubstr("no file matches"))));
  const std::string odd = Folder("named_odd") + "/a[1].rec";  // a file of this name is no pattern
  WriteFile(odd, "text");
  EXPECT_THAT(FindNamedRecords({odd})->paths, ElementsAre(odd));
}

TEST(NamedRecordsTest, AReportIsLeftOutUnlessItIsAlone) {
  const std::string folder = LabFolder(), report = folder + "/report.rec", sweep = folder + "/sweep.rec";
  const auto named = FindNamedRecords({report, sweep});
  ASSERT_THAT(named, IsOk());
  EXPECT_THAT(named->paths, ElementsAre(sweep));
  EXPECT_THAT(named->remarks, ElementsAre(HasSubstr("they are reports: " + report)));
  EXPECT_THAT(FindNamedRecords({report})->paths, ElementsAre(report));
}

TEST(NamedRecordsTest, WhatAFolderHoldsIsReadOnce) {
  const std::string folder = LabFolder(), sweep = folder + "/sweep.rec";
  EXPECT_EQ(FindNamedRecords({sweep, folder})->paths.size(), 6u);
  EXPECT_EQ(FindNamedRecords({sweep, sweep})->paths.size(), 2u);  // an error of ReadLabRecords
}

}  // namespace
}  // namespace lockstep
