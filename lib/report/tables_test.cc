// All sections from small records: the content of their cells, and the blank cells.
#include "lib/report/tables.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/sections.h"
#include "lib/report/shown_tables_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ExpectWellFormed;
using ::lockstep::testing::RowOf;
using ::lockstep::testing::SmallLab;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const proto::Section& SectionOf(const std::vector<proto::Section>& sections, const std::string& id) {
  for (const proto::Section& section : sections) {
    if (section.id() == id) {
      return section;
    }
  }
  ADD_FAILURE() << "no section " << id;
  return sections[0];
}

proto::Table TableOf(const LabRecords& lab, const std::string& caption) {
  return ::lockstep::testing::TableOf(BuildSections(lab), caption);
}

TEST(TablesTest, EverySectionIsThereOnce) {
  std::vector<std::string> ids;
  for (const proto::Section& section : BuildSections(SmallLab())) {
    ids.push_back(section.id());
  }
  EXPECT_THAT(ids, ElementsAre("methods", "machine", "answers", "sweep", "scaling", "communication", "data_parallel",
                               "prediction", "large_batch", "sampler", "sent", "training", "int8", "audit", "records"));
}

TEST(TablesTest, TablesAreWellFormed) {
  ExpectWellFormed(BuildSections(SmallLab()));
  ExpectWellFormed(BuildSections(LabRecords()));
}

TEST(TablesTest, PublishedTimesHaveTheirSpeedups) {
  LabRecords lab = SmallLab();
  proto::PublishedTime& time = lab.comm_models.front().published_times.emplace_back();
  time.set_source("a chart");
  time.set_ranks(4);
  time.set_batch_per_device(128);
  time.set_epochs(5);
  time.mutable_epoch_seconds()->set_value(7);
  time.mutable_epoch_seconds()->set_provenance(proto::PUBLISHED);
  time.mutable_epoch_speedup()->set_value(3.4);
  time.mutable_epoch_speedup()->set_provenance(proto::DERIVED);
  time.mutable_strong_speedup()->set_absent_reason("no time of one device at batch 512");
  ExpectWellFormed(BuildSections(lab));
  const proto::Table table = TableOf(lab, "Published times that predictions start from");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("a chart", "4", "128", "5", "7.000", "3.400",
                                           "- no time of one device at batch 512", "85.0"));
}

// 1.5e9 bytes; 50,000 images in 4 s; 2 x 3 x 5e8 x 50,000 = 1.5e14 operations in 3 s.
TEST(TablesTest, TheSweepTable) {
  const proto::Table table = TableOf(SmallLab(), "Q1: epoch time against batch size");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("32", "3.000 ± 0 (3)", "4.000 ± 0.100 (3)", "12,500", "50.00", "1563", "16",
                                           "1.500", "completed"));
  EXPECT_EQ(table.row(0).cell(1).provenance(), proto::MEASURED);
  EXPECT_EQ(table.row(0).cell(3).provenance(), proto::DERIVED);
  EXPECT_EQ(table.row(0).cell(4).provenance(), proto::DERIVED);
}

