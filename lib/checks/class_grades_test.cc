#include "lib/checks/class_grades.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ClassGradesTest, OneLineForEachStudent) {
  std::vector<ClassStudent> students(2);
  students[0].name = "ada";
  students[0].files = {"comm_model.rec", "sweep.rec"};
  students[0].findings = {{"parts_do_not_sum", "", ""}, {"parts_do_not_sum", "", ""}, {"synthetic_images", "", ""}};
  students[0].answered = {"Q1", "Q2"};
  students[0].copies = {"sweep.rec: the same numbers as sweep.rec of ben, s.rec of eve"};
  students[0].copy_group = 1;
  students[0].best_speedup = {1.875, 2};
  students[0].fastest_epoch = 0.5;
  students[0].mostly_equal = {"times.csv: 11 of 12 measured numbers as in times.csv of dan"};
  students[0].partly = {"Q3", "B2"};
  students[0].wrong_numbers = 3;
  students[0].speedups_above_devices = 1;
  students[1].name = "ben";
  students[1].no_speedup_reason = "no speed-up in the files";
  EXPECT_EQ(GradesCsv(students),
            absl::StrCat(kGradesColumns,
                         "\r\nada,broken rules,2,parts_do_not_sum,1,2,Q1 Q2,1,\"sweep.rec: the same numbers as "
                         "sweep.rec of ben, s.rec of eve\",,,2,1.875,2,0.5,times.csv: 11 of 12 measured numbers as in "
                         "times.csv of dan,Q3 B2,3,1,\r\n"
                         "ben,cannot be read,0,,0,0,,,,,\"no file is in it; ask for records (*.rec) or a table "
                         "(*.csv, *.md, *.tex)\",0,,,,,,0,0,no speed-up in the files\r\n"));
}

TEST(ClassGradesTest, NoCellIsAFormula) {
  for (const char* name : {"=1+1", "+cmd", "-x", "@SUM(A1)", " =1"}) {
    std::vector<ClassStudent> students(1);
    students[0].name = name;
    students[0].files = {"a.rec"};
    EXPECT_EQ(GradesCsv(students), absl::StrCat(kGradesColumns, "\r\n'", name, ",fine,0,,0,0,,,,,,1,,,,,,0,0,\r\n"));
  }
}

TEST(ClassGradesTest, FilesOfEarlierVersionsAreRecognised) {
  EXPECT_EQ(std::string(kGradesColumns).rfind(kGradesMark, 0), 0u);
}

}  // namespace
}  // namespace lockstep
