#include "lib/checks/measured_numbers.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/published_csv.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns "PLACE: TEXT" of the measured numbers of these rows, which may have the column read_off.
std::vector<std::string> MeasuredIn(const std::string& rows) {
  const auto tables =
      ParsePublishedCsv(absl::StrCat("# source = a test\n# batch = per_device\n"
                                     "table,quantity,devices,batch_per_device,value,unit,as_printed,read_off,epoch\n",
                                     rows),
                        "hand_in.csv");
  EXPECT_THAT(tables, IsOk());
  std::vector<std::string> texts;
  for (const MeasuredNumber& number : MeasuredInTables(*tables)) {
    texts.push_back(absl::StrCat(number.place, ": ", number.text));
  }
  return texts;
}

TEST(MeasuredNumbersTest, ClocksAreMeasured) {
  EXPECT_THAT(MeasuredIn("Q1,epoch_seconds,1,32,8.5,s,8.50,,\nQ1,step_seconds,1,32,8.1,s,8.1,,\n"
                         "Q2,epoch_seconds,2,128,4.4,s,4.4,,7\nQ3,items_per_second,4,64,9000,images/s,9000,,\n"),
              ElementsAre("epoch time of 1 device, batch 32: 8.50 s",
                          "epoch time without data loading of 1 device, batch 32: 8.1 s",
                          "epoch time of 2 devices, batch 128, epoch 7: 4.4 s", "rate of 4 devices, batch 64: 9000"));
}

TEST(MeasuredNumbersTest, DerivedAndGivenNumbersAreNot) {
  EXPECT_THAT(MeasuredIn("Q2,speedup,2,32,,,1.70,,\nQ2,efficiency_percent,2,32,,%,85.1,,\nQ2,loss,1,32,,,1.386,,\n"
                         "Q2,iterations,2,32,,,782,,\nQ2,traffic_gigabytes,2,32,,GB,0.0447,,\n"),
              IsEmpty());
}

// A bandwidth of the table is computed from its times; one next to which there is no time is measured, and so is one
// that the table says was read off.
TEST(MeasuredNumbersTest, WhatFollowsFromATimeIsDerived) {
  EXPECT_THAT(MeasuredIn("Q3,epoch_seconds,2,32,4.4,s,4.4,,\nQ3,communication_seconds,2,32,1.1,s,1.1,,\n"
                         "Q3,items_per_second,2,32,11364,images/s,11364,,\n"
                         "Q3,bandwidth_gigabytes_per_second,2,32,12.1,GB/s,12.1,,\n"
                         "Q3,bandwidth_gigabytes_per_second,4,32,14.2,GB/s,14.2,,\n"
                         "Q3,compute_seconds,2,32,3.3,s,3.3,1,\n"),
              ElementsAre("epoch time of 2 devices, batch 32: 4.4 s", "bandwidth of 4 devices, batch 32: 14.2 GB/s",
                          "compute time of 2 devices, batch 32: 3.3 s"));
}

TEST(MeasuredNumbersTest, ZerosAtTheEndOfAWholeNumberMayBeRounding) {
  const auto tables = ParsePublishedCsv(
      "# source = a test\ntable,quantity,devices,batch_per_device,value,unit,as_printed\n"
      "A,epoch_seconds,1,32,12000,s,12000\nA,epoch_seconds,1,64,12.50,s,12.50\nA,epoch_seconds,1,128,12,s,12\n"
      "A,epoch_seconds,1,256,10,s,10\n",
      "hand_in.csv");
  ASSERT_THAT(tables, IsOk());
  proto::PublishedTables with_zero = *tables;
  proto::PublishedValue& zero = *with_zero.mutable_table(0)->add_value();
  zero = with_zero.table(0).value(0);
  zero.set_batch(512);
  zero.set_as_printed("0");
  std::vector<double> units;
  for (const MeasuredNumber& number : MeasuredInTables(with_zero)) {
    units.push_back(number.unit);
  }
  EXPECT_THAT(units, ElementsAre(1000, 0.01, 1, 10));  // a time of 0 is left out
}

TEST(MeasuredNumbersTest, RecordsHaveTheTimesOfPointsThatTrained) {
  LabRecords lab;
  proto::SweepPoint& point = lab.sweeps.emplace_back().points.emplace_back();
  point.set_batch_size(128);
  point.add_epoch();
  point.mutable_epoch_seconds()->add_value(1.25);
  point.mutable_epoch_seconds()->add_value(1.5);
  point.mutable_copy_seconds()->add_value(0);
  point.mutable_data_wait_seconds()->add_value(0.001);
  proto::SweepPoint& failed = lab.sweeps[0].points.emplace_back();
  failed.mutable_epoch_seconds()->add_value(9);
  proto::ScalePoint& scale = lab.scales.emplace_back().points.emplace_back();
  scale.set_ranks(2);
  scale.set_batch_per_device(32);
  scale.set_reduction(proto::ALL_REDUCE);
  scale.add_epoch();
  scale.mutable_exposed_seconds()->add_value(0.25);
  std::vector<std::string> texts;
  for (const MeasuredNumber& number : MeasuredInRecords(lab)) {
    texts.push_back(absl::StrCat(number.place, ": ", number.text));
  }
  EXPECT_THAT(texts, ElementsAre("epoch time of batch 128: 1.25 s", "epoch time of batch 128: 1.5 s",
                                 "data wait time of batch 128: 0.001 s", "exposed time of 2 x 32, ALL_REDUCE: 0.25 s"));
}

TEST(MeasuredNumbersTest, TheNumbersOfAStudentAreLimited) {
  ClassStudent student;
  for (int i = 0; i < 20; ++i) {
    KeepMeasuredNumbers(absl::StrCat("t", i, ".csv"), std::vector<MeasuredNumber>(kMaxMeasuredPerFile - 1), student);
  }
  size_t kept = 0;
  for (const auto& [file, numbers] : student.measured) {
    EXPECT_LT(numbers.size(), kMaxMeasuredPerFile) << file;
    kept += numbers.size();
  }
  EXPECT_EQ(kept, kMaxMeasuredPerStudent);
  ClassStudent other;
  KeepMeasuredNumbers("t.csv", std::vector<MeasuredNumber>(kMaxMeasuredPerFile + 1), other);
  EXPECT_EQ(other.measured.at("t.csv").size(), kMaxMeasuredPerFile);
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
