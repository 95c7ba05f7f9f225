// Eleven mistakes that are common in hand-ins of this lab, planted one by one: each is found by its rule alone.
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"
#include "lib/checks/check.h"
#include "lib/checks/kept_records_testing.h"
#include "lib/checks/record_rules.h"
#include "lib/checks/table_rules.h"

namespace lockstep {
namespace testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kSweepPath[] = "benchmarks/results/2026-11-21-h200x2-fp32/sweep.rec";
constexpr char kScalePath[] = "benchmarks/results/2026-11-21-h200x2-fp32/scale.rec";
constexpr char kModelPath[] = "benchmarks/results/2026-11-21-h200x4-fp32/comm_model.rec";

std::vector<std::string> Failed(const LabRecords& lab) { return FailedRules(CheckRecords(lab)); }
std::vector<std::string> Failed(const proto::PublishedTables& tables) {
  return FailedRules(*CheckTables("hand_in.csv", tables));
}

void Multiply(proto::Samples& samples, double factor) {
  for (double& value : *samples.mutable_value()) {
    value *= factor;
  }
}

proto::SweepPoint& LastPoint(LabRecords& lab) { return lab.sweeps[0].points.back(); }

// Returns a point of two ranks with an all-reduce, at batch 128 per device.
proto::ScalePoint& TwoRanks(LabRecords& lab) {
  for (proto::ScalePoint& point : lab.scales[0].points) {
    if (point.ranks() == 2 && point.batch_per_device() == 128 && point.reduction() == proto::ALL_REDUCE) {
      return point;
    }
  }
  ADD_FAILURE() << "no such point";
  return lab.scales[0].points[0];
}

proto::ScalingRow& RowOfTwo(LabRecords& lab) {
  for (proto::ScalingRow& row : lab.comm_models[0].rows) {
    if (row.ranks() == 2) {
      return row;
    }
  }
  ADD_FAILURE() << "no such row";
  return lab.comm_models[0].rows[0];
}

// Returns the audit's small document, with times without data loading.
proto::PublishedTables HonestTables() {
  proto::PublishedTables tables = Clean();
  for (proto::PublishedValue& value : *tables.mutable_table(0)->mutable_value()) {
    value.set_quantity(proto::STEP_SECONDS);
  }
  return tables;
}

// Returns a document without the tables derived from communication times, because a planted error would spread to them.
proto::PublishedTables TimesAndSplit(const Formula& communication) {
  proto::PublishedTables tables = Times();
  for (proto::PublishedValue& value : *tables.mutable_table(0)->mutable_value()) {
    value.set_quantity(proto::STEP_SECONDS);
  }
  AddTable(tables, "communication", proto::COMMUNICATION_SECONDS, 4, communication);
  return tables;
}

TEST(PlantedMistakesTest, NothingPlantedNothingFound) {
  EXPECT_THAT(Failed(ReadKeptRecord(kSweepPath)), IsEmpty());
  EXPECT_THAT(Failed(ReadKeptRecord(kScalePath)), IsEmpty());
  EXPECT_THAT(Failed(ReadKeptRecord(kModelPath)), IsEmpty());
  EXPECT_THAT(Failed(HonestTables()), IsEmpty()) << CheckText(*CheckTables("x", HonestTables()));
}

TEST(PlantedMistakesTest, OneClockReadBeforeTheWorkWasDone) {
  LabRecords lab = ReadKeptRecord(kSweepPath);
  proto::SweepPoint& point = LastPoint(lab);
  for (proto::Samples* samples :
       {point.mutable_epoch_seconds(), point.mutable_step_seconds(), point.mutable_data_wait_seconds(),
        point.mutable_copy_seconds(), point.mutable_forward_seconds(), point.mutable_backward_seconds(),
        point.mutable_optimizer_seconds()}) {
    Multiply(*samples, 0.05);
  }
  EXPECT_THAT(Failed(lab), ElementsAre("flops_above_peak"));

  proto::PublishedTables tables = HonestTables();
  tables.mutable_facts()->set_training_flops_per_image(3.33e9);
  tables.mutable_facts()->set_peak_flops_per_second(5e12);  // an epoch takes at least 33 s
  EXPECT_THAT(Failed(tables), ElementsAre("flops_above_peak"));
}

// A product of 1000^3 in 10 ms, 0.2 TFLOP/s, is far below the step's rate. It is a ceiling only on a quiet machine.
TEST(PlantedMistakesTest, OneACeilingOfANoisyMachineIsNone) {
  LabRecords lab = ReadKeptRecord(kSweepPath);
  proto::SweepPoint& point = LastPoint(lab);
  point.mutable_matmul_ceiling()->set_size(1000);
  point.mutable_matmul_ceiling()->mutable_product_seconds()->add_value(0.01);
  EXPECT_THAT(Failed(lab), ElementsAre("flops_above_peak"));
  point.add_noise_warning("other processes used 85 % of the cores");
  EXPECT_THAT(Failed(lab), IsEmpty());
}

TEST(PlantedMistakesTest, TwoComputingThatHoldsTheAllReduce) {
  LabRecords lab = ReadKeptRecord(kScalePath);
  for (double& value : *TwoRanks(lab).mutable_exposed_seconds()->mutable_value()) {
    value += 0.03;  // seconds; a step takes 0.31 s
  }
  EXPECT_THAT(Failed(lab), ElementsAre("communication_in_compute"));

  proto::PublishedTables tables = TimesAndSplit(Communication);
  AddTable(tables, "compute", proto::COMPUTE_SECONDS, 3, T);
  EXPECT_THAT(Failed(tables), ElementsAre("communication_in_compute"));
}

TEST(PlantedMistakesTest, ThreeBandwidthWithoutIterations) {
  LabRecords lab = ReadKeptRecord(kModelPath);
  proto::ScalingRow& row = RowOfTwo(lab);
  row.mutable_bandwidth_bytes_per_second()->set_value(row.bandwidth_bytes_per_second().value() /
                                                      row.steps_per_epoch().value());
  EXPECT_THAT(Failed(lab), ElementsAre("bandwidth_not_derivable"));

  LabRecords busy = ReadKeptRecord(kModelPath);
  proto::Quantity& bandwidth = *RowOfTwo(busy).mutable_busy_bandwidth_bytes_per_second();
  bandwidth.set_value(bandwidth.value() / 2);
  EXPECT_THAT(Failed(busy), ElementsAre("bandwidth_not_derivable"));

  proto::PublishedTables tables = TimesAndSplit(Communication);
  AddTable(tables, "bandwidth", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t b) { return Bytes(n) / Communication(n, b) / 1e9; });
  EXPECT_THAT(Failed(tables), ElementsAre("bandwidth_not_derivable"));
}