TEST(TablesTest, StepsMemoryAndTheTargetAreShownWhereTheyAreKnown) {
  LabRecords lab = SmallLab();
  for (const proto::Section& section : BuildSections(lab)) {
    for (const proto::Table& table : section.table()) {
      EXPECT_THAT(table.caption(), Not(HasSubstr("Full steps")));
      EXPECT_THAT(table.caption(), Not(HasSubstr("Memory, GB")));
    }
  }
  proto::SweepPoint& point = lab.sweeps[0].points[0];
  point.mutable_full_steps()->set_count(40);
  point.mutable_full_steps()->set_p50_seconds(0.002);
  point.set_predicted_memory_bytes(1'200'000'000);
  point.mutable_target()->set_accuracy(0.94);
  point.mutable_target()->set_reached(true);
  point.mutable_target()->set_epoch(1);
  point.mutable_target()->set_training_seconds(8);
  point.mutable_target()->set_total_seconds(9);
  EXPECT_EQ(RowOf(TableOf(lab, "Full steps"), 0)[1], "40");
  EXPECT_EQ(RowOf(TableOf(lab, "Full steps"), 0)[3], "2.000");
  EXPECT_THAT(RowOf(TableOf(lab, "Memory, GB"), 0),
              ElementsAre("32", "1.200", "1.500", "- not in the record", "0.8000", "- not in the record"));
  point.set_timed_peak_memory_bytes(1'250'000'000);
  point.set_available_memory_bytes(79'000'000'000);
  EXPECT_THAT(RowOf(TableOf(lab, "Memory, GB"), 0), ElementsAre("32", "1.200", "1.500", "1.250", "0.9600", "79.00"));
  EXPECT_THAT(
      TableOf(lab, "Loss and accuracy per epoch").note(),
      Contains("Batch 32: 94.00 % of the test set was reached after epoch 2, in 8.000 s of training, 9.000 s with the "
               "evaluations (measured)."));
}

// A step of 2 ms in two parts. The instrumented epoch is 1 % longer than the median of 4 s.
TEST(TablesTest, ThePartsOfAStepStandWithWhatTheirTimestampsCost) {
  LabRecords lab = SmallLab();
  const proto::Section before = SectionOf(BuildSections(lab), "sweep");
  for (const proto::Table& table : before.table()) {
    EXPECT_THAT(table.caption(), Not(HasSubstr("Parts of a step")));
  }
  lab.sweeps[0].spec.mutable_training()->set_second_stream(true);
  proto::SweepPoint& point = lab.sweeps[0].points[0];
  point.mutable_full_steps()->set_count(1562);
  point.mutable_full_steps()->set_p95_seconds(0.0021);
  proto::StepParts& parts = *point.mutable_step_parts();
  for (const auto& [name, seconds] : {std::pair<const char*, double>{"forward and loss", 1}, {"backward", 3}}) {
    proto::StepPart& part = *parts.add_part();
    part.set_name(name);
    part.set_epoch_seconds(seconds);
    part.mutable_full_steps()->set_count(1562);
    part.mutable_full_steps()->set_p50_seconds(seconds / 2000);
    part.mutable_full_steps()->set_p95_seconds(seconds / 1000);
  }
  proto::StepPart& between = *parts.add_part();
  between.set_name("between steps");
  between.mutable_full_steps()->set_absent_reason("one step alone");
  parts.set_epoch_seconds(4.04);
  parts.set_perturbation(1.01);
  parts.set_resolution_seconds(32e-9);
  const proto::Table table = TableOf(lab, "Parts of a step");
  const std::vector<std::string> backward = RowOf(table, 1);
  EXPECT_THAT(std::vector<std::string>(backward.begin(), backward.begin() + 4),
              ElementsAre("32", "backward", "3.000", "75.00"));
  EXPECT_EQ(backward[5], "1500");
  EXPECT_EQ(backward[7], "3000");
  EXPECT_EQ(RowOf(table, 2)[5], "- one step alone");
  EXPECT_THAT(table.note(), Contains("Batch 32: the instrumented epoch took 4.040 s, 1.010 times the median of the "
                                     "timed epochs; the GPU's clock counts in steps of 32.00 ns."));
  EXPECT_THAT(table.note(), Contains(HasSubstr("weight gradients run concurrently on the second stream")));
  EXPECT_EQ(RowOf(TableOf(lab, "Full steps"), 0)[5], "2.100");
}

TEST(TablesTest, PartsThatCouldNotBeTimedReportWhy) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].points[0].mutable_step_parts()->set_absent_reason("no memory for 9 bytes");
  const proto::Table table = TableOf(lab, "Parts of a step");
  EXPECT_EQ(table.absent_reason(), "no point has parts of a step");
  EXPECT_THAT(table.note(), Contains("Batch 32: no parts of a step (no memory for 9 bytes)."));
}

// 2 x 1000^3 FLOP in 20 us are 100 TFLOP/s; training reaches 50 (TheSweepTable).
TEST(TablesTest, TheRateIsComparedWithTheMatmulCeiling) {
  LabRecords lab = SmallLab();
  proto::MatmulCeiling& ceiling = *lab.sweeps[0].points[0].mutable_matmul_ceiling();
  ceiling.set_size(1000);
  ceiling.set_precision(proto::BF16);
  ceiling.mutable_product_seconds()->add_value(19e-6);
  ceiling.mutable_product_seconds()->add_value(21e-6);
  const proto::Table table = TableOf(lab, "Share of the matmul ceiling");
  ASSERT_EQ(table.row_size(), 1);
  EXPECT_THAT(RowOf(table, 0), ElementsAre("32", "50.00", "100.0", "50.00", "1000^3, bf16, 2 times"));
  EXPECT_EQ(table.row(0).cell(3).provenance(), proto::DERIVED);
  EXPECT_EQ(table.row(0).cell(3).note(), "");
  ceiling.set_size(500);
  EXPECT_THAT(TableOf(lab, "Share of the matmul ceiling").row(0).cell(3).note(), HasSubstr("above 100 %"));
}

TEST(TablesTest, TheDeviceWasWatchedDuringTheTimedEpochs) {
  LabRecords lab = SmallLab();
  proto::DeviceWatch& watch = *lab.sweeps[0].points[0].mutable_device_watch();
  watch.set_readings(34);
  watch.set_min_sm_clock_mhz(1755);
  watch.set_median_sm_clock_mhz(1980);
  watch.set_median_power_watts(612);
  proto::ThrottleCount& throttle = *watch.add_throttle();
  throttle.set_reason("sw_power_cap");
  throttle.set_readings(12);
  lab.sweeps[0].points[1].mutable_device_watch()->set_absent_reason("NVML (libnvidia-ml.so.1) not found");
  const proto::Table table = TableOf(lab, "State of the device during the timed epochs");
  ASSERT_EQ(table.row_size(), 1);
  const std::vector<std::string> row = RowOf(table, 0);
  EXPECT_EQ(row[1], "34");
  EXPECT_EQ(row[2], "1755");
  EXPECT_EQ(row[3], "1980");
  EXPECT_EQ(row[6], "612");
  EXPECT_EQ(row[9], "sw_power_cap in 12 of 34 readings");
}

TEST(TablesTest, AGraphAndTheHandWrittenStepAreReported) {
  LabRecords lab = SmallLab();
  EXPECT_THAT(TableOf(lab, "Q1").note(),
              Contains(HasSubstr("Timing: fp32 (TF32 off), NCHW, 2 loader workers, 1 warm-up")));
  proto::TrainingSpec& training = *lab.sweeps[0].spec.mutable_training();
  training.set_cuda_graph(true);
  EXPECT_THAT(TableOf(lab, "Q1").note(),
              Contains(HasSubstr("Timing: fp32 (TF32 off), NCHW, CUDA graph, 2 loader workers, 1 warm-up")));
  training.set_step(proto::FUSED);
  training.set_channels_last(true);
  training.set_resident_images(true);
  EXPECT_THAT(TableOf(lab, "Q1").note(),
              Contains(HasSubstr("NHWC, fused step, CUDA graph, data set on the device, 1 warm-up")));
}

TEST(TablesTest, WhatFindMaxFoundIsReported) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].end.set_largest_fitting_batch(300);
  lab.sweeps[0].end.set_smallest_failing_batch(301);
  EXPECT_THAT(DescribeEnd(lab.sweeps[0].end),
              HasSubstr("The largest batch that fits is 300: 301 was tried and does not fit."));
  lab.sweeps[0].end.clear_smallest_failing_batch();
  EXPECT_THAT(DescribeEnd(lab.sweeps[0].end),
              HasSubstr("The largest batch that fits is 300, limited by the data set or --max_batch"));
}

