// A class of 30 folders, three of them copies, two with planted mistakes: all are found, and nobody else.
#include "lib/checks/class_page.h"

#include <filesystem>
#include <random>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/checks/kept_records.h"
#include "lib/record/record_writer.h"
#include "lib/report/convert_record.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kSweepPath[] = "benchmarks/results/2026-11-21-h200x2-fp32/sweep.json";
constexpr int kStudents = 30;

std::string NameOf(int student) { return absl::StrFormat("student%02d", student); }

// Run by somebody else: all times by one factor close to 1, each epoch by another.
void RunAgain(uint32_t seed, LabSweep& sweep) {
  std::mt19937 engine(seed);
  const auto factor = [&] { return 0.99 + 0.02 * (engine() / 4294967296.0); };
  const double run = factor();
  for (proto::SweepPoint& point : sweep.points) {
    for (int i = 0; i < point.epoch_seconds().value_size(); ++i) {
      const double epoch = run * factor();
      for (proto::Samples* samples :
           {point.mutable_epoch_seconds(), point.mutable_step_seconds(), point.mutable_data_wait_seconds(),
            point.mutable_copy_seconds(), point.mutable_forward_seconds(), point.mutable_backward_seconds(),
            point.mutable_optimizer_seconds()}) {
        if (i < samples->value_size()) {
          samples->set_value(i, samples->value(i) * epoch);
        }
      }
    }
  }
}

void WriteSweep(const std::string& folder, const LabSweep& sweep) {
  std::filesystem::create_directories(folder);
  std::vector<proto::SweepRecord> records(1);
  *records[0].mutable_spec() = sweep.spec;
  for (const proto::SweepPoint& point : sweep.points) {
    *records.emplace_back().mutable_point() = point;
  }
  ASSERT_THAT(WriteRecordFile(folder + "/sweep.rec", sweep.header, records), IsOk());
}

class ClassPageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = TempPath("class");
    std::filesystem::remove_all(folder_);
    for (int student = 0; student < kStudents; ++student) {
      LabSweep sweep = ReadKeptRecord(kSweepPath).sweeps.at(0);
      RunAgain(static_cast<uint32_t>(student), sweep);
      sweep.header.set_start_time(absl::StrFormat("2026-11-21T10:00:%02dZ", student));
      WriteSweep(PathOf(student), sweep);
    }
  }

  std::string PathOf(int student) const { return absl::StrCat(folder_, "/", NameOf(student)); }

  LabSweep SweepOf(int student) const { return ReadLabRecords({PathOf(student) + "/sweep.rec"})->sweeps.at(0); }

  std::vector<ClassStudent> Checked() const {
    auto students = ListClass(folder_);
    EXPECT_THAT(students, IsOk());
    CheckClass(*students);
    return *students;
  }

  std::string folder_;
};

std::vector<std::string> NamesOf(const std::vector<ClassStudent>& students, bool (*is)(const ClassStudent&)) {
  std::vector<std::string> names;
  for (const ClassStudent& student : students) {
    if (is(student)) {
      names.push_back(student.name);
    }
  }
  return names;
}

bool HasCopy(const ClassStudent& student) { return !student.copies.empty(); }
bool IsBroken(const ClassStudent& student) { return !FailedRules(student.findings).empty(); }
bool IsFar(const ClassStudent& student) { return !student.outliers.empty(); }

TEST_F(ClassPageTest, AnHonestClassHasNothing) {
  const std::vector<ClassStudent> students = Checked();
  EXPECT_THAT(students, SizeIs(kStudents));
  EXPECT_THAT(NamesOf(students, HasCopy), IsEmpty());
  EXPECT_THAT(NamesOf(students, IsBroken), IsEmpty());
  EXPECT_THAT(NamesOf(students, IsFar), IsEmpty());
}