// 480 GB/s over the remaining T_comm, although the all-reduce alone reached less: from a record of an older program.
TEST(PlantedMistakesTest, ThreeBandwidthAboveTheLink) {
  LabRecords lab = ReadKeptRecord(kModelPath);
  proto::ScalingRow row = RowOfTwo(lab);
  const double link = row.measured_link_bytes_per_second().value();
  row.mutable_communication_seconds()->set_value(row.communication_seconds().value() / 4);
  row.mutable_bandwidth_bytes_per_second()->set_value(row.bandwidth_bytes_per_second().value() * 4);
  ASSERT_GT(row.bandwidth_bytes_per_second().value(), link);
  lab.comm_models[0].rows.clear();
  AddScalingRow(row, lab.comm_models[0]);
  EXPECT_THAT(Failed(lab), Contains("link_peak_assumed"));
  EXPECT_FALSE(lab.comm_models[0].rows[0].bandwidth_bytes_per_second().has_value());
}

TEST(PlantedMistakesTest, FourOneDeviceTimeNotDividedByN) {
  LabRecords lab = ReadKeptRecord(kModelPath);
  proto::ScalingRow& row = RowOfTwo(lab);
  const double whole = row.compute_seconds().value() * 2;
  row.mutable_compute_seconds()->set_value(whole);
  EXPECT_THAT(Failed(lab), ElementsAre("base_not_divided_by_n"));

  const proto::PublishedTables tables = TimesAndSplit([](uint32_t n, uint32_t b) { return T(n, b) - T(1, b); });
  EXPECT_THAT(Failed(tables), ElementsAre("base_not_divided_by_n", "negative_communication"));
}

TEST(PlantedMistakesTest, FourNegativeCommunication) {
  LabRecords lab = ReadKeptRecord(kScalePath);
  for (proto::Samples* samples : {TwoRanks(lab).mutable_epoch_seconds(), TwoRanks(lab).mutable_step_seconds()}) {
    Multiply(*samples, 0.9);
  }
  EXPECT_THAT(Failed(lab), ElementsAre("negative_communication"));
}

TEST(PlantedMistakesTest, FiveLoaderBookedAsCommunication) {
  EXPECT_THAT(Failed(Clean()), ElementsAre("loading_counted_as_communication"));
}

TEST(PlantedMistakesTest, SixWithLoadingFasterThanWithout) {
  LabRecords lab = ReadKeptRecord(kSweepPath);
  Multiply(*LastPoint(lab).mutable_epoch_seconds(), 0.75);  // 15.89 s instead of 21.16 s
  EXPECT_THAT(Failed(lab), ElementsAre("with_loading_faster_than_without"));

  proto::PublishedTables tables = HonestTables();
  proto::PublishedTable& with_loading = *tables.add_table();
  with_loading.set_name("Q2");
  Add(with_loading, proto::EPOCH_SECONDS, 1, 32, "30.000");
  EXPECT_THAT(Failed(tables), ElementsAre("with_loading_faster_than_without"));
}