TEST(TablesTest, APointThatDidNotFitIsBlankAndReportsWhy) {
  const proto::Table table = TableOf(SmallLab(), "Q1: epoch time against batch size");
  EXPECT_THAT(RowOf(table, 2)[1], HasSubstr("- batch 512: out of memory (tried to allocate 9 GiB)"));
  EXPECT_EQ(RowOf(table, 2)[8], "out of memory");
}

TEST(TablesTest, APartThatWasNotMeasuredIsBlank) {
  EXPECT_EQ(RowOf(TableOf(SmallLab(), "Parts of an epoch"), 0)[5], "- fused into backward");
}

TEST(TablesTest, ASingleRepeatHasNoSpread) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].points[0].mutable_epoch_seconds()->mutable_value()->Truncate(1);
  EXPECT_EQ(RowOf(TableOf(lab, "Q1: epoch time against batch size"), 0)[2], "3.900 (1)");
}

TEST(TablesTest, Table1InTheLabsLayout) {
  const proto::Table table = TableOf(SmallLab(), "Table 1");
  ASSERT_EQ(table.column_group_size(), 3);
  EXPECT_EQ(table.column_group(1).title(), "batch 32 per device");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("1 (plain)", "4.000 ± 0 (3)", "1 (base)", "1 (base)", "2.000 ± 0 (3)",
                                           "1 (base)", "1 (base)"));
  EXPECT_THAT(RowOf(table, 1), ElementsAre("1 (through the reducer)", "4.100 ± 0 (3)", HasSubstr("not a speed-up"),
                                           HasSubstr("not a speed-up"), "- not run", HasSubstr("not a speed-up"),
                                           HasSubstr("not a speed-up")));
  EXPECT_THAT(RowOf(table, 2), ElementsAre("2", "2.50 ± 0.10 (3)", "1.60 [1.50, 1.70]", "- no run of 1 x 64",
                                           "1.200 ± 0 (3)", "1.667", "- no run of 1 x 256"));
}

TEST(TablesTest, Table1NamesRanksThatUsedGlooInstead) {
  LabRecords lab = SmallLab();
  EXPECT_THAT(TableOf(lab, "Table 1").note(), Not(Contains(HasSubstr("over Gloo"))));
  for (proto::ScalePoint& point : lab.scales[0].points) {
    if (point.ranks() == 2) {
      point.set_communicator_reason("the hosts are unequal");
    }
  }
  EXPECT_THAT(TableOf(lab, "Table 1").note(), Contains("2 ranks communicated over Gloo: the hosts are unequal."));
}

TEST(TablesTest, Table1HasTheEpochsOfAllRecordsThatItsSpeedUpUses) {
  LabRecords lab = SmallLab();
  proto::ScalingRow& row = lab.comm_models[0].rows[1];
  row.mutable_epoch_seconds()->set_value(2.75);
  row.mutable_epoch_seconds()->set_low(2.25);
  row.mutable_epoch_seconds()->set_high(3.25);
  EXPECT_EQ(RowOf(TableOf(lab, "Table 1"), 2)[1], "2.50 ± 0.10 (3)");  // epochs of the scale record
  row.add_pooled_file("two.rec");
  row.add_pooled_file("four.rec");
  EXPECT_EQ(RowOf(TableOf(lab, "Table 1"), 2)[1], "2.75 [2.25, 3.25]");
  EXPECT_EQ(RowOf(TableOf(lab, "Table 1"), 1)[1], "4.100 ± 0 (3)");
  EXPECT_EQ(RowOf(TableOf(lab, "Table 1"), 2)[4], "1.200 ± 0 (3)");
}

TEST(TablesTest, SpeedUpsWantACommModelOfThisScaleRecord) {
  LabRecords lab = SmallLab();
  lab.comm_models.clear();
  EXPECT_THAT(RowOf(TableOf(lab, "Table 1"), 2)[2], HasSubstr("comm_model --input=/lab/scale.rec"));
  lab = SmallLab();
  lab.comm_models[0].header.mutable_input(0)->set_sha256("of another scale.rec");
  EXPECT_THAT(RowOf(TableOf(lab, "Table 1"), 2)[2], StartsWith("- no comm_model record made from scale.rec"));
}

TEST(TablesTest, ACommModelAloneMakesTable1FromItsOwnTimes) {
  LabRecords lab = SmallLab();
  lab.scales.clear();
  const proto::Table table = TableOf(lab, "Table 1");
  EXPECT_THAT(RowOf(table, 1), ElementsAre("2", "2.500", "1.60 [1.50, 1.70]", "- no run of 1 x 64", "1.200", "1.667",
                                           "- no run of 1 x 256"));
}

