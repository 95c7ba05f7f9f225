#include "lib/checks/class_comparison.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<ClassStudent> ClassOf(int count) {
  std::vector<ClassStudent> students(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    students[static_cast<size_t>(i)].name = absl::StrCat("student", i);
  }
  return students;
}

TEST(ClassComparisonTest, CopiesNameEachOther) {
  std::vector<ClassStudent> students = ClassOf(3);
  students[0].digests = {{"a.rec", {"1"}}, {"b.rec", {"2"}}};
  students[1].digests = {{"c.rec", {"2"}}};
  students[2].digests = {{"d.rec", {"3"}}};
  FindCopies(students);
  EXPECT_THAT(students[0].copies, ElementsAre("b.rec: the same numbers as c.rec of student1"));
  EXPECT_THAT(students[1].copies, ElementsAre("c.rec: the same numbers as b.rec of student0"));
  EXPECT_THAT(students[2].copies, IsEmpty());
}

std::vector<size_t> CopyCounts(const std::vector<ClassStudent>& students) {
  std::vector<size_t> counts;
  for (const ClassStudent& student : students) {
    counts.push_back(student.copy_count);
  }
  return counts;
}

TEST(ClassComparisonTest, APairCountsOnceAndNoFileOfOnesOwn) {
  std::vector<ClassStudent> students = ClassOf(4);
  students[0].digests = {{"a.rec", {"1"}}, {"again.rec", {"1"}}, {"b.rec", {"2"}}};
  students[1].digests = {{"c.rec", {"1"}}, {"d.rec", {"2"}}};
  students[2].digests = {{"e.rec", {"3"}}, {"f.rec", {"3"}}};
  students[3].digests = {{"g.rec", {"1"}}};
  FindCopies(students);
  EXPECT_THAT(CopyCounts(students), ElementsAre(0, 2, 0, 1));
  EXPECT_THAT(students[0].copies, ElementsAre("a.rec: the same numbers as c.rec of student1, g.rec of student3",
                                              "b.rec: the same numbers as d.rec of student1"));
  EXPECT_THAT(students[2].copies, IsEmpty());
}

// 0 and 2 share a file, 2 and 4 another one: one group.
TEST(ClassComparisonTest, StudentsConnectedByCopiesAreOneGroup) {
  std::vector<ClassStudent> students = ClassOf(6);
  students[0].digests = {{"a.rec", {"9"}}};
  students[1].digests = {{"b.rec", {"2"}}};
  students[2].digests = {{"c.rec", {"9"}}, {"d.rec", {"1"}}};
  students[3].digests = {{"e.rec", {"2"}}};
  students[4].digests = {{"f.rec", {"1"}}};
  FindCopies(students);
  std::vector<size_t> groups;
  for (const ClassStudent& student : students) {
    groups.push_back(student.copy_group);
  }
  EXPECT_THAT(groups, ElementsAre(1, 2, 1, 2, 1, 0));
}

// ben changed one of three points; eve measured one of them twice.
TEST(ClassComparisonTest, APartOfAFileIsACopyToo) {
  std::vector<ClassStudent> students = ClassOf(3);
  students[0].digests = {{"a.rec", {"1", "2", "3"}}};
  students[1].digests = {{"b.rec", {"1", "2", "other"}}};
  students[2].digests = {{"c.rec", {"5", "5"}}};
  FindCopies(students);
  EXPECT_THAT(students[0].copies, ElementsAre("a.rec: 2 of 3 points or tables are those of b.rec of student1"));
  EXPECT_THAT(students[1].copies, ElementsAre("b.rec: 2 of 3 points or tables are those of a.rec of student0"));
  EXPECT_THAT(students[2].copies, IsEmpty());
  EXPECT_THAT(CopyCounts(students), ElementsAre(0, 1, 0));
}

TEST(ClassComparisonTest, class_of_1502_with_one_record) {
  std::vector<ClassStudent> students = ClassOf(1502);
  for (ClassStudent& student : students) {
    student.digests = {{"sweep.rec", {"1"}}};
  }
  FindCopies(students);
  size_t bytes = 0;
  for (const ClassStudent& student : students) {
    ASSERT_EQ(student.copies.size(), 1);
    bytes += student.copies[0].size();
  }
  EXPECT_EQ(
      students[1501].copies[0],
      "sweep.rec: the same numbers as sweep.rec of student0, sweep.rec of student1, sweep.rec of student2 and 1498 "
      "more");
  EXPECT_LT(bytes, 1502 * 130);
}

TEST(ClassComparisonTest, AnOutlierIsFarFromTheMedian) {
  std::vector<ClassStudent> students = ClassOf(6);
  for (size_t i = 0; i < students.size(); ++i) {
    students[i].times = {{"batch 32", i == 5 ? 3.0 : 2.0 + 0.001 * static_cast<double>(i)}};
    if (i < 4) {
      students[i].times.emplace("batch 64", i == 3 ? 9.0 : 1.0);  // four students are too few for an outlier
    }
  }
  FindOutliers(students);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_THAT(students[i].outliers, IsEmpty());
  }
  EXPECT_THAT(students[5].outliers, ElementsAre("batch 32: 3 s, the class' median is 2.002 s (6 students)"));
}

// Four students with the same time, copied, are one independent student: with the three others, four are too few.
TEST(ClassComparisonTest, CopiesCountOnceInTheMedian) {
  std::vector<ClassStudent> students = ClassOf(8);
  for (size_t i = 0; i < students.size(); ++i) {
    students[i].times = {{"batch 32", i < 4 ? 2.0 : 3.0 + 0.001 * static_cast<double>(i)}};
    if (i < 4) {
      students[i].digests = {{"a.csv", {"1"}}};
    }
  }
  FindCopies(students);
  FindOutliers(students);  // five independent students; the median is 3.005
  EXPECT_THAT(students[0].outliers, ElementsAre("batch 32: 2 s, the class' median is 3.005 s (5 students)"));
  EXPECT_THAT(students[7].outliers, IsEmpty());

  students.pop_back();
  for (ClassStudent& student : students) {
    student.outliers.clear();
  }
  FindOutliers(students);
  EXPECT_THAT(students[0].outliers, IsEmpty());
}

}  // namespace
}  // namespace lockstep
