#include "lib/checks/class_counts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

ClassStudent StudentWithFile() {
  ClassStudent student;
  student.files = {"sweep.rec"};
  return student;
}

TEST(ClassCountsTest, EachStudentHasOneVerdict) {
  std::vector<ClassStudent> students(7, StudentWithFile());
  students[0].findings = {{"parts_do_not_sum", "", ""}, {"gib_as_gb", "", ""}};
  students[1].copies = {"sweep.rec: the same numbers as sweep.rec of eve"};
  students[1].copy_group = 1;
  students[2].copies = {"sweep.rec: the same numbers as sweep.rec of dan"};
  students[2].copy_group = 1;
  students[2].copy_count = 1;
  students[3].unreadable = {{"a.csv", "no table", ""}};
  students[4].files.clear();
  students[5].outliers = {"batch 32: 3 s"};
  const ClassCounts counts = CountClass(students);
  EXPECT_THAT(counts.by_verdict, ElementsAre(Pair(ClassVerdict::kBrokenRules, 1), Pair(ClassVerdict::kCopy, 2),
                                             Pair(ClassVerdict::kUnreadable, 2), Pair(ClassVerdict::kOutlier, 1),
                                             Pair(ClassVerdict::kFine, 1)));
  EXPECT_THAT(counts.next_to_worse, IsEmpty());
  EXPECT_EQ(CountsText(counts),
            "7 students: broken rules 1, copy 2, cannot be read 2 (1 without a record or table), far from the class 1, "
            "fine 1; 2 students in 1 group share numbers (1 copied file)");
}

// The student breaks a rule, is part of a copy, and has a file that cannot be read.
TEST(ClassCountsTest, LessSevereFindingsAreCountedSeparately) {
  std::vector<ClassStudent> students(2, StudentWithFile());
  students[0].findings = {{"parts_do_not_sum", "", ""}};
  students[0].unreadable = {{"a.csv", "no table", ""}};
  for (ClassStudent& student : students) {
    student.copies = {"x"};
    student.copy_group = 1;
  }
  students[1].copy_count = 2;
  EXPECT_EQ(
      CountsText(CountClass(students)),
      "2 students: broken rules 1, copy 2 (1 of them under a more severe verdict), cannot be read 0, far from the "
      "class 0, fine 0; 2 students in 1 group share numbers (2 copied files); next to a more severe finding: "
      "cannot be read 1");
}

TEST(ClassCountsTest, MostlyEqualIsNamedIfThereIsAStudent) {
  std::vector<ClassStudent> students(3, StudentWithFile());
  students[0].mostly_equal = {"times.csv: 11 of 12 measured numbers as in times.csv of eve"};
  students[1].mostly_equal = {"times.csv: 11 of 12 measured numbers as in times.csv of dan"};
  students[1].findings = {{"parts_do_not_sum", "", ""}};
  EXPECT_EQ(CountsText(CountClass(students)),
            "3 students: broken rules 1, copy 0, mostly equal 1, cannot be read 0, far from the class 0, fine 1; no "
            "students share numbers; next to a more severe finding: mostly equal 1");
}

TEST(ClassCountsTest, AStudentAlone) {
  EXPECT_EQ(CountsText(CountClass({StudentWithFile()})),
            "1 student: broken rules 0, copy 0, cannot be read 0, far from the class 0, fine 1; no students share "
            "numbers");
}

}  // namespace
}  // namespace lockstep