TEST(TablesTest, AGlobalBatchIsLookedUpAsGlobal) {
  LabRecords lab = SmallLab();
  lab.scales[0].spec.set_batch_mode(proto::GLOBAL);
  lab.scales[0].spec.clear_batch_size();
  lab.scales[0].spec.add_batch_size(64);  // 2 x 32; there is no run on one device
  const proto::Table table = TableOf(lab, "Table 1");
  EXPECT_EQ(table.column_group(1).title(), "global batch 64");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("2", "2.50 ± 0.10 (3)", "1.60 [1.50, 1.70]", "- no run of 1 x 64"));
}

TEST(TablesTest, Table2ShowsNegativeTimesAndMarksThem) {
  const proto::Table table = TableOf(SmallLab(), "Table 2");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("2", "1.500", "0.5000", "0.7500", "-0.05000"));
  EXPECT_THAT(table.row(0).cell(4).note(), HasSubstr("not clamped"));
  EXPECT_THAT(table.note(), Contains(StartsWith("At 2 devices, batch 128 per device, comm is not measurable by "
                                                "subtraction: a step on 2 devices took 0.255 ms less than on one")));
}

TEST(TablesTest, Table3IsBlankWhereTheLabsTimeIsNegative) {
  const proto::Table table = TableOf(SmallLab(), "Table 3");
  EXPECT_THAT(RowOf(table, 0),
              ElementsAre("2", "69.90", "69.90", "- T_comm is negative", HasSubstr("- not in the record")));
}

// 480 GB/s over T_comm, on a link of 223 GB/s.
TEST(TablesTest, WhatIsAboveTheLinkIsBlankAndTheBandwidthWhileBusyIsShown) {
  LabRecords lab = SmallLab();
  proto::ScalingRow row = lab.comm_models[0].rows[1];
  row.mutable_communication_seconds()->set_value(0.0728);
  row.mutable_bandwidth_bytes_per_second()->set_value(480e9);
  row.mutable_utilization_of_measured()->set_value(480.0 / 223);
  lab.comm_models[0].rows.clear();
  AddScalingRow(row, lab.comm_models[0]);
  EXPECT_THAT(RowOf(TableOf(lab, "Table 3"), 0),
              ElementsAre("2", HasSubstr("- bytes / T_comm would exceed the measured link, 223 GB/s"), "69.90",
                          HasSubstr("has no row"), HasSubstr("has no row")));
  EXPECT_THAT(RowOf(TableOf(lab, "Utilisation of the link"), 0),
              ElementsAre("2", "32", "44.70", "782", HasSubstr("that computing does not hide"), "69.90", "223.0",
                          HasSubstr("that computing does not hide"), "31.35", HasSubstr("was not given")));
}

TEST(TablesTest, CommunicationIsComparedWithOtherMethods) {
  EXPECT_THAT(RowOf(TableOf(SmallLab(), "Communication by several methods"), 0),
              ElementsAre("2", "32", "2.000", "1.500", "0.5000", "0.2000", "0.3000", "0.5000", "- no wait was measured",
                          "0.2000", "60.00"));
}

TEST(TablesTest, StepsAreACount) { EXPECT_EQ(RowOf(TableOf(SmallLab(), "Utilisation of the link"), 0)[3], "782"); }

// 44,695,848 bytes in 0.2 ms: 223.5 GB/s; on two ranks the bus bandwidth is the same, 2(2-1)/2 = 1.
TEST(TablesTest, TheAllReduceAlone) {
  EXPECT_THAT(RowOf(TableOf(SmallLab(), "All-reduce of the gradient"), 0),
              ElementsAre("2", "44,695,848", "200.0 ± 0 (4)", "223.5", "223.5 [223.5, 223.5]"));
}

// The probe of the first point was disturbed.
TEST(TablesTest, TheAllReduceAloneIsThatOfAllPoints) {
  LabRecords lab = SmallLab();
  for (proto::ScalePoint& point : lab.scales[0].points) {
    if (point.ranks() == 2 && point.batch_per_device() == 32 && point.has_probe()) {
      point.mutable_probe()->mutable_seconds()->set_value(0, 0.0004);
    }
  }
  const std::vector<std::string> row = RowOf(TableOf(lab, "All-reduce of the gradient"), 0);
  EXPECT_EQ(row[3], "223.5");
  EXPECT_EQ(row[4], "223 [112, 223]");
}

TEST(TablesTest, TheBuckets) {
  const proto::Table table = TableOf(SmallLab(), "The buckets");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("1", "9.460", "8", "2.000", "3.000"));
  EXPECT_EQ(table.row_size(), 2);
}

TEST(TablesTest, TheSumCheckAndTheShards) {
  EXPECT_THAT(
      RowOf(TableOf(SmallLab(), "Sum check"), 0),
      ElementsAre("2", "32", "1.000e-07", "1.000e-06", "yes", "yes, bit for bit", "passed", "2", "50,000", "0"));
}

