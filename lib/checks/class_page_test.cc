// A class of 30 folders, with three copies and two planted mistakes: all are found, and no other student is named.
#include "lib/checks/class_page.h"

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/checks/check.h"
#include "lib/checks/class_counts.h"
#include "lib/checks/class_verdict.h"
#include "lib/checks/kept_records_testing.h"
#include "lib/lab_records/convert_record.h"
#include "lib/record/record_writer.h"
#include "lib/record/run_files.h"
#include "lib/testing/emulation.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kSweepPath[] = "benchmarks/results/2026-11-21-h200x2-fp32/sweep.rec";
constexpr char kSweepJson[] = "data/testdata/records/sweep.json";  // the same record, as JSON
constexpr int kStudents = 30;

std::string NameOf(int student) { return absl::StrFormat("student%02d", student); }

// Changes the times as if another person had run the sweep: all times by one factor near 1, each epoch by another.
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

std::vector<ClassStudent> Checked(const std::string& folder) {
  EXPECT_THAT(DeclareRunFiles({{folder}, {}}), IsOk());
  auto files = ClassFiles::Open(folder);
  EXPECT_THAT(files, IsOk());
  auto students = CheckClass(**files);
  EXPECT_THAT(students, IsOk());
  return *std::move(students);
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

  std::vector<ClassStudent> Checked() const { return testing::Checked(folder_); }

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

std::vector<std::string> Names(const std::vector<UnreadFile>& files) {
  std::vector<std::string> names;
  for (const UnreadFile& file : files) {
    names.push_back(file.name);
  }
  return names;
}

bool HasCopy(const ClassStudent& student) { return !student.copies.empty(); }
bool IsBroken(const ClassStudent& student) { return !FailedRules(student.findings).empty(); }
bool IsMostly(const ClassStudent& student) { return !student.mostly_equal.empty(); }
bool IsFar(const ClassStudent& student) { return !student.outliers.empty(); }

TEST_F(ClassPageTest, AnHonestClassHasNothing) {
  const std::vector<ClassStudent> students = Checked();
  EXPECT_THAT(students, SizeIs(kStudents));
  EXPECT_THAT(NamesOf(students, HasCopy), IsEmpty());
  EXPECT_THAT(NamesOf(students, IsMostly), IsEmpty());
  EXPECT_THAT(NamesOf(students, IsBroken), IsEmpty());
  EXPECT_THAT(NamesOf(students, IsFar), IsEmpty());
}

TEST_F(ClassPageTest, CopiesMistakesAndOutliersAreFound) {
  // Three students have the numbers of student 4: two have the same file, and one has it under another header.
  for (const int copy : {11, 17}) {
    std::filesystem::copy_file(PathOf(4) + "/sweep.rec", PathOf(copy) + "/sweep.rec",
                               std::filesystem::copy_options::overwrite_existing);
  }
  LabSweep renamed = SweepOf(4);
  renamed.header.set_start_time("2026-11-22T09:00:00Z");
  WriteSweep(PathOf(23), renamed);
  // Two students have mistakes.
  LabSweep parts = SweepOf(7);
  for (double& value : *parts.points[2].mutable_forward_seconds()->mutable_value()) {
    value *= 1.5;
  }
  WriteSweep(PathOf(7), parts);
  WriteFile(PathOf(19) + "/hand_in.csv",
            "# source = a test\n# images_per_epoch = 50000\n# batch = per_device\n"
            "table,quantity,devices,batch_per_device,value,unit,as_printed\n"
            "Q1,step_seconds,1,32,21.16,s,21.16\nQ2,epoch_seconds,1,32,15.89,s,15.89\n");
  // One student's machine was busy.
  LabSweep slow = SweepOf(26);
  for (proto::Samples* samples : {slow.points[0].mutable_epoch_seconds(), slow.points[0].mutable_step_seconds()}) {
    for (double& value : *samples->mutable_value()) {
      value *= 1.5;
    }
  }
  WriteSweep(PathOf(26), slow);

  const std::vector<ClassStudent> students = Checked();
  EXPECT_THAT(NamesOf(students, HasCopy), ElementsAre("student04", "student11", "student17", "student23"));
  EXPECT_THAT(NamesOf(students, IsMostly), IsEmpty());
  EXPECT_THAT(NamesOf(students, IsBroken), ElementsAre("student07", "student19"));
  EXPECT_THAT(FailedRules(students[7].findings), ElementsAre("parts_do_not_sum"));
  EXPECT_THAT(FailedRules(students[19].findings), ElementsAre("with_loading_faster_than_without"));
  EXPECT_THAT(NamesOf(students, IsFar), ElementsAre("student26"));
}

// Students 4 and 9 have the same record of one point; 9 has changed one time of it.
TEST_F(ClassPageTest, ARecordWithAChangedTimeIsMostlyEqual) {
  LabSweep sweep = SweepOf(4);
  sweep.points.resize(1);
  WriteSweep(PathOf(4), sweep);
  proto::Samples& epochs = *sweep.points[0].mutable_epoch_seconds();
  epochs.set_value(0, epochs.value(0) * 1.002);
  WriteSweep(PathOf(9), sweep);
  const std::vector<ClassStudent> students = Checked();
  EXPECT_THAT(NamesOf(students, HasCopy), IsEmpty());
  EXPECT_THAT(NamesOf(students, IsMostly), ElementsAre("student04", "student09"));
  EXPECT_THAT(students[9].mostly_equal,
              ElementsAre(AllOf(HasSubstr(" measured numbers as in sweep.rec of student04; different: epoch time of "
                                          "batch 32: "),
                                Not(HasSubstr("; and ")))));
}

// Student 8 has student 3's record as JSON, and next to it a JSON that is no record.
TEST_F(ClassPageTest, TheJsonOfARecordIsReadAsTheRecord) {
  const std::string json = PathOf(8) + "/sweep.json";
  std::ostringstream log;
  ASSERT_THAT(ConvertRecord({PathOf(3) + "/sweep.rec", json, true}, log), IsOk());
  std::filesystem::remove(PathOf(8) + "/sweep.rec");
  std::filesystem::copy(json, PathOf(3) + "/sweep.json");  // JSON of a record that is in the same folder
  WriteFile(PathOf(8) + "/settings.json", "{\"a\": 1}");
  WriteFile(PathOf(8) + "/report.json", "{\"record\": [{\"header\": {\"schema\": \"lockstep.proto.ReportFile\"}}]}");
  WriteFile(PathOf(8) + "/report.rec", "lockstep.proto.ReportFile");
  const std::vector<ClassStudent> students = Checked();
  ASSERT_THAT(students, SizeIs(kStudents));
  EXPECT_THAT(students[8].files, ElementsAre("sweep.json"));
  EXPECT_THAT(Names(students[8].unreadable),
              UnorderedElementsAre("report.json", "report.rec"));  // only a text, no header
  EXPECT_THAT(Names(students[8].left_out), ElementsAre("settings.json"));
  EXPECT_THAT(students[3].files, ElementsAre("sweep.rec"));
  EXPECT_THAT(Names(students[3].left_out), ElementsAre("sweep.json"));  // the same numbers as sweep.rec
  EXPECT_THAT(NamesOf(students, HasCopy), ElementsAre(NameOf(3), NameOf(8)));
  EXPECT_THAT(NamesOf(students, IsBroken), IsEmpty());
}

TEST_F(ClassPageTest, ThePageNamesThemAll) {
  std::filesystem::copy_file(PathOf(4) + "/sweep.rec", PathOf(11) + "/sweep.rec",
                             std::filesystem::copy_options::overwrite_existing);
  WriteFile(PathOf(12) + "/sweep.rec", "no record");
  const std::string page = TempPath("class.html");
  ASSERT_THAT(RunClass({folder_, page}), IsOk());
  const std::string html = ReadFile(page);
  EXPECT_THAT(html, HasSubstr("30 students: broken rules 0, copy 2, cannot be read 1, far from the class 0, fine 27; "
                              "2 students in 1 group share numbers (1 copied file)."));
  EXPECT_THAT(html, HasSubstr("sweep.rec: the same numbers as sweep.rec of student04"));
  EXPECT_THAT(html, HasSubstr("not a Lockstep record file"));
}

// Returns a hand-in of nine times and six speed-ups, each time multiplied by `factor`, that of two devices at batch 128
// by `two_devices` too.
std::string HandIn(double factor, double two_devices) {
  const double seconds[3][3] = {{8.44, 6.10, 5.30}, {4.63, 3.23, 2.70}, {2.34, 1.63, 1.39}};
  std::string times, speedups;
  for (size_t d = 0; d < 3; ++d) {
    for (size_t b = 0; b < 3; ++b) {
      const auto printed = [&](size_t devices) {
        return absl::StrFormat("%.2f", seconds[devices][b] * factor * (devices == 1 && b == 1 ? two_devices : 1));
      };
      const std::string place = absl::StrCat(1 << d, ",", 32 << (2 * b));
      absl::StrAppend(&times, "Q2,epoch_seconds,", place, ",", printed(d), ",s,", printed(d), "\n");
      if (d > 0) {
        absl::StrAppend(&speedups, "Q2,speedup,", place, ",,,",
                        absl::StrFormat("%.2f", std::stod(printed(0)) / std::stod(printed(d))), "\n");
      }
    }
  }
  return absl::StrCat(
      "# source = a test\n# images_per_epoch = 50000\n# batch = per_device\n"
      "table,quantity,devices,batch_per_device,value,unit,as_printed\n",
      times, speedups);
}

// Returns the table with this id, which one of the sections must have.
proto::Table TableOf(const std::vector<proto::Section>& sections, const std::string& id) {
  for (const proto::Section& section : sections) {
    for (const proto::Table& table : section.table()) {
      if (table.id() == id) {
        return table;
      }
    }
  }
  ADD_FAILURE() << "no table " << id;
  return {};
}

// Checks that card, tables and grades have the numbers of `counts`, which the terminal prints.
void ExpectEqualCounts(const ClassCounts& counts, const std::vector<proto::Section>& sections, const std::string& csv) {
  const proto::Section& card = sections.at(0);
  EXPECT_EQ(card.title(), absl::StrCat(counts.students, " students"));
  EXPECT_EQ(card.paragraph(0), absl::StrCat(CountsText(counts), "."));
  const proto::Table rows = TableOf(sections, "students"), copies = TableOf(sections, "copies");
  EXPECT_EQ(static_cast<size_t>(rows.row_size()), counts.students);
  EXPECT_EQ(static_cast<size_t>(copies.row_size()), counts.copy_groups);
  int i = 0;
  size_t sum = 0;
  for (const auto& [verdict, count] : counts.by_verdict) {
    const std::string name = VerdictName(verdict);
    EXPECT_EQ(card.claim(i).question(), absl::StrCat(count)) << name;
    EXPECT_EQ(card.claim(i).text().rfind(name, 0), 0u) << card.claim(i).text();
    const auto is_it = [&](const proto::Row& row) { return row.cell(1).text() == name; };
    EXPECT_EQ(std::count_if(rows.row().begin(), rows.row().end(), is_it), static_cast<std::ptrdiff_t>(count)) << name;
    size_t lines = 0;
    for (size_t at = csv.find(absl::StrCat(",", name, ",")); at != std::string::npos;
         at = csv.find(absl::StrCat(",", name, ","), at + 1)) {
      ++lines;
    }
    EXPECT_EQ(lines, count) << name;
    sum += count;
    ++i;
  }
  EXPECT_EQ(sum, counts.students);
  size_t sharing = 0;
  for (const proto::Row& row : copies.row()) {
    sharing += std::stoul(row.cell(2).text());
  }
  EXPECT_EQ(sharing, counts.sharing_students);
}

// A class of 30: 0 to 7 print tables (3 copies 2, 5 has an outlier), 8 and 9 have wrong numbers, 10 and 11 have the
// numbers of 12, and 20 to 25 cannot be read: each for another reason.
TEST_F(ClassPageTest, OffendersAreTheFirstOf30Rows) {
  for (int i = 0; i < 8; ++i) {
    std::filesystem::remove(PathOf(i) + "/sweep.rec");
    WriteFile(PathOf(i) + "/hand_in.csv", HandIn(1 + 0.003 * (i == 3 ? 2 : i), i == 5 ? 3 : 1));
  }
  WriteFile(PathOf(8) + "/hand_in.textproto", ReadFile("data/published/hand_in_001.textproto"));
  LabSweep parts = SweepOf(9);
  for (double& value : *parts.points[2].mutable_forward_seconds()->mutable_value()) {
    value *= 1.5;
  }
  WriteSweep(PathOf(9), parts);
  for (const int copy : {10, 11}) {
    WriteSweep(PathOf(copy), SweepOf(12));
  }
  for (int i = 20; i < 26; ++i) {
    std::filesystem::remove(PathOf(i) + "/sweep.rec");
  }
  const std::string record = ReadFile(kSweepPath);
  WriteFile(PathOf(20) + "/sweep.rec", record.substr(0, record.size() / 2));
  std::filesystem::create_symlink("/dev/zero", PathOf(21) + "/sweep.rec");  // 22 is empty
  WriteFile(PathOf(23) + "/lab.pdf", "%PDF");
  proto::Header header;
  header.set_schema(proto::ReportFile::descriptor()->full_name());
  header.set_schema_version(1);
  ASSERT_THAT(WriteRecordFile(PathOf(24) + "/report.rec", header, std::vector<proto::ReportRecord>(1)), IsOk());
  WriteFile(PathOf(25) + "/hand_in.csv", absl::StrCat(HandIn(1, 1), "Q2,speedup,2,32,,,1,7\n"));

  const std::vector<ClassStudent> students = Checked();
  std::map<ClassVerdict, std::vector<std::string>> by_verdict;
  for (const ClassStudent* student : BySeverity(students)) {
    by_verdict[VerdictOf(*student)].push_back(student->name.substr(std::strlen("student")));
  }
  EXPECT_THAT(by_verdict[ClassVerdict::kBrokenRules], ElementsAre("08", "09"));
  EXPECT_THAT(by_verdict[ClassVerdict::kCopy], ElementsAre("02", "03", "10", "11", "12"));
  EXPECT_THAT(by_verdict[ClassVerdict::kUnreadable], ElementsAre("20", "21", "22", "23", "24", "25"));
  EXPECT_THAT(by_verdict[ClassVerdict::kOutlier], ElementsAre("05"));
  EXPECT_THAT(by_verdict[ClassVerdict::kFine], SizeIs(16));
  EXPECT_EQ(students[2].copy_group, 1);
  EXPECT_EQ(students[12].copy_group, 2);
  EXPECT_THAT(students[0].answered, ElementsAre("Q1", "Q2"));
  // A random percent per epoch hides that batch 1024 (0.529 s) is faster than batches 512 (0.537 s) and 2048 (0.535 s).
  EXPECT_THAT(students[19].answered, IsEmpty());
  EXPECT_THAT(students[19].partly, ElementsAre("Q1"));

  const std::string page = TempPath("class30.html"), grades = TempPath("class30.csv");
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunClass({folder_, page, grades}), IsOk());
  const std::string terminal = ::testing::internal::GetCapturedStderr();
  const std::string html = ReadFile(page);
  for (const std::string& text : {terminal, html}) {
    EXPECT_THAT(text, HasSubstr("30 students: broken rules 2, copy 5, cannot be read 6 (3 without a record or table), "
                                "far from the class 1, fine 16; 5 students in 2 groups share numbers (3 copied "
                                "files)"));
  }
  ExpectEqualCounts(CountClass(students), ClassSections(folder_, students, {}), ReadFile(grades));
  EXPECT_LT(html.find("student08"), html.find("student02"));
  EXPECT_THAT(html, HasSubstr("cut off at byte"));
  EXPECT_THAT(html, HasSubstr("ask for the file again, as the tool wrote it"));
  EXPECT_THAT(html, HasSubstr("no file is in it; ask for records"));
  EXPECT_THAT(html, HasSubstr("with this line corrected"));
  EXPECT_THAT(html, HasSubstr("ask for the records from which the report was made"));
  const std::string csv = ReadFile(grades);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + kStudents);
  ASSERT_THAT(RunClass({folder_, page, grades}), IsOk());  // replaces its own files
  WriteFile(grades, "name,grade\nada,1\n");
  EXPECT_THAT(RunClass({folder_, page, grades}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--force")));
}

constexpr char kTable[] =
    "# source = a test\n# images_per_epoch = 50000\n# batch = per_device\n"
    "table,quantity,devices,batch_per_device,value,unit,as_printed\nQ1,epoch_seconds,1,32,21.16,s,21.16\n";

// Tests on a class that is made file by file.
class ClassFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = TempPath("a_class");
    std::filesystem::remove_all(folder_);
    Write("alice/sweep.json", ReadFile(kSweepJson));
  }

  std::string PathOf(const std::string& file) const { return absl::StrCat(folder_, "/", file); }

  void Write(const std::string& file, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(PathOf(file)).parent_path());
    WriteFile(PathOf(file), bytes);
  }

  void Link(const std::string& target, const std::string& file) const {
    std::filesystem::create_directories(std::filesystem::path(PathOf(file)).parent_path());
    std::filesystem::create_symlink(target, PathOf(file));
  }

  // Returns the page of the class.
  std::string Page() const {
    const std::string page = TempPath("a_class.html");
    EXPECT_THAT(RunClass({folder_, page}), IsOk());
    return ReadFile(page);
  }

  ClassStudent Student(const std::string& name) const {
    for (const ClassStudent& student : testing::Checked(folder_)) {
      if (student.name == name) {
        return student;
      }
    }
    ADD_FAILURE() << name << " is not among the students";
    return {};
  }

  std::string folder_;
};