TEST_F(ClassPageTest, CopiesMistakesAndOutliersAreFound) {
  // Three have the numbers of student 4: two the file itself, one under a header of its own.
  for (const int copy : {11, 17}) {
    std::filesystem::copy_file(PathOf(4) + "/sweep.rec", PathOf(copy) + "/sweep.rec",
                               std::filesystem::copy_options::overwrite_existing);
  }
  LabSweep renamed = SweepOf(4);
  renamed.header.set_start_time("2026-11-22T09:00:00Z");
  WriteSweep(PathOf(23), renamed);
  // Two mistakes.
  LabSweep parts = SweepOf(7);
  for (double& value : *parts.points[2].mutable_forward_seconds()->mutable_value()) {
    value *= 1.5;
  }
  WriteSweep(PathOf(7), parts);
  WriteFile(PathOf(19) + "/hand_in.csv",
            "# source = a test\n# images_per_epoch = 50000\n# batch = per_device\n"
            "table,quantity,devices,batch_per_device,value,unit,as_printed\n"
            "Q1,step_seconds,1,32,21.16,s,21.16\nQ2,epoch_seconds,1,32,15.89,s,15.89\n");
  // One whose machine was busy.
  LabSweep slow = SweepOf(26);
  for (proto::Samples* samples : {slow.points[0].mutable_epoch_seconds(), slow.points[0].mutable_step_seconds()}) {
    for (double& value : *samples->mutable_value()) {
      value *= 1.5;
    }
  }
  WriteSweep(PathOf(26), slow);

  const std::vector<ClassStudent> students = Checked();
  EXPECT_THAT(NamesOf(students, HasCopy), ElementsAre("student04", "student11", "student17", "student23"));
  EXPECT_THAT(NamesOf(students, IsBroken), ElementsAre("student07", "student19"));
  EXPECT_THAT(FailedRules(students[7].findings), ElementsAre("parts_do_not_sum"));
  EXPECT_THAT(FailedRules(students[19].findings), ElementsAre("with_loading_faster_than_without"));
  EXPECT_THAT(NamesOf(students, IsFar), ElementsAre("student26"));
}

// Student 8 has student 3's record as JSON, and what is none beside it.
TEST_F(ClassPageTest, TheJsonOfARecordIsReadAsTheRecord) {
  const std::string json = PathOf(8) + "/sweep.json";
  std::ostringstream talk;
  ASSERT_THAT(ConvertRecord({PathOf(3) + "/sweep.rec", json, true}, talk), IsOk());
  std::filesystem::remove(PathOf(8) + "/sweep.rec");
  std::filesystem::copy(json, PathOf(3) + "/sweep.json");  // of a record that is there, too
  WriteFile(PathOf(8) + "/settings.json", "{\"a\": 1}");
  WriteFile(PathOf(8) + "/report.json", "{\"record\": [{\"header\": {\"schema\": \"lockstep.proto.ReportFile\"}}]}");
  WriteFile(PathOf(8) + "/report.rec", "lockstep.proto.ReportFile");
  const std::vector<ClassStudent> students = Checked();
  ASSERT_THAT(students, SizeIs(kStudents));
  EXPECT_EQ(students[8].unreadable, "");
  EXPECT_THAT(students[8].files, ElementsAre(json));
  EXPECT_THAT(students[3].files, ElementsAre(PathOf(3) + "/sweep.rec"));
  EXPECT_THAT(NamesOf(students, HasCopy), ElementsAre(NameOf(3), NameOf(8)));
  EXPECT_THAT(NamesOf(students, IsBroken), IsEmpty());
}

TEST_F(ClassPageTest, ThePageNamesThemAll) {
  std::filesystem::copy_file(PathOf(4) + "/sweep.rec", PathOf(11) + "/sweep.rec",
                             std::filesystem::copy_options::overwrite_existing);
  WriteFile(PathOf(12) + "/sweep.rec", "no record");
  const std::string page = TempPath("class.html");
  ASSERT_THAT(RunClass(folder_, page, false), IsOk());
  const std::string html = ReadFile(page);
  EXPECT_THAT(html, HasSubstr("30 students: 0 with broken rules, 2 with numbers that another one has, too, 0 far from "
                              "the class, 1 that cannot be read; 27 without any of these."));
  EXPECT_THAT(html, HasSubstr("sweep.rec: the same numbers as sweep.rec of student04"));
  EXPECT_THAT(html, HasSubstr("not a Lockstep record file"));
}

TEST(ClassFolderTest, WhatIsNoClassIsRefused) {
  EXPECT_THAT(ListClass("no/such/folder"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("--class_folder=no/such/folder")));
  const std::string empty = TempPath("empty");
  std::filesystem::create_directories(empty);
  EXPECT_THAT(ListClass(empty),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("a folder for each student")));
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