// The fused step's exchange is checked before training. An older record states that in the field in which other
// records give the reason why no check was made.
TEST(TablesTest, ASumCheckBeforeTrainingHasPassed) {
  LabRecords lab = SmallLab();
  proto::SumCheck& check = *lab.scales[0].points[3].mutable_sum_check();
  check.Clear();
  check.set_source("exact test numbers, before training");
  check.set_ranks_differ_before(true);
  check.set_ranks_equal_after(true);
  check.set_passed(true);
  const std::vector<std::string> row = RowOf(TableOf(lab, "Sum check"), 0);
  EXPECT_THAT(row[2], HasSubstr("the sums must be exact"));
  EXPECT_EQ(row[5], "yes, bit for bit");
  EXPECT_EQ(row[6], "passed, exact test numbers, before training");
  check.Clear();
  check.set_absent_reason("the exchange was checked with exact sums before training");
  EXPECT_EQ(RowOf(TableOf(lab, "Sum check"), 0)[6], "not checked");
  lab.scales[0].points[3].clear_sum_check();
  EXPECT_THAT(RowOf(TableOf(lab, "Sum check"), 0)[2], HasSubstr("no check was made"));
}

// The base case is from a sweep whose machine is unknown.
TEST(TablesTest, ABaseCaseOfAnUnknownMachineIsMarkedAtTheSpeedUp) {
  LabRecords lab = SmallLab();
  proto::Quantity& strong = *lab.comm_models[0].rows[1].mutable_strong_speedup();
  strong.set_value(1.5);
  strong.set_method(
      "E_1(64)/E_2(32), base case: plain training on 1 device at batch 64 (sweep record, not known to be of "
      "the same machine)");
  EXPECT_THAT(TableOf(lab, "Table 1").row(2).cell(3).note(), HasSubstr("not known to be of the same machine"));
  EXPECT_THAT(TableOf(lab, "Speed-ups by definition").row(0).cell(2).note(), HasSubstr("not known to be of the same"));
  EXPECT_EQ(TableOf(lab, "Table 1").row(2).cell(2).note(), "");
}

TEST(TablesTest, AccuraciesOfANetworkAreComparedWithEachOther) {
  const proto::Table table = TableOf(SmallLab(), "Accuracy in int8");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("lenet5", "60.00", "59.00", "58.00", "- the network has no bias", "1000"));
  EXPECT_THAT(RowOf(table, 1), ElementsAre("lenet5_bias", "70.00", "70.00", "69.50", "69.00", "1000"));
}

TEST(TablesTest, ANetworkNearChanceHasANote) {
  LabRecords lab = SmallLab();
  EXPECT_THAT(TableOf(lab, "Accuracy in int8").note(), Not(Contains(HasSubstr("by chance"))));
  lab.quantized[0].networks[0].mutable_step(0)->set_correct(98);
  EXPECT_THAT(TableOf(lab, "Accuracy in int8").note(),
              Contains("lenet5: 9.80 % of the test images are right in fp32, and by chance 10 %: these accuracies do "
                       "not show what int8 costs. Train the network longer, or check the normalization of its "
                       "images."));
}

TEST(TablesTest, AFineTunedNetworkHasAColumnMore) {
  LabRecords lab = SmallLab();
  lab.quantized[0].spec.set_fine_tune_batch(128);
  lab.quantized[0].spec.set_fine_tune_learning_rate(0.001);
  proto::QuantizedNetwork& network = lab.quantized[0].networks[1];
  proto::AccuracyStep& step = *network.add_step();
  step.set_stage(proto::INT8_FINE_TUNED);
  step.set_correct(701);
  step.set_images(1000);
  step.set_flips_to_right(3);
  step.set_flips_to_wrong(2);
  network.mutable_fine_tuning()->add_epoch_loss(0.75);
  network.mutable_fine_tuning()->add_epoch_loss(0.5);
  network.mutable_fine_tuning()->set_seconds(12);
  network.mutable_fine_tuning()->set_compared_logits(4000);
  network.mutable_fine_tuning()->set_different_logits(1);
  const proto::Table table = TableOf(lab, "Accuracy in int8");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("lenet5", "60.00", "59.00", "58.00", "- the network has no bias",
                                           "- this step is not in the record", "1000"));
  EXPECT_THAT(RowOf(table, 1), ElementsAre("lenet5_bias", "70.00", "70.00", "69.50", "69.00", "70.10", "1000"));
  EXPECT_THAT(table.note(), Contains(AllOf(HasSubstr("lenet5_bias was fine-tuned for 2 epochs in batches of 128"),
                                           HasSubstr("loss was 0.5000. Its forward pass gave 3999 of 4000 logits"))));
  EXPECT_THAT(RowOf(TableOf(lab, "Images that changed sides"), 5),
              ElementsAre("lenet5_bias", "fine-tuned, integers throughout", "701", "0.10",
                          HasSubstr("without this test"), "2", "3", "0"));
}

TEST(TablesTest, AnImportedNetworkNamesItsForm) {
  LabRecords lab = SmallLab();
  lab.quantized[0].networks[1].set_onnx_form("QDQ");
  EXPECT_THAT(
      TableOf(lab, "Accuracy in int8").note(),
      AllOf(Contains(HasSubstr("Imported in int8 from ONNX files, whose scales were kept: lenet5_bias (QDQ form).")),
            Contains(HasSubstr("Scales come from"))));
  lab.quantized[0].networks[0].set_onnx_form("QOperator");
  EXPECT_THAT(TableOf(lab, "Accuracy in int8").note(), Not(Contains(HasSubstr("Scales come from"))));
}

TEST(TablesTest, ImagesThatChangedSides) {
  EXPECT_THAT(RowOf(TableOf(SmallLab(), "Images that changed sides"), 0),
              ElementsAre("lenet5", "weights int8", "590", "-1.00 [-1.95, -0.12]", "0.041", "15", "5", "0"));
}