TEST(PlantedMistakesTest, SevenPartsThatDoNotSum) {
  LabRecords lab = ReadKeptRecord(kSweepPath);
  Multiply(*LastPoint(lab).mutable_forward_seconds(), 1.5);
  EXPECT_THAT(Failed(lab), ElementsAre("parts_do_not_sum"));

  LabRecords waiting = ReadKeptRecord(kSweepPath);
  for (double& value : *LastPoint(waiting).mutable_data_wait_seconds()->mutable_value()) {
    value += 0.1;
  }
  EXPECT_THAT(Failed(waiting), ElementsAre("parts_do_not_sum"));

  LabRecords split = ReadKeptRecord(kModelPath);
  RowOfTwo(split).mutable_compute_seconds()->set_value(RowOfTwo(split).compute_seconds().value() * 1.2);
  EXPECT_THAT(Failed(split), ElementsAre("parts_do_not_sum"));
}

TEST(PlantedMistakesTest, EightBatchBeyondTheData) {
  LabRecords lab = ReadKeptRecord(kSweepPath);
  LastPoint(lab).set_batch_size(131072);
  EXPECT_THAT(Failed(lab), ElementsAre("batch_beyond_the_data"));

  proto::PublishedTables tables = HonestTables();
  Add(*tables.mutable_table(0), proto::STEP_SECONDS, 1, 131072, "20.123");
  EXPECT_THAT(Failed(tables), ElementsAre("batch_beyond_the_data"));
}

TEST(PlantedMistakesTest, NineWeakScalingCalledStrong) {
  LabRecords lab = ReadKeptRecord(kScalePath);
  lab.scales[0].spec.set_batch_mode(proto::GLOBAL);
  EXPECT_THAT(Failed(lab), ElementsAre("scaling_mislabelled"));

  LabRecords product = ReadKeptRecord(kScalePath);
  TwoRanks(product).set_global_batch(128);
  EXPECT_THAT(Failed(product), ElementsAre("scaling_mislabelled"));

  proto::PublishedTables tables = HonestTables();
  tables.mutable_claims()->set_scaling("strong");
  EXPECT_THAT(Failed(tables), ElementsAre("scaling_mislabelled"));
}

TEST(PlantedMistakesTest, TenGibPrintedAsGb) {
  LabRecords lab = ReadKeptRecord(kModelPath);
  proto::ScalingRow& row = RowOfTwo(lab);
  row.mutable_bandwidth_bytes_per_second()->set_value(row.bandwidth_bytes_per_second().value() / 1.073741824);
  EXPECT_THAT(Failed(lab), ElementsAre("gib_as_gb"));

  proto::PublishedTables tables = TimesAndSplit(Communication);
  AddTable(tables, "bandwidth", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / 1073741824; });
  EXPECT_THAT(Failed(tables), ElementsAre("gib_as_gb"));
}

TEST(PlantedMistakesTest, TenOneRunAndAWarmUpInTheMean) {
  LabRecords lab = ReadKeptRecord(kSweepPath);
  LastPoint(lab).mutable_epoch_seconds()->mutable_value()->Truncate(1);
  EXPECT_THAT(Failed(lab), ElementsAre("one_run_only"));
  EXPECT_THAT(CheckText(CheckRecords(lab)),
              AllOf(HasSubstr(" Repair: train_sweep "), HasSubstr(" --repeats=5 --force")));

  LabRecords cold = ReadKeptRecord(kSweepPath);
  cold.sweeps[0].spec.mutable_training()->set_warmup_epochs(0);
  EXPECT_THAT(Failed(cold), ElementsAre("warmup_in_the_mean"));

  LabRecords mixed = ReadKeptRecord(kSweepPath);
  for (proto::EpochResult& epoch : *LastPoint(mixed).mutable_epoch()) {
    epoch.set_warmup(epoch.epoch() < 2);
  }
  EXPECT_THAT(Failed(mixed), ElementsAre("warmup_in_the_mean"));
}

TEST(PlantedMistakesTest, ElevenEstimatesAmongMeasurements) {
  LabRecords lab = ReadKeptRecord(kModelPath);
  RowOfTwo(lab).mutable_epoch_seconds()->set_provenance(proto::MODELLED);
  EXPECT_THAT(Failed(lab), ElementsAre("estimates_among_measurements"));

  LabRecords failed = ReadKeptRecord(kSweepPath);
  LastPoint(failed).set_outcome(proto::OUT_OF_MEMORY);
  EXPECT_THAT(Failed(failed), ElementsAre("estimates_among_measurements"));

  proto::PublishedTables tables = HonestTables();
  tables.mutable_table(0)->mutable_value(3)->set_note("ESTIMATED from 20 GB/s");
  EXPECT_THAT(Failed(tables), ElementsAre("estimates_among_measurements"));
}

}  // namespace
}  // namespace testing
}  // namespace lockstep