std::string WhyOf(const std::vector<UnreadFile>& files, const std::string& name) {
  for (const UnreadFile& file : files) {
    if (file.name == name) {
      return file.why;
    }
  }
  return absl::StrCat("nothing about ", name);
}

TEST_F(ClassFolderTest, WhatIsNoClassIsRefused) {
  EXPECT_THAT(ClassFiles::Open("no/such/folder"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("--class_folder=no/such/folder")));
  const std::string empty = TempPath("empty");
  std::filesystem::create_directories(empty);
  EXPECT_THAT(ClassFiles::Open(empty),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("a folder for each student")));
}

TEST_F(ClassFolderTest, class_fifo_among_the_files) {
  for (const char* name : {"x.rec", "x.json", "x.csv", "x.textproto"}) {
    std::filesystem::create_directories(PathOf("bob"));
    ASSERT_EQ(mkfifo(PathOf(absl::StrCat("bob/", name)).c_str(), 0600), 0);
    EXPECT_THAT(WhyOf(Student("bob").unreadable, name), HasSubstr("not a regular file"));
  }
  EXPECT_THAT(Page(), AllOf(HasSubstr("x.textproto: not a regular file"), HasSubstr("alice")));
}

TEST_F(ClassFolderTest, class_link_to_proc_kmsg) {
  if (IsEmulated()) {
    GTEST_SKIP() << "QEMU does not emulate openat2; without it no link is followed";
  }
  Link("/proc/kmsg", "bob/x.csv");
  Link("/dev/zero", "bob/y.json");
  Link("nowhere", "bob/z.rec");
  const std::vector<UnreadFile> unreadable = Student("bob").unreadable;
  EXPECT_THAT(WhyOf(unreadable, "x.csv"), HasSubstr("a link out of the folder, which is not followed"));
  EXPECT_THAT(WhyOf(unreadable, "y.json"), HasSubstr("a link out of the folder"));
  EXPECT_THAT(WhyOf(unreadable, "z.rec"), HasSubstr("cannot be opened: No such file"));
}