TEST(TablesTest, ARecordWithoutAnIntervalShowsNone) {
  EXPECT_THAT(
      RowOf(TableOf(SmallLab(), "Images that changed sides"), 3),
      ElementsAre("lenet5_bias", "+ activations int8", "695", "-0.50", HasSubstr("without this test"), "7", "2", "0"));
}

TEST(TablesTest, LayersWithoutWeightsOrWithSumsReportWhatTheyLack) {
  const proto::Table table = TableOf(SmallLab(), "Ranges and scales per layer: lenet5_bias");
  EXPECT_THAT(RowOf(table, 0), Contains(HasSubstr("an addition has no accumulator")));
  EXPECT_THAT(RowOf(table, 0), Contains(HasSubstr("the layer has no weights")));
  EXPECT_THAT(RowOf(table, 1), Contains("100.0 to 300.0, one a channel"));
  EXPECT_THAT(RowOf(table, 1), Contains(HasSubstr("the int32 accumulator itself")));
}

TEST(TablesTest, AStudyReportsTheCostOfEachLayer) {
  const proto::Table table = TableOf(SmallLab(), "Which layers cost the accuracy: lenet5_bias");
  EXPECT_THAT(RowOf(table, 1), ElementsAre("conv1", "41.5", "30.0", "29.0", "-4.50", "-0.50", "0.0123", "4.50e-04"));
  EXPECT_THAT(RowOf(table, 0), Contains(HasSubstr("the record is older")));
  EXPECT_THAT(table.note(), Contains(HasSubstr("Put back to fp32, one after another: conv1 (74.50 %); then 69.80 %")));
}

// 31 - log2(2^20) = 11.
TEST(TablesTest, LayersShowTheirHeadroom) {
  const proto::Table table = TableOf(SmallLab(), "Ranges and scales per layer: lenet5");
  EXPECT_EQ(RowOf(table, 0).back(), "11.0");
}

TEST(TablesTest, TheAuditCountsAndListsWhatIsDoubtful) {
  EXPECT_THAT(RowOf(TableOf(SmallLab(), "Published tables"), 0),
              ElementsAre("Table 1", "4", "1", "2", "0", "0", "1", "T_1/T_N (1) | GB = 1e9 (1)", "GiB_as_GB"));
  const proto::Table findings = TableOf(SmallLab(), "Numbers that no convention reproduces");
  ASSERT_EQ(findings.row_size(), 1);
  EXPECT_THAT(RowOf(findings, 0), ElementsAre("Table 1", "speedup", "2 devices, batch 512", "1.18592", "1.23126",
                                              HasSubstr("No convention gives 1.18592")));
  EXPECT_THAT(RowOf(TableOf(SmallLab(), "Doubtful conventions"), 0),
              ElementsAre("GiB_as_GB", "1", "Table 1", "bandwidth gigabytes per second, 2 devices, batch 32", "2.0548",
                          HasSubstr("needs 1e9")));
  EXPECT_EQ(findings.row(0).cell(3).provenance(), proto::PUBLISHED);
  EXPECT_EQ(findings.row(0).cell(4).provenance(), proto::DERIVED);
}

TEST(TablesTest, ANumberThatCouldBeChanceIsListedAsSuch) {
  LabRecords lab = SmallLab();
  for (LabCommModel& file : lab.comm_models) {
    if (!file.audits.empty()) {
      proto::AuditedValue& value = *file.audits[0].mutable_value(2);
      value.set_finding(proto::COULD_BE_CHANCE);
      value.set_sentence("T_1/T_N gives 1.23126. So this could be chance.");
    }
  }
  EXPECT_THAT(RowOf(TableOf(lab, "Published tables"), 0),
              ElementsAre("Table 1", "4", "1", "2", "0", "1", "0", "T_1/T_N (1) | GB = 1e9 (1)", "GiB_as_GB"));
  EXPECT_THAT(RowOf(TableOf(lab, "Numbers that no convention reproduces"), 0),
              ElementsAre("Table 1", "speedup", "2 devices, batch 512", "1.18592", "1.23126", HasSubstr("be chance")));
}

TEST(TablesTest, APredictionIsComparedWithItsRun) {
  const proto::Table table = TableOf(SmallLab(), "Runs predicted");
  ASSERT_EQ(table.row_size(), 2);
  EXPECT_THAT(RowOf(table, 0), ElementsAre("scale.rec", "2", "32", "2.40 [2.20, 2.60]", "2.000", "2.500", "-4.00",
                                           "-20.0", "yes", "0.01000", "0.02000"));
  EXPECT_THAT(RowOf(table, 1),
              ElementsAre("scale.rec", "8", "512", "- not run: 2 devices at 512", "- not run", "- not run",
                          "- nothing was predicted, or nothing was run", "- nothing was predicted, or nothing was run",
                          "- nothing was predicted, or nothing was run", "- not run: 2 devices at 512",
                          "- not run: 2 devices at 512"));
  EXPECT_EQ(table.row(0).cell(3).provenance(), proto::MODELLED);
  EXPECT_EQ(table.row(0).cell(5).provenance(), proto::MEASURED);
}

TEST(TablesTest, AScoreOfWhatIfNamesItsHostsAndItsExchange) {
  LabRecords lab = SmallLab();
  for (LabCommModel& file : lab.comm_models) {
    for (proto::Prediction& prediction : file.predictions) {
      prediction.set_hosts(prediction.ranks() / 2);
      prediction.set_exchange(prediction.ranks() == 2 ? "one host" : "hierarchical");
      prediction.clear_inside_interval();
    }
  }
  const proto::Table table = TableOf(lab, "Runs predicted");
  EXPECT_EQ(RowOf(table, 0)[0], "scale.rec, what if: one host");
  EXPECT_EQ(RowOf(table, 0)[8], "- the prediction has no interval");
  EXPECT_EQ(RowOf(table, 1)[0], "scale.rec, what if: 4 hosts, hierarchical");
  EXPECT_EQ(RowOf(table, 1)[8], "- nothing was predicted, or nothing was run");
}

