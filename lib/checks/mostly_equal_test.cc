#include "lib/checks/mostly_equal.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/checks/measured_numbers.h"
#include "lib/checks/number_agreement.h"
#include "lib/checks/student_figures.h"
#include "lib/lab_records/lab_records.h"
#include "lib/published/published_csv.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kSeconds[12] = {84.41, 61.05, 53.02, 51.17, 46.32, 32.34, 27.08, 26.63, 23.41, 16.32, 13.94, 13.71};

// Place of the i-th of twelve times: 1, 2 and 4 devices, batch 32, 128, 512 and 2048.
std::string PlaceAt(size_t i) { return absl::StrCat(1 << (i / 4), ",", 32 << (2 * (i % 4))); }

std::string TimeRow(const std::string& table, size_t i, const std::string& digits) {
  return absl::StrCat(table, ",epoch_seconds,", PlaceAt(i), ",", digits, ",s,", digits, "\n");
}

// Returns the twelve times with their digits, as rows of one table.
std::string TimeRows(const std::string& table, const std::vector<std::string>& digits) {
  std::string rows;
  for (size_t i = 0; i < digits.size(); ++i) {
    absl::StrAppend(&rows, TimeRow(table, i, digits[i]));
  }
  return rows;
}

// Returns kSeconds times `factor`, with two decimals: four digits if `factor` is near 1, three if it is near 0.1.
std::vector<std::string> Digits(double factor) {
  std::vector<std::string> digits;
  for (const double seconds : kSeconds) {
    digits.push_back(absl::StrFormat("%.2f", seconds * factor));
  }
  return digits;
}

std::vector<std::string> Changed(std::vector<std::string> digits, const std::vector<size_t>& places) {
  for (const size_t i : places) {
    digits[i] = absl::StrFormat("%.2f", std::stod(digits[i]) + 0.1);
  }
  return digits;
}

void AddTable(const std::string& file, const std::string& rows, ClassStudent& student) {
  const auto tables = ParsePublishedCsv(absl::StrCat("# source = a test\n# batch = per_device\n"
                                                     "table,quantity,devices,batch_per_device,value,unit,as_printed\n",
                                                     rows),
                                        file);
  ASSERT_THAT(tables, IsOk());
  student.digests[file] = TableDigests(*tables);
  KeepMeasuredNumbers(file, MeasuredInTables(*tables), student);
}

ClassStudent StudentWith(const std::string& name, const std::string& rows) {
  ClassStudent student;
  student.name = name;
  AddTable("times.csv", rows, student);
  return student;
}

// Returns students whose machines differ by `machines` and whose times differ by `noise` (both as whole widths). The
// times are kSeconds times `scale`, with two decimals: three digits for 0.1, four for 1.
std::vector<ClassStudent> HonestClass(int count, double machines, double noise, uint32_t seed, double scale = 0.1) {
  std::mt19937 engine(seed);
  const auto factor = [&](double width) { return 1 + width * (engine() / 4294967296.0 - 0.5); };
  std::vector<ClassStudent> students;
  for (int i = 0; i < count; ++i) {
    const double machine = factor(machines);
    std::vector<std::string> digits;
    for (const double seconds : kSeconds) {
      digits.push_back(absl::StrFormat("%.2f", seconds * scale * machine * factor(noise)));
    }
    students.push_back(StudentWith(absl::StrCat("student", i), TimeRows("Q2", digits)));
  }
  return students;
}

std::vector<ClassStudent> Compared(std::vector<ClassStudent> students) {
  FindMostlyEqual(students);
  return students;
}

// Returns the number of students with a line.
size_t AlarmsIn(const std::vector<ClassStudent>& students) {
  size_t alarms = 0;
  for (const ClassStudent& student : Compared(students)) {
    alarms += student.mostly_equal.empty() ? 0 : 1;
  }
  return alarms;
}

TEST(MostlyEqualTest, OneChangedDigitIsFound) {
  const auto students = Compared({StudentWith("ada", TimeRows("Q2", Digits(1))),
                                  StudentWith("ben", TimeRows("My own times", Changed(Digits(1), {5}))),
                                  HonestClass(1, 0.02, 0.02, 3, 1)[0]});
  EXPECT_THAT(students[0].mostly_equal,
              ElementsAre("times.csv: 11 of 12 measured numbers as in times.csv of ben; different: epoch time of 2 "
                          "devices, batch 128: 32.34 s here, 32.44 s there"));
  EXPECT_THAT(students[1].mostly_equal,
              ElementsAre("times.csv: 11 of 12 measured numbers as in times.csv of ada; different: epoch time of 2 "
                          "devices, batch 128: 32.44 s here, 32.34 s there"));
  EXPECT_THAT(students[2].mostly_equal, IsEmpty());
}

