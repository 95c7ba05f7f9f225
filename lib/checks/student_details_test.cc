#include "lib/checks/student_details.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(StudentDetailsTest, FindingsComeBeforeTheCommands) {
  ClassStudent student;
  student.name = "ada";
  student.files = {"hand_in.csv", "sweep.rec"};
  student.findings = {{"parts_do_not_sum", "sweep.rec, batch 32", "0.6 s of 0.5 s"}};
  student.mostly_equal = {"hand_in.csv: 11 of 12 measured numbers as in t.csv of ben"};
  student.answered = {"Q1"};
  student.partly = {"Q2", "Q3"};
  student.partly_reasons = {"Not decided: the ranks share one CPU.", "Not decided: one epoch."};
  const proto::Table table = StudentDetails("student-1", "class", student);
  EXPECT_EQ(table.caption(), "ada: broken rules");
  ASSERT_EQ(table.row_size(), 7);
  EXPECT_EQ(table.row(0).cell(0).text(), "parts_do_not_sum");
  EXPECT_EQ(table.row(0).cell(2).text(), "0.6 s of 0.5 s");
  EXPECT_EQ(table.row(1).cell(0).text(), "mostly equal");
  EXPECT_EQ(table.row(1).cell(2).text(), "hand_in.csv: 11 of 12 measured numbers as in t.csv of ben");
  EXPECT_EQ(table.row(2).cell(2).text(), "Q1");
  EXPECT_EQ(table.row(3).cell(0).text(), "partly answered");
  EXPECT_EQ(table.row(3).cell(1).text(), "Q2");
  EXPECT_EQ(table.row(3).cell(2).text(), "Not decided: the ranks share one CPU.");
  EXPECT_EQ(table.row(4).cell(2).text(), "Not decided: one epoch.");
  EXPECT_EQ(table.row(5).cell(2).text(), "report --check class/ada/hand_in.csv class/ada/sweep.rec");
  EXPECT_EQ(table.row(6).cell(2).text(), "report --style=lab class/ada/sweep.rec --output=ada.html");
}

TEST(StudentDetailsTest, EachWrongNumberHasARow) {
  ClassStudent student;
  student.name = "ada";
  student.files = {"t.csv"};
  student.findings = {{"gib_as_gb", "t.csv, Table 2", "a"}, {"digits_lost", "t.csv, Table 2", "cut", {"cut too"}}};
  for (int i = 0; i < 30; ++i) {
    student.findings[0].others.push_back(absl::StrCat("number ", i));
  }
  const proto::Table table = StudentDetails("student-1", "class", student);
  ASSERT_EQ(table.row_size(), 33);  // 31 numbers, a remark, a command
  EXPECT_EQ(table.row(0).cell(2).text(), "a");
  EXPECT_EQ(table.row(30).cell(0).text(), "gib_as_gb");
  EXPECT_EQ(table.row(30).cell(1).text(), "t.csv, Table 2");
  EXPECT_EQ(table.row(30).cell(2).text(), "number 29");
  EXPECT_EQ(table.row(31).cell(2).text(), "cut And 1 more of this table.");  // a remark
}

TEST(StudentDetailsTest, NumbersThatWereNotJudgedAreNamed) {
  ClassStudent student;
  student.files = {"t.csv"};
  student.partly_read = {{"t.csv", "names that are not understood: 'Init' (9 numbers)", ""}};
  EXPECT_EQ(StudentDetails("student-1", "class", student).row(0).cell(0).text(), "not judged");
}

}  // namespace
}  // namespace lockstep