TEST(TablesTest, WhatIfIsModelledAndReportsWhatPays) {
  const proto::Table table = TableOf(SmallLab(), "What if: two racks of hosts of 8 devices");
  ASSERT_EQ(table.row_size(), 1);
  EXPECT_THAT(RowOf(table, 0),
              ElementsAre("as given", "16", "2", "32", "hierarchical", "hierarchical", "300.0", "120.0", "8.000",
                          "0.80 [0.70, 0.90]", "64,000", "5.000", "31.25", "yes", "64", "12.50"));
  for (int i : {6, 7, 8, 9, 10, 11, 12, 15}) {
    EXPECT_EQ(table.row(0).cell(i).provenance(), proto::MODELLED) << i;
  }
  EXPECT_THAT(table.note(0), HasSubstr("at least 1.100 times as fast"));
  EXPECT_EQ(table.note(1), "N=16, batch 32: last step: by hand.");
}

TEST(TablesTest, WhatIfOfAnEarlierVersionHasNoExchange) {
  LabRecords lab = SmallLab();
  for (LabCommModel& file : lab.comm_models) {
    for (proto::WhatIfRow& row : file.what_ifs) {
      row.clear_exchange();
      row.clear_loss_bytes_per_second();
      row.clear_bend();
    }
  }
  const std::vector<std::string> row = RowOf(TableOf(lab, "What if: two racks of hosts of 8 devices"), 0);
  EXPECT_EQ(row[4], "- made by an earlier version");
  EXPECT_EQ(row[15], "- made by an earlier version");
}

// 8 devices on one host, 16 on two with both exchanges.
TEST(TablesTest, WhatIfHasALinePerExchangeThatBeginsOnOneHost) {
  LabRecords lab = SmallLab();
  for (LabCommModel& file : lab.comm_models) {
    if (!file.what_ifs.empty()) {
      proto::WhatIfRow flat = file.what_ifs[0], inside = file.what_ifs[0];
      flat.set_exchange("flat");
      inside.set_exchange("one host");
      inside.set_devices(8);
      inside.set_hosts(1);
      file.what_ifs = {inside, flat, file.what_ifs[0]};
    }
  }
  const proto::Section section = SectionOf(BuildSections(lab), "prediction");
  const proto::Plot& plot = section.plot(1);
  ASSERT_EQ(plot.series_size(), 2);
  EXPECT_EQ(plot.series(0).label(), "as given, batch 32, flat");
  EXPECT_EQ(plot.series(1).label(), "as given, batch 32, hierarchical");
  for (const proto::Series& series : plot.series()) {
    EXPECT_THAT(series.x(), ElementsAre(8, 16));
  }
}

TEST(TablesTest, FitsReportHowFarOffTheyAre) {
  const proto::Table table = TableOf(SmallLab(), "Fits, and their errors");
  ASSERT_EQ(table.row_size(), 5);
  EXPECT_THAT(RowOf(table, 0), ElementsAre("all-reduce, nccl.json", "alpha, us, 1024 to 65,536 bytes", "10.00",
                                           HasSubstr("2.0 (median), 9.0 (worst, "), "accepted"));
  EXPECT_THAT(RowOf(table, 1), ElementsAre("all-reduce, nccl.json", "beta, us per MB, 1024 to 65,536 bytes", "4.000",
                                           ::testing::_, "accepted"));
  EXPECT_THAT(RowOf(table, 2),
              ElementsAre("all-reduce, other.json", "alpha, beta", "- rejected", ::testing::_, "worst error 30 %"));
  EXPECT_THAT(RowOf(table, 3), ElementsAre("step time of one device, scale.rec", HasSubstr("2 batches"), ::testing::_,
                                           "- no point can be left out", "accepted"));
  EXPECT_THAT(RowOf(table, 4), ElementsAre("amdahl, batch 32, 1 degrees of freedom", "serial fraction a", "0.05000",
                                           "- no point can be left out", "extrapolated"));
  EXPECT_THAT(table.note(0), HasSubstr("1 law of scaling has as many parameters as points"));
}

TEST(TablesTest, EpochsThatWereNotEvaluatedAreBlank) {
  const proto::Table table = TableOf(SmallLab(), "Loss and accuracy per epoch");
  EXPECT_THAT(RowOf(table, 0), ElementsAre("32", "1 (warm-up)", "0.100", "2.100", "20.00", HasSubstr("not evaluated")));
  EXPECT_THAT(RowOf(table, 1), ElementsAre("32", "2", "0.100", "1.500", "45.00", "50.00"));
}

TEST(TablesTest, AnAccuracyOnHeldOutImagesIsANote) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].points[0].mutable_epoch(1)->set_validation_accuracy(0.41);
  EXPECT_THAT(TableOf(lab, "Loss and accuracy per epoch").note(),
              Contains("Validation accuracy, batch 32, epoch 2: 41.00 % of the training images that were held out "
                       "(measured)."));
}