TEST_F(ClassFolderTest, class_link_to_a_secret_shows_nothing_of_it) {
  const std::string secret = TempPath("shadow");
  WriteFile(secret, "root:*:19000:0:99999:7:::\n");
  Link(secret, "bob/x.csv");
  Link("../../shadow", "bob/y.csv");
  Link("../alice", "bob/deeper");
  const std::string page = Page();
  EXPECT_THAT(page, Not(HasSubstr("root:")));
  const ClassStudent bob = Student("bob");
  EXPECT_THAT(bob.files, IsEmpty());
  EXPECT_THAT(WhyOf(bob.unreadable, "x.csv"), HasSubstr("a link out"));
  EXPECT_THAT(WhyOf(bob.unreadable, "y.csv"), HasSubstr("a link out"));
  EXPECT_THAT(WhyOf(bob.unreadable, "deeper"), HasSubstr("a link to a folder"));
}

TEST_F(ClassFolderTest, class_link_within_the_folder_is_followed) {
  if (IsEmulated()) {
    GTEST_SKIP() << "QEMU does not emulate openat2; without it no link is followed";
  }
  Write("bob/data/table.csv", kTable);
  Link("data/table.csv", "bob/link.csv");
  const ClassStudent bob = Student("bob");
  EXPECT_THAT(bob.files, ElementsAre("data/table.csv"));
  EXPECT_EQ(WhyOf(bob.left_out, "link.csv"), "the same numbers as data/table.csv");
}