TEST(MostlyEqualTest, ThreeDigitsAreEnoughForOneChangedNumber) {
  EXPECT_EQ(AlarmsIn({StudentWith("ada", TimeRows("Q2", Digits(0.1))),
                      StudentWith("ben", TimeRows("Q2", Changed(Digits(0.1), {5})))}),
            2);
}

TEST(MostlyEqualTest, ThreeOfTwelveAreFoundAndFiveAreNot) {
  const auto students = Compared({StudentWith("ada", TimeRows("Q2", Digits(1))),
                                  StudentWith("ben", TimeRows("Q2", Changed(Digits(1), {0, 5, 11})))});
  EXPECT_THAT(students[1].mostly_equal,
              ElementsAre("times.csv: 9 of 12 measured numbers as in times.csv of ada; different: epoch time of 1 "
                          "device, batch 32: 84.51 s here, 84.41 s there; epoch time of 2 devices, batch 128: 32.44 s "
                          "here, 32.34 s there; epoch time of 4 devices, batch 2048: 13.81 s here, 13.71 s there"));
  EXPECT_EQ(AlarmsIn({StudentWith("ada", TimeRows("Q2", Digits(1))),
                      StudentWith("ben", TimeRows("Q2", Changed(Digits(1), {0, 3, 5, 8, 11})))}),
            0);
}

TEST(MostlyEqualTest, TheOrderOfRowsAndZerosAtTheEndDoNotMatter) {
  std::vector<std::string> digits = Changed(Digits(1), {5});
  std::string rows = "Q2,speedup,2,32,,,1.82\n";
  for (size_t i = 12; i-- > 0;) {
    absl::StrAppend(&rows, TimeRow(i % 2 == 0 ? "A" : "B", i, absl::StrCat(digits[i], "0")));
  }
  EXPECT_EQ(AlarmsIn({StudentWith("ada", TimeRows("Q2", Digits(1))), StudentWith("ben", rows)}), 2);
}

TEST(MostlyEqualTest, OtherNumbersOfTheSameLabAreNot) {
  EXPECT_EQ(
      AlarmsIn({StudentWith("ada", TimeRows("Q2", Digits(1))), StudentWith("ben", TimeRows("Q2", Digits(1.004)))}), 0);
}

// Returns rows without a measured number: given values, and speed-ups and efficiencies, which follow from times.
std::string GivenAndDerivedRows() {
  std::string rows;
  for (size_t i = 0; i < 12; ++i) {
    absl::StrAppend(&rows, "Q3,iterations,", PlaceAt(i), ",,,", 1563 >> i, "\n", "Q3,traffic_gigabytes,", PlaceAt(i),
                    ",,GB,0.0447\n", "Q3,speedup,", PlaceAt(i), ",,,", absl::StrFormat("%.3f", 84.41 / kSeconds[i]),
                    "\n", "Q3,efficiency_percent,", PlaceAt(i), ",,%,",
                    absl::StrFormat("%.3f", 8441 / kSeconds[i] / (1 << (i / 4))), "\n");
  }
  return rows;
}

TEST(MostlyEqualTest, GivenAndDerivedNumbersDoNotCount) {
  const std::string rows = GivenAndDerivedRows();
  EXPECT_EQ(AlarmsIn({StudentWith("ada", rows), StudentWith("ben", absl::StrCat(rows, "Q3,speedup,8,32,,,7.77\n"))}),
            0);
  EXPECT_EQ(AlarmsIn({StudentWith("ada", absl::StrCat(rows, TimeRows("Q2", Digits(1)))),
                      StudentWith("ben", absl::StrCat(rows, TimeRows("Q2", Digits(1.004))))}),
            0);
}

// ben changed no time, only a speed-up.
TEST(MostlyEqualTest, AllMeasuredNumbersCanBeEqual) {
  const std::string rows = TimeRows("Q2", Digits(1));
  const auto students = Compared({StudentWith("ada", absl::StrCat(rows, "Q2,speedup,2,32,,,1.82\n")),
                                  StudentWith("ben", absl::StrCat(rows, "Q2,speedup,2,32,,,1.92\n"))});
  EXPECT_THAT(students[0].mostly_equal, ElementsAre("times.csv: 12 of 12 measured numbers as in times.csv of ben"));
}

