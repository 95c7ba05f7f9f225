#include "lib/checks/class_verdict.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ClassStudent Fine(const std::string& name) {
  ClassStudent student;
  student.name = name;
  student.files = {"sweep.rec"};
  return student;
}

TEST(ClassVerdictTest, TheMostSevereFindingDecides) {
  ClassStudent student = Fine("ada");
  EXPECT_EQ(VerdictOf(student), ClassVerdict::kFine);
  EXPECT_THAT(ReasonsOf(student), IsEmpty());
  student.outliers = {"batch 32: 3 s"};
  EXPECT_EQ(VerdictOf(student), ClassVerdict::kOutlier);
  student.unreadable = {{"a.csv", "line 5: expected 7 fields", "ask for the file again"}};
  EXPECT_EQ(VerdictOf(student), ClassVerdict::kUnreadable);
  student.mostly_equal = {"times.csv: 11 of 12 measured numbers as in times.csv of eve"};
  EXPECT_EQ(VerdictOf(student), ClassVerdict::kMostlyEqual);
  student.copies = {"sweep.rec: the same numbers as sweep.rec of ben"};
  student.copy_group = 2;
  EXPECT_EQ(VerdictOf(student), ClassVerdict::kCopy);
  student.findings = {{"synthetic_images", "records", "a remark"}};
  EXPECT_EQ(VerdictOf(student), ClassVerdict::kCopy);
  student.findings.push_back({"parts_do_not_sum", "sweep.rec", "0.6 s of 0.5 s"});
  EXPECT_EQ(VerdictOf(student), ClassVerdict::kBrokenRules);
  EXPECT_THAT(ReasonsOf(student),
              ElementsAre("parts_do_not_sum", "group 2: sweep.rec: the same numbers as sweep.rec of ben",
                          "times.csv: 11 of 12 measured numbers as in times.csv of eve",
                          "a.csv: line 5: expected 7 fields; ask for the file again", "batch 32: 3 s"));
}

TEST(ClassVerdictTest, AStudentWithoutRecordsHasAReason) {
  ClassStudent student;
  EXPECT_EQ(VerdictOf(student), ClassVerdict::kUnreadable);
  EXPECT_THAT(ReasonsOf(student),
              ElementsAre("no file is in it; ask for records (*.rec) or a table (*.csv, *.md, *.tex)"));
  student.other_files = {"lab.pdf"};
  student.other_file_count = 3;
  student.left_out = {{"report.rec", "a report's own record", "ask for the records"}};
  EXPECT_THAT(ReasonsOf(student),
              ElementsAre("report.rec: a report's own record; ask for the records",
                          "neither a record nor a table is in it, but lab.pdf and 2 more; ask for records (*.rec) or a "
                          "table (*.csv, *.md, *.tex)"));
}

TEST(ClassVerdictTest, OffendersComeFirst) {
  std::vector<ClassStudent> students = {Fine("ada"), Fine("ben"), Fine("cleo"), Fine("dan")};
  students[1].copies = {"x"};
  students[2].findings = {{"gib_as_gb", "", ""}};
  students[3].findings = {{"gib_as_gb", "", ""}, {"parts_do_not_sum", "", ""}};
  std::vector<std::string> names;
  for (const ClassStudent* student : BySeverity(students)) {
    names.push_back(student->name);
  }
  EXPECT_THAT(names, ElementsAre("dan", "cleo", "ben", "ada"));
}

}  // namespace
}  // namespace lockstep