TEST_F(ClassFolderTest, class_folder_that_is_a_link_is_named) {
  Link(PathOf("alice"), "bob");
  EXPECT_THAT(WhyOf(Student("bob").unreadable, ""), HasSubstr("a link, which is not followed"));
  EXPECT_THAT(Page(), HasSubstr("2 students: "));
}

TEST_F(ClassFolderTest, class_what_is_no_table_is_not_on_the_page) {
  Write("bob/notes.csv", absl::StrCat("MY-PRIVATE-DIARY ", std::string(100, 'x'), ", the end\nand more\n"));
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("unknown column"));
  EXPECT_THAT(page, Not(HasSubstr(std::string(60, 'x'))));
  EXPECT_THAT(page, Not(HasSubstr("the end")));
}

// The text is in the first 4 KiB, in the header's command line.
TEST_F(ClassFolderTest, class_record_that_names_ReportFile_is_left_out) {
  LabSweep sweep = ReadKeptRecord(kSweepPath).sweeps.at(0);
  sweep.header.add_command_line("--checkpoint=lockstep.proto.ReportFile.pt");
  WriteSweep(PathOf("bob"), sweep);
  std::string json = ReadFile(kSweepJson);
  const size_t at = json.find("\"command_line\": [") + std::strlen("\"command_line\": [");
  ASSERT_LT(at, json.size());
  Write("carol/sweep.json", json.insert(at, "\"--checkpoint=lockstep.proto.ReportFile.pt\", "));
  EXPECT_THAT(Student("bob").files, ElementsAre("sweep.rec"));
  EXPECT_THAT(Student("carol").files, ElementsAre("sweep.json"));
  EXPECT_THAT(Student("bob").copies, SizeIs(1));
}