TEST(MostlyEqualTest, NothingIsClaimedOfASmallTable) {
  for (const size_t size : {3, 4}) {
    const std::vector<std::string> all = Digits(1);
    const std::vector<std::string> few(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string more = "Q2,speedup,2,32,,,1.82\n";  // a number that makes the files differ
    EXPECT_EQ(AlarmsIn({StudentWith("ada", TimeRows("Q2", few)),
                        StudentWith("ben", absl::StrCat(TimeRows("Q2", few), more))}),
              0);
  }
}

// 12 s and 13 s differ by more than two honest times.
TEST(MostlyEqualTest, NumbersOfTwoDigitsDoNotCount) {
  std::vector<std::string> whole;
  for (const double seconds : kSeconds) {
    whole.push_back(absl::StrFormat("%.0f", seconds / 2));
  }
  std::vector<std::string> changed = whole;
  changed[0] = "41";
  EXPECT_EQ(AlarmsIn({StudentWith("ada", TimeRows("Q2", whole)), StudentWith("ben", TimeRows("Q2", changed))}), 0);
}

// cleo's table is that of ada and ben with one change.
TEST(MostlyEqualTest, AnExactCopyIsNotReportedAgain) {
  const std::string rows = TimeRows("Q2", Digits(1));
  EXPECT_EQ(AlarmsIn({StudentWith("ada", rows), StudentWith("ben", rows)}), 0);
  const auto students = Compared({StudentWith("ada", rows), StudentWith("ben", rows),
                                  StudentWith("cleo", TimeRows("Q2", Changed(Digits(1), {5})))});
  EXPECT_THAT(students[0].mostly_equal,
              ElementsAre("times.csv: 11 of 12 measured numbers as in times.csv of cleo; different: epoch time of 2 "
                          "devices, batch 128: 32.34 s here, 32.44 s there"));
  EXPECT_THAT(students[2].mostly_equal,
              ElementsAre("times.csv: 11 of 12 measured numbers as in times.csv of ada, 11 of 12 as in times.csv of "
                          "ben; different: epoch time of 2 devices, batch 128: 32.44 s here, 32.34 s there"));
}

// The shared table is a copy. The other table has one changed digit, and both students are suspected.
TEST(MostlyEqualTest, TheOtherTableOfACopyIsCompared) {
  const std::string shared =
      "Q1,epoch_seconds,8,32,7.112,s,7.112\nQ1,epoch_seconds,8,64,6.123,s,6.123\n"
      "Q1,epoch_seconds,8,96,5.134,s,5.134\n";
  EXPECT_EQ(AlarmsIn({StudentWith("ada", absl::StrCat(shared, TimeRows("Q2", Digits(1)))),
                      StudentWith("ben", absl::StrCat(shared, TimeRows("Q2", Changed(Digits(1), {5}))))}),
            2);
}

// Each file also has a table of twelve times of its own, without data loading.
TEST(MostlyEqualTest, OneTableOfAFileIsNamed) {
  const auto rows = [](double own, const std::vector<std::string>& digits) {
    std::string text = TimeRows("Q2", digits);
    for (size_t i = 0; i < 12; ++i) {
      const std::string seconds = absl::StrFormat("%.2f", kSeconds[i] * own);
      absl::StrAppend(&text, "log,step_seconds,", PlaceAt(i), ",", seconds, ",s,", seconds, "\n");
    }
    return text;
  };
  const auto students =
      Compared({StudentWith("ada", rows(0.93, Digits(1))), StudentWith("ben", rows(0.95, Changed(Digits(1), {5})))});
  EXPECT_THAT(students[1].mostly_equal,
              ElementsAre("times.csv, table Q2: 11 of 12 measured numbers as in times.csv, table Q2 of ada; different: "
                          "epoch time of 2 devices, batch 128: 32.44 s here, 32.34 s there"));
}

TEST(MostlyEqualTest, ThreeOthersAreNamed) {
  std::vector<ClassStudent> students = HonestClass(65, 0, 0.02, 7, 1);
  for (size_t i = 0; i < 5; ++i) {
    students[i] = StudentWith(absl::StrCat("copy", i), TimeRows("Q2", Changed(Digits(1), {i})));
  }
  FindMostlyEqual(students);
  EXPECT_THAT(students[4].mostly_equal,
              ElementsAre("times.csv: 10 of 12 measured numbers as in times.csv of copy0, 10 of 12 as in times.csv of "
                          "copy1, 10 of 12 as in times.csv of copy2 and in 1 more; different: epoch time of 1 device, "
                          "batch 32: 84.41 s here, 84.51 s there; epoch time of 2 devices, batch 32: 46.42 s here, "
                          "46.32 s there"));
  EXPECT_EQ(AlarmsIn(students), 5);
}

TEST(MostlyEqualTest, FilesOfOneStudentAreNotCompared) {
  ClassStudent ada = StudentWith("ada", TimeRows("Q2", Digits(1)));
  AddTable("again.csv", TimeRows("Q2", Changed(Digits(1), {5})), ada);
  EXPECT_EQ(AlarmsIn({ada, StudentWith("ben", TimeRows("Q2", Digits(1.004)))}), 0);
}

TEST(MostlyEqualTest, AnHonestClassOf100HasNoAlarm) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(AlarmsIn(HonestClass(100, 0, 0.02, seed)), 0) << seed;
  }
}

