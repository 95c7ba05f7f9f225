#include "lib/checks/student_details.h"

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
  const proto::Table table = StudentDetails("student-1", "class", student);
  EXPECT_EQ(table.caption(), "ada: broken rules");
  ASSERT_EQ(table.row_size(), 6);
  EXPECT_EQ(table.row(0).cell(0).text(), "parts_do_not_sum");
  EXPECT_EQ(table.row(0).cell(2).text(), "0.6 s of 0.5 s");
  EXPECT_EQ(table.row(1).cell(0).text(), "mostly equal");
  EXPECT_EQ(table.row(1).cell(2).text(), "hand_in.csv: 11 of 12 measured numbers as in t.csv of ben");
  EXPECT_EQ(table.row(2).cell(2).text(), "Q1");
  EXPECT_EQ(table.row(3).cell(0).text(), "partly answered");
  EXPECT_EQ(table.row(3).cell(2).text(), "Q2, Q3");
  EXPECT_EQ(table.row(4).cell(2).text(), "report --check class/ada/hand_in.csv class/ada/sweep.rec");
  EXPECT_EQ(table.row(5).cell(2).text(), "report --style=lab class/ada/sweep.rec --output=ada.html");
}

}  // namespace
}  // namespace lockstep