TEST_F(ClassFolderTest, AReportsOwnFilesAreLeftOutAndNamed) {
  proto::Header header;
  header.set_schema(proto::ReportFile::descriptor()->full_name());
  header.set_schema_version(1);
  ASSERT_THAT(WriteRecordFile(PathOf("alice/report.rec"), header, std::vector<proto::ReportRecord>(1)), IsOk());
  std::ostringstream log;
  ASSERT_THAT(ConvertRecord({PathOf("alice/report.rec"), PathOf("alice/report.json"), true}, log), IsOk());
  Write("alice/report.csv", "kind,section,of,row,label,column,text,provenance,exact,method,note\r\n");
  const ClassStudent alice = Student("alice");
  EXPECT_THAT(alice.files, ElementsAre("sweep.json"));
  EXPECT_THAT(Names(alice.left_out), UnorderedElementsAre("report.csv", "report.json", "report.rec"));
  EXPECT_THAT(alice.unreadable, IsEmpty());
}

TEST_F(ClassFolderTest, class_every_folder_is_on_the_page) {
  std::filesystem::create_directories(PathOf("bob"));
  Write("carol/notes.txt", "x");
  Write("dave/hand_in/last/sweep.json", ReadFile(kSweepJson));
  Write("erin/1/2/3/4/sweep.json", ReadFile(kSweepJson));
  Write("frank/Times.CSV", kTable);
  Write("grace/._times.csv", std::string("\0\5\26\7", 4));
  Write("grace/times.csv", kTable);
  Write("grades.csv", "x");
  Write("__MACOSX/grace/._times.csv", std::string("\0\5\26\7", 4));  // a file of an archive that macOS packed
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("7 students: "));
  EXPECT_THAT(page, HasSubstr("cannot be read 3 (2 without a record or table)"));
  EXPECT_THAT(page, HasSubstr("no file is in it"));
  EXPECT_THAT(page, HasSubstr("notes.txt: no table in it; no other file is in it"));
  EXPECT_THAT(page, HasSubstr("1/2/3/4: a folder deeper than 3 levels"));
  EXPECT_THAT(page, HasSubstr("belong to no student and were not checked: grades.csv"));
  EXPECT_THAT(Student("dave").copies, ElementsAre("hand_in/last/sweep.json: the same numbers as sweep.json of alice"));
  EXPECT_THAT(Student("frank").copies, ElementsAre("Times.CSV: the same numbers as times.csv of grace"));
  EXPECT_THAT(Student("grace").unreadable, IsEmpty());
}

