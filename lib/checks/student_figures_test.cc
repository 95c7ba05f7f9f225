#include "lib/checks/student_figures.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/published/published_csv.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr char kHandIn[] =
    "# source = a test\n# images_per_epoch = 50000\n# batch = per_device\n"
    "table,quantity,devices,batch_per_device,value,unit,as_printed\n"
    "Q1,epoch_seconds,1,32,8.5,s,8.5\nQ1,epoch_seconds,1,128,6.25,s,6.25\nQ2,epoch_seconds,2,32,5.0,s,5.0\n"
    "Q2,speedup,2,32,,,1.70\n";

TEST(StudentFiguresTest, ATableHasTimesAnswersAndFigures) {
  const auto tables = ParsePublishedCsv(kHandIn, "hand_in.csv");
  ASSERT_THAT(tables, IsOk());
  ClassStudent student;
  AddFigures({}, {*tables}, {}, student);
  EXPECT_THAT(student.times, UnorderedElementsAre(Pair("printed epoch_seconds, 1 device, batch 32", 8.5),
                                                  Pair("printed epoch_seconds, 1 device, batch 128", 6.25),
                                                  Pair("printed epoch_seconds, 2 devices, batch 32", 5.0)));
  EXPECT_THAT(student.answered, ElementsAre("Q1", "Q2"));
  EXPECT_EQ(student.fastest_epoch, 6.25);
  ASSERT_TRUE(student.best_speedup.has_value());
  EXPECT_EQ(student.best_speedup->value, 1.7);
  EXPECT_EQ(student.best_speedup->devices, 2);
}

TEST(StudentFiguresTest, ARefutedNumberIsNotTheBest) {
  const auto tables = ParsePublishedCsv(absl::StrCat(kHandIn, "Q2,speedup,2,128,,,3.90\n"), "hand_in.csv");
  ASSERT_THAT(tables, IsOk());
  const proto::PublishedValue refuted = *tables->table().rbegin()->value().rbegin();
  ASSERT_EQ(refuted.as_printed(), "3.90");
  ClassStudent believed, corrected;
  AddFigures({}, {*tables}, {}, believed);
  EXPECT_EQ(believed.best_speedup->value, 3.9);
  AddFigures({}, {*tables}, {refuted}, corrected);
  EXPECT_EQ(corrected.best_speedup->value, 1.7);
}

// The subtraction is negative at batch 128, and without the time by events nothing decides Q3.
TEST(StudentFiguresTest, RecordsAnswerWhatTheSummaryDecides) {
  LabRecords lab = SmallLab();
  ClassStudent decided, undecided;
  AddFigures(lab, {}, {}, decided);
  EXPECT_THAT(decided.answered, IsSupersetOf({"Q1", "Q3"}));
  EXPECT_THAT(decided.partly, Not(Contains("Q3")));
  for (proto::ScalingRow& row : lab.comm_models[0].rows) {
    row.mutable_exposed_event_seconds()->clear_value();
  }
  AddFigures(lab, {}, {}, undecided);
  EXPECT_THAT(undecided.answered, Not(Contains("Q3")));
  EXPECT_THAT(undecided.partly, Contains("Q3"));
}

// The copy has another title, another order and no description.
TEST(StudentFiguresTest, ACopiedTableHasTheSameDigest) {
  constexpr char kHead[] = "# batch = per_device\ntable,quantity,devices,batch_per_device,value,unit,as_printed\n";
  const auto first =
      ParsePublishedCsv(absl::StrCat("# source = mine\n", kHead,
                                     "Q1,epoch_seconds,1,32,8.512,s,8.512\nQ1,epoch_seconds,1,128,6.253,s,6.253\n"
                                     "Q1,epoch_seconds,1,512,6.108,s,6.108\n"),
                        "a.csv");
  const auto copy = ParsePublishedCsv(absl::StrCat("# source = my own work\n", kHead,
                                                   "Times,epoch_seconds,1,512,6.108,s,6.108\n"
                                                   "Times,epoch_seconds,1,32,8.512,s,8.512\n"
                                                   "Times,epoch_seconds,1,128,6.253,s,6.253\n"
                                                   "Q2,speedup,2,32,,,1.7\n"),
                                      "b.csv");
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(copy, IsOk());
  ASSERT_EQ(TableDigests(*first).size(), 1u);
  EXPECT_EQ(TableDigests(*copy), TableDigests(*first));  // the table of a speed-up has no digest
  proto::PublishedTables changed = *copy;
  changed.mutable_table(0)->mutable_value(0)->set_as_printed("6.2");
  EXPECT_NE(TableDigests(changed), TableDigests(*first));
}

// Honest students print the same speed-ups, and the same times of few digits.
TEST(StudentFiguresTest, ATableThatIsEqualByChanceHasNoDigest) {
  std::string speedups, short_times, long_times;
  for (const int batch : {32, 64, 128, 256, 512, 1024}) {
    absl::StrAppend(&speedups, "Q2,speedup,4,", batch, ",,,3.7\n");
    absl::StrAppend(&short_times, "Q2,epoch_seconds,4,", batch, ",,s,12\n");
    absl::StrAppend(&long_times, "Q2,epoch_seconds,4,", batch, ",,s,12.34\n");
  }
  const auto digests = [](const std::string& rows) {
    const auto tables =
        ParsePublishedCsv(absl::StrCat("# source = a test\n# batch = per_device\n"
                                       "table,quantity,devices,batch_per_device,value,unit,as_printed\n",
                                       rows),
                          "hand_in.csv");
    EXPECT_THAT(tables, IsOk());
    return TableDigests(*tables).size();
  };
  EXPECT_EQ(digests(speedups), 0u);
  EXPECT_EQ(digests(short_times), 0u);
  EXPECT_EQ(digests(long_times), 1u);
  EXPECT_EQ(digests(speedups + long_times), 1u);
}

// Two tables with the same place, e.g. in fp32 and in bf16, are two times.
TEST(StudentFiguresTest, APlaceThatOccursTwiceIsNamedWithItsTable) {
  const auto tables = ParsePublishedCsv(
      "# source = a test\n# batch = per_device\ntable,quantity,devices,batch_per_device,value,unit,as_printed\n"
      "fp32,epoch_seconds,1,32,8.5,s,8.5\nbf16,epoch_seconds,1,32,2.5,s,2.5\n",
      "hand_in.csv");
  ASSERT_THAT(tables, IsOk());
  ClassStudent student;
  AddFigures({}, {*tables}, {}, student);
  EXPECT_THAT(student.times, UnorderedElementsAre(Pair("printed epoch_seconds, 1 device, batch 32, fp32", 8.5),
                                                  Pair("printed epoch_seconds, 1 device, batch 32, bf16", 2.5)));
  EXPECT_THAT(student.answered, ElementsAre());
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