// The table itself holds accuracies of the plain images only.
TEST(TablesTest, AnAccuracyWithMirrorImagesIsANote) {
  LabRecords lab = SmallLab();
  const proto::Table plain = TableOf(lab, "Loss and accuracy per epoch");
  lab.sweeps[0].points[0].mutable_epoch(1)->set_mirrored_test_accuracy(0.51);
  const proto::Table table = TableOf(lab, "Loss and accuracy per epoch");
  EXPECT_THAT(
      table.note(),
      Contains("Test accuracy with mirror images, batch 32, epoch 2: 51.00 % of the whole test set, by the mean "
               "of the logits of each image and its mirror image (measured). All other accuracies are of the "
               "plain images."));
  EXPECT_THAT(RowOf(table, 1), ElementsAreArray(RowOf(plain, 1)));
}

TEST(TablesTest, OfManyEpochsTheFirstAndTheLastAreShown) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].points.resize(1);
  for (uint32_t epoch = 2; epoch < 200; ++epoch) {
    lab.sweeps[0].points[0].add_epoch()->set_epoch(epoch);
  }
  const proto::Table table = TableOf(lab, "Loss and accuracy per epoch");
  EXPECT_EQ(table.row_size(), 12);
  EXPECT_EQ(RowOf(table, 11)[1], "200");
}

TEST(TablesTest, WithoutRecordsEveryTableReportsWhatIsMissing) {
  for (const proto::Section& section : BuildSections(LabRecords())) {
    for (const proto::Table& table : section.table()) {
      EXPECT_THAT(table.absent_reason(), Not(IsEmpty())) << table.caption();
    }
  }
}

TEST(TablesTest, PlotsStandInTheirSections) {
  const std::vector<proto::Section> sections = BuildSections(SmallLab());
  EXPECT_EQ(SectionOf(sections, "sweep").plot(0).id(), "epoch_time");
  EXPECT_EQ(SectionOf(sections, "scaling").plot(0).id(), "speedup");
  EXPECT_EQ(SectionOf(sections, "communication").plot(0).id(), "split");
  ASSERT_EQ(SectionOf(sections, "prediction").plot_size(), 2);
  const proto::Plot& predicted = SectionOf(sections, "prediction").plot(0);
  EXPECT_EQ(predicted.id(), "predicted");
  ASSERT_EQ(predicted.series_size(), 1);
  EXPECT_NEAR(predicted.series(0).y(0), -4, 1e-9);  // 2.4 s predicted, 2.5 s measured
  EXPECT_EQ(predicted.mark(0).x(), 0);
  EXPECT_EQ(SectionOf(sections, "prediction").plot(1).id(), "what_if");
}

TEST(TablesTest, RecordsAreNamedWithTheirDigest) {
  const proto::Table table = TableOf(SmallLab(), "What this report was made from");
  EXPECT_EQ(table.row_size(), 6);
  EXPECT_THAT(RowOf(table, 1), ElementsAre("sweep.rec", "A", "train_sweep", "0.1.0, commit 0123456789ab, opt", "7",
                                           "2026-11-21T10:00:00Z", "digest of sweep.rec", "12,345"));
}

TEST(TablesTest, CommandsCanBePastedIntoAShellOfToday) {
  LabRecords lab = SmallLab();
  EXPECT_TRUE(TableOf(lab, "The commands").note().empty());
  auto& words = *lab.sweeps[0].header.mutable_command_line();
  words.Clear();
  for (const char* word : {"train_sweep", "--batch=32", "--rows=a; b"}) {
    *words.Add() = word;
  }
  lab.sweeps[0].end.set_reason(proto::END_MAX_BATCH);
  lab.sweeps[0].end.set_detail("all batches of --batch were tried");
  const proto::Table table = TableOf(lab, "The commands");
  std::vector<std::string> commands;
  for (const proto::Row& row : table.row()) {
    commands.push_back(row.cell(1).text());
  }
  EXPECT_THAT(commands, Contains("train_sweep --batch_size=32 '--rows=a; b'"));
  EXPECT_THAT(table.note(), ElementsAre("Commands of older records have the present names of their flags."));
  EXPECT_THAT(TableOf(lab, "Q1: epoch time against batch size").note(),
              Contains(HasSubstr("all batches of --batch_size were tried")));
}

TEST(TablesTest, RunsHaveTheirLettersWhereverRecordsAreListed) {
  const proto::Table records = TableOf(SmallLab(), "What this report was made from");
  EXPECT_THAT(RowOf(records, 0)[1], HasSubstr("not a measuring run"));  // dataset.rec
  EXPECT_EQ(RowOf(TableOf(SmallLab(), "Machine and conditions of each measurement"), 1)[1], "B");
}

TEST(TablesTest, MethodsAreThoseOfTheQuantitiesOnThePage) {
  const auto quantities = [](const LabRecords& lab) {
    const proto::Table table = TableOf(lab, "How each quantity was obtained");
    std::vector<std::string> names;
    for (const proto::Row& row : table.row()) {
      names.push_back(row.cell(0).text());
    }
    return names;
  };
  EXPECT_THAT(quantities(SmallLab()),
              ElementsAre("epoch", "epoch without loading", "single steps", "clocks and power", "speed-up",
                          "waiting for communication", "compute and comm", "prediction", "accuracy in int8"));
  LabRecords lab = SmallLab();
  lab.comm_models.clear();
  lab.quantized.clear();
  EXPECT_THAT(quantities(lab), ElementsAre("epoch", "epoch without loading", "single steps", "clocks and power"));
}

}  // namespace
}  // namespace lockstep