TEST_F(ClassFolderTest, TablesInMarkdownAreReadAndProseHidesNothing) {
  const std::string table =
      "# Lab 4\n\n# source: a test\n# images_per_epoch: 50000\n# batch: per_device\n\nEpoch time (s)\n\n"
      "| batch | 1 GPU | 4 GPUs |\n|---|---|---|\n| 32 | 30.55 | 9.61 |\n| 512 | 21.03 | 4.571 |\n\nSpeed-up\n\n"
      "| batch | 4 GPUs |\n|---|---|\n| 32 | 3.18x |\n| 512 | 4.60x |\n";
  Write("bob/lab4.md", table);
  Write("bob/README.md", "# How to run\nCall `make`.\n");
  const ClassStudent bob = Student("bob");
  EXPECT_THAT(bob.files, ElementsAre("lab4.md"));
  EXPECT_THAT(bob.unreadable, IsEmpty());
  EXPECT_THAT(Names(bob.left_out), ElementsAre("README.md"));
  EXPECT_EQ(bob.left_out[0].why, "no table in it");
  EXPECT_EQ(bob.speedups_above_devices, 1u);
  EXPECT_EQ(bob.wrong_numbers, 0u);
  EXPECT_STREQ(VerdictName(VerdictOf(bob)), "fine");
  EXPECT_THAT(ReasonsOf(bob), ElementsAre(AllOf(HasSubstr("remark speedup_above_ranks: "), HasSubstr("is above 4"))));
  EXPECT_THAT(Page(), HasSubstr("remark speedup_above_ranks: "));
}

// bob changed one time of alice's table and copied the table of communication, which follows from the times before the
// change. Both students are in the group, and the changed time is named.
TEST_F(ClassFolderTest, ATableWithAChangedNumberNextToACopyIsNamed) {
  const std::string head = "# source: a test\n# images_per_epoch: 50000\n# batch: per_device\n\n# table: Table 1\n";
  const std::string times =
      "# quantity: epoch time\n# unit: s\nbatch,1 GPU,2 GPUs,4 GPUs\n32,31.333,16.582,9.768\n128,22.876,12.309,6.928\n"
      "512,20.554,10.885,5.786\n\n";
  const std::string communication =
      "# table: Table 2\n# quantity: communication time\n# unit: s\nbatch,2 GPUs,4 GPUs\n32,0.916,1.935\n"
      "128,0.871,1.209\n512,0.608,0.647\n";
  Write("bob/a.csv", absl::StrCat(head, times, communication));
  Write("carol/b.csv", absl::StrCat(head, absl::StrReplaceAll(times, {{"12.309", "12.609"}}), communication));
  const ClassStudent bob = Student("bob"), carol = Student("carol");
  EXPECT_GT(carol.copy_group, 0u);
  EXPECT_THAT(carol.mostly_equal,
              ElementsAre(HasSubstr("8 of 9 measured numbers as in a.csv of bob; different: epoch "
                                    "time of 2 devices, batch 128: 12.609 s here, 12.309 s there")));
  EXPECT_THAT(bob.mostly_equal, SizeIs(1));
}