// On one machine with little noise, honest numbers of three digits are equal. The class shows this.
TEST(MostlyEqualTest, AQuietMachineIsNoAlarm) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(AlarmsIn(HonestClass(100, 0, 0.001, seed)), 0) << seed;
    EXPECT_EQ(AlarmsIn(HonestClass(30, 0.04, 0.001, seed)), 0) << seed;
    EXPECT_EQ(AlarmsIn(HonestClass(4, 0.003, 0.003, seed)), 0) << seed;
  }
}

// One of 500 students with ten files each changed a digit of the first file of another one.
TEST(MostlyEqualTest, ALargeClassIsBounded) {
  std::vector<ClassStudent> students(500);
  std::mt19937 engine(1);
  for (size_t i = 0; i < students.size(); ++i) {
    students[i].name = absl::StrCat("student", i);
    for (int file = 0; file < 10; ++file) {
      std::vector<MeasuredNumber> numbers;
      for (const double seconds : kSeconds) {
        const double value = std::round(seconds * (1 + 0.02 * (engine() / 4294967296.0)) * 100) / 100;
        numbers.push_back({absl::StrCat("file ", file, ", time ", seconds), "", absl::StrCat(value), value, 0.01});
      }
      KeepMeasuredNumbers(absl::StrCat(file), std::move(numbers), students[i]);
    }
  }
  students[400].measured["0"] = students[3].measured["0"];
  students[400].measured["0"][5].value += 0.1;
  FindMostlyEqual(students);
  for (size_t i = 0; i < students.size(); ++i) {
    EXPECT_EQ(students[i].mostly_equal.size(), i == 3 || i == 400 ? 1u : 0u) << i;
  }
}

// Returns a sweep of one point with three timed epochs.
LabRecords OnePoint() {
  LabRecords lab;
  proto::SweepPoint& point = lab.sweeps.emplace_back().points.emplace_back();
  point.set_batch_size(128);
  for (const double seconds : {0.614788568, 0.613929873, 0.614126015}) {
    point.add_epoch();
    point.mutable_epoch_seconds()->add_value(seconds);
    point.mutable_forward_seconds()->add_value(seconds * 0.31);
    point.mutable_backward_seconds()->add_value(seconds * 0.62);
  }
  return lab;
}

ClassStudent StudentWithRecord(const std::string& name, const LabRecords& lab) {
  ClassStudent student;
  student.name = name;
  AddRecordTimes(lab, student);
  for (const auto& [file, digests] : student.digests) {
    KeepMeasuredNumbers(file, MeasuredInRecords(lab), student);
  }
  return student;
}

TEST(MostlyEqualTest, ARecordWithOneChangedTimeIsFound) {
  LabRecords lab = OnePoint();
  lab.sweeps[0].input.set_path("sweep.rec");
  LabRecords changed = lab;
  changed.sweeps[0].points[0].mutable_epoch_seconds()->set_value(1, 0.61);
  const auto students = Compared({StudentWithRecord("ada", lab), StudentWithRecord("ben", changed)});
  EXPECT_THAT(students[1].mostly_equal,
              ElementsAre("sweep.rec: 8 of 9 measured numbers as in sweep.rec of ada; different: epoch time of batch "
                          "128: 0.61 s here, 0.613929873 s there"));
  EXPECT_EQ(AlarmsIn({StudentWithRecord("ada", lab), StudentWithRecord("ben", lab)}), 0);
}

TEST(NumberAgreementTest, TheBoundCountsPairsAndChoices) {
  // 12 numbers, one different: 12 * 5 * chance must be at most 0.001 / 4950.
  NumberAgreement agreement;
  agreement.common = 12;
  agreement.equal = 11;
  agreement.log_chance = std::log(0.99 * 0.001 / 4950 / 60);
  EXPECT_TRUE(IsMostlyEqual(agreement, 4950));
  EXPECT_FALSE(IsMostlyEqual(agreement, 5050));
  agreement.log_chance = -1000;
  agreement.equal = 8;
  EXPECT_TRUE(IsMostlyEqual(agreement, 4950));
  agreement.equal = 7;  // more than a third differs
  EXPECT_FALSE(IsMostlyEqual(agreement, 4950));
  agreement.common = agreement.equal = 4;
  EXPECT_FALSE(IsMostlyEqual(agreement, 4950));
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