// Two speed-ups of one table are wrong: one place of one rule.
TEST_F(ClassFolderTest, WrongNumbersAreCountedNotPlaces) {
  std::string text = HandIn(1, 1);
  for (const auto& [right, wrong] :
       {std::pair<const char*, const char*>{",1.82\n", ",1.42\n"}, {",3.74\n", ",2.74\n"}}) {
    ASSERT_THAT(text, HasSubstr(right));
    text = absl::StrReplaceAll(text, {{right, wrong}});
  }
  Write("bob/hand_in.csv", text);
  const ClassStudent bob = Student("bob");
  EXPECT_EQ(bob.wrong_numbers, 2u);
  ASSERT_THAT(bob.findings, SizeIs(1));
  EXPECT_THAT(bob.findings[0].others, SizeIs(1));
  EXPECT_THAT(Page(), AllOf(HasSubstr("1.42"), HasSubstr("2.74"), HasSubstr("printed numbers, listed under")));
}

TEST_F(ClassFolderTest, class_a_file_that_is_no_text_is_not_a_table) {
  Write("heidi/times.csv", std::string("\"a\0b\"\n", 6));
  Write("ivan/sweep.json", "{}");
  const ClassStudent heidi = Student("heidi");
  ASSERT_EQ(heidi.unreadable.size(), 1u);
  EXPECT_THAT(heidi.unreadable[0].why, HasSubstr("not a text file: byte 2 is zero"));
  EXPECT_THAT(heidi.unreadable[0].remedy, HasSubstr("ask for the file again, as the tool wrote it"));
  EXPECT_THAT(Page(), HasSubstr("not the JSON of a record; no other file is in it"));
}

TEST_F(ClassFolderTest, MostlyEqualTablesAreOnThePageAndInTheGrades) {
  Write("bob/hand_in.csv", HandIn(1, 1));
  Write("carol/hand_in.csv", HandIn(1, 1.01));
  const std::string grades = TempPath("mostly_equal.csv");
  WriteFile(grades, "folder,verdict,failures,broken_rules,remarks,answered,questions,copy_group,copies\r\n");
  ASSERT_THAT(RunClass({folder_, TempPath("a_class.html"), grades}), IsOk());  // the file of an earlier version
  const std::string page = ReadFile(TempPath("a_class.html")), csv = ReadFile(grades);
  EXPECT_THAT(page,
              HasSubstr("3 students: broken rules 0, copy 0, mostly equal 2, cannot be read 0, far from the class "
                        "0, fine 1; no students share numbers."));
  EXPECT_THAT(page, HasSubstr("This is a suspicion"));
  const std::string line =
      "hand_in.csv: 8 of 9 measured numbers as in hand_in.csv of carol; different: epoch time of 2 devices, batch 128: "
      "3.23 s here, 3.26 s there";
  // The page keeps a number and its unit on one line.
  EXPECT_THAT(page, HasSubstr(absl::StrReplaceAll(line, {{"3 s ", "3\xC2\xA0s "}, {"6 s ", "6\xC2\xA0s "}})));
  EXPECT_THAT(csv, HasSubstr(absl::StrCat(",\"", line, "\",,0,0,\r\n")));  // no partly answered question
  const std::vector<ClassStudent> students = testing::Checked(folder_);
  ExpectEqualCounts(CountClass(students), ClassSections(folder_, students, {}), csv);
}

// Pages of classes without mostly equal numbers do not name them.
TEST_F(ClassFolderTest, MostlyEqualIsNotNamedWithoutAStudent) {
  Write("bob/hand_in.csv", HandIn(1, 1));
  Write("carol/hand_in.csv", HandIn(1.013, 1));
  EXPECT_THAT(Page(),
              AllOf(HasSubstr("3 students: broken rules 0, copy 0, cannot be read 0"), Not(HasSubstr("ostly equal"))));
}

TEST_F(ClassFolderTest, class_each_copied_pair_counts_once) {
  Write("alice/again/sweep.json", ReadFile(kSweepJson));  // her own numbers
  Write("bob/hand_in/sweep.json", ReadFile(kSweepJson));
  Write("carol/Times.CSV", kTable);
  Write("dave/times.csv", kTable);
  Write("dave/._times.csv", std::string("\0\5\26\7", 4));
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("4 students: broken rules 0, copy 4, cannot be read 0, "));
  EXPECT_THAT(page, HasSubstr("; 4 students in 2 groups share numbers (2 copied files)."));
  EXPECT_THAT(Student("dave").files, ElementsAre("times.csv"));
  EXPECT_THAT(Student("alice").copies, ElementsAre("again/sweep.json: the same numbers as hand_in/sweep.json of bob"));
}

TEST_F(ClassFolderTest, class_long_text_is_cut_between_characters) {
  std::string letters;  // a name may have 255 bytes
  for (int i = 0; i < 120; ++i) {
    letters += "\xc3\xa9";
  }
  for (const char* first : {"", "x"}) {  // one of the two paths has a character across the 500th byte
    Write(absl::StrCat("bob/", first, letters, "/", letters, "/", letters, ".csv"), "no table");
  }
  EXPECT_THAT(Page(), AllOf(HasSubstr("\xc3\xa9..."), Not(HasSubstr("\\xc3"))));
}

// Drops, for its scope, the capabilities by which root can open everything. Works for any user, and in a user
// namespace.
class WithoutOverride {
 public:
  WithoutOverride() {
    EXPECT_EQ(syscall(SYS_capget, &header_, before_), 0);
    __user_cap_data_struct less[2] = {before_[0], before_[1]};
    less[0].effective &= ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
    EXPECT_EQ(syscall(SYS_capset, &header_, less), 0);
  }
  ~WithoutOverride() { EXPECT_EQ(syscall(SYS_capset, &header_, before_), 0); }
  WithoutOverride(const WithoutOverride&) = delete;
  WithoutOverride& operator=(const WithoutOverride&) = delete;

 private:
  __user_cap_header_struct header_ = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2] = {};
};

TEST_F(ClassFolderTest, class_folder_without_permission) {
  Write("bob/sweep.json", ReadFile(kSweepJson));
  Write("carol/closed/sweep.json", ReadFile(kSweepJson));
  Write("dave/sweep.json", ReadFile(kSweepJson));
  for (const char* closed : {"bob", "carol/closed", "dave/sweep.json"}) {
    std::filesystem::permissions(PathOf(closed), std::filesystem::perms::none);
  }
  std::vector<ClassStudent> students;
  {
    const WithoutOverride without;
    students = testing::Checked(folder_);
  }
  for (const char* closed : {"bob", "carol/closed", "dave/sweep.json"}) {
    std::filesystem::permissions(PathOf(closed), std::filesystem::perms::owner_all);
  }
  ASSERT_THAT(students, SizeIs(4));
  EXPECT_THAT(WhyOf(students[1].unreadable, ""), HasSubstr("Permission denied"));
  EXPECT_THAT(WhyOf(students[2].unreadable, "closed"), HasSubstr("Permission denied"));
  EXPECT_THAT(WhyOf(students[3].unreadable, "sweep.json"), HasSubstr("Permission denied"));
}

TEST_F(ClassFolderTest, class_newline_name) {
  Write("bob\nx<b>/sweep.json", ReadFile(kSweepJson));
  Write("caf\xe9/x\n.csv", "a");
  const std::string page = Page();
  EXPECT_THAT(page, HasSubstr("3 students: "));
  EXPECT_THAT(page, Not(HasSubstr("x<b>")));
  EXPECT_THAT(page, HasSubstr("caf\\xe9"));
}

TEST_F(ClassFolderTest, class_huge_files_are_named_and_not_read) {
  Write("bob/x.rec", "");
  Write("bob/y.csv", "");
  std::filesystem::resize_file(PathOf("bob/x.rec"), uint64_t{8} << 30);
  std::filesystem::resize_file(PathOf("bob/y.csv"), uint64_t{1} << 30);
  const ClassStudent bob = Student("bob");
  EXPECT_THAT(WhyOf(bob.unreadable, "x.rec"), HasSubstr("8589934592 bytes; the limit of a file is 268435456 bytes"));
  EXPECT_THAT(WhyOf(bob.unreadable, "y.csv"), HasSubstr("1073741824 bytes; the limit of a file is 16777216 bytes"));
}

TEST_F(ClassFolderTest, class_many_files_are_named_and_not_read) {
  for (int i = 0; i < 250; ++i) {
    Write(absl::StrFormat("bob/%03d.csv", i), absl::StrCat("# description = ", i, "\n", kTable));
  }
  const ClassStudent bob = Student("bob");
  EXPECT_THAT(bob.files.size() + bob.unreadable.size(), kMaxStudentFiles + 1);
  EXPECT_THAT(WhyOf(bob.unreadable, "200.csv"), HasSubstr("there are 250; the limit is 200"));
}

// The total text on copies must grow with the class, not with its square.
TEST_F(ClassFolderTest, class_of_one_record) {
  size_t bytes[2];
  for (const int students : {100, 200}) {
    for (int i = 0; i < students; ++i) {
      Write(absl::StrFormat("student%04d/t.csv", i), kTable);
    }
    bytes[students / 200] = Page().size();
  }
  EXPECT_THAT(Student("student0000").copies,
              ElementsAre("t.csv: the same numbers as t.csv of student0001, t.csv of student0002, t.csv of student0003 "
                          "and 196 more"));
  EXPECT_LT(bytes[1], 2 * bytes[0]);
  EXPECT_LT(bytes[1], 200 * 2000 + 50'000);
}

// Many mistakes of one student must take only a few rows.
TEST_F(ClassFolderTest, class_many_findings_are_a_bounded_page) {
  std::string table = "# source = a test\ntable,quantity,devices,batch_per_device,value,unit,as_printed\n";
  for (int i = 0; i < 100; ++i) {
    absl::StrAppend(&table, "T", i, ",speedup,2,32,,,7.5\n");
  }
  Write("bob/many.csv", table);
  EXPECT_THAT(Page(), HasSubstr("and 80 more"));
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
