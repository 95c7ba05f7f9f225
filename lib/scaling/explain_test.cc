#include "lib/scaling/explain.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/scaling/scale_parts.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

template <typename Records>
Records Parse(const std::vector<std::string>& texts) {
  Records file;
  for (const std::string& text : texts) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &file.records.emplace_back())) << text;
  }
  return file;
}

const char kTraining[] = "training { model: 'resnet18' device: CPU precision: FP32 seed: 1 }";

// 1000 parameters of 4 bytes; 100 steps on one device, 50 on two.
std::string Spec(const std::string& more = "mode: DDP") {
  return "spec { " + more + " " + kTraining +
         " model { parameter_count: 1000 gradient_bytes: 4000 training_images: 3200 } }";
}

std::string Point(const std::string& fields) { return "point { outcome: COMPLETED " + fields + " }"; }

std::string Plain32() {
  return Point(
      "ranks: 1 batch_per_device: 32 reduction: PLAIN steps_per_epoch: 100 "
      "epoch_seconds { value: [11, 13] } step_seconds { value: [10, 10] }");
}

std::string Plain64() {
  return Point(
      "ranks: 1 batch_per_device: 64 reduction: PLAIN steps_per_epoch: 50 "
      "epoch_seconds { value: 10 } step_seconds { value: 9 }");
}

std::string Reduced2(const std::string& more = "") {
  return Point(
      "ranks: 2 batch_per_device: 32 reduction: ALL_REDUCE steps_per_epoch: 50 "
      "epoch_seconds { value: [7, 9] } step_seconds { value: [6, 8] } timing_method: 'steady clock' "
      "exposed_seconds { value: [1, 2] } collective_busy_seconds { value: [4, 4] } "
      "collective_wait_seconds { absent_reason: 'needs two clocks' } "
      "probe { size_bytes: 4000 seconds { value: [0.0001] } } " +
      more);
}

std::string Ablated2() {
  return Point(
      "ranks: 2 batch_per_device: 32 reduction: ABLATED steps_per_epoch: 50 "
      "epoch_seconds { value: 6.5 } step_seconds { value: 5.5 }");
}

std::vector<proto::ScalingRow> Explain(const ScaleRecords& scale, const SweepRecords* sweep = nullptr,
                                       double nominal_link = 0) {
  const auto spec = MakeCommModelSpec(scale, nominal_link);
  EXPECT_THAT(spec, IsOk());
  const auto rows = ExplainScaling(scale, sweep, *spec);
  EXPECT_THAT(rows, IsOk());
  return *rows;
}

void ExpectValue(const proto::Quantity& quantity, double value) {
  ASSERT_TRUE(quantity.has_value()) << quantity.absent_reason();
  EXPECT_DOUBLE_EQ(quantity.value(), value);
  EXPECT_THAT(quantity.absent_reason(), IsEmpty());
  EXPECT_THAT(quantity.method(), Not(IsEmpty()));
}

void ExpectInterval(const proto::Quantity& quantity, double low, double high) {
  ASSERT_TRUE(quantity.has_low() && quantity.has_high()) << quantity.ShortDebugString();
  EXPECT_DOUBLE_EQ(quantity.low(), low);
  EXPECT_DOUBLE_EQ(quantity.high(), high);
}

void ExpectAbsent(const proto::Quantity& quantity, const std::string& reason) {
  EXPECT_FALSE(quantity.has_value());
  EXPECT_THAT(quantity.absent_reason(), HasSubstr(reason));
}

// The whole run: both base cases, two ranks, and the ablation.
ScaleRecords WholeRun() { return Parse<ScaleRecords>({Spec(), Plain32(), Plain64(), Reduced2(), Ablated2()}); }

TEST(ExplainTest, OneRowPerRanksAndBatch) {
  const auto rows = Explain(WholeRun());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2].ranks(), 2u);
  EXPECT_EQ(rows[2].batch_per_device(), 32u);
}

TEST(ExplainTest, SpeedupsUnderEachName) {
  const proto::ScalingRow row = Explain(WholeRun())[2];
  ExpectValue(row.epoch_seconds(), 8);
  ExpectValue(row.strong_speedup(), 10.0 / 8);  // E_1(64) / E_2(32)
  ExpectInterval(row.strong_speedup(), 10.0 / 9, 10.0 / 7);
  ExpectValue(row.epoch_speedup(), 12.0 / 8);  // E_1(32) / E_2(32)
  ExpectInterval(row.epoch_speedup(), 11.0 / 9, 13.0 / 7);
  ExpectValue(row.weak_speedup(), 2 * (10.0 / 100) / (7.0 / 50));
  EXPECT_THAT(row.strong_speedup().method(),
              HasSubstr("E_1(64)/E_2(32), base case: plain training on 1 device at batch 64"));
  EXPECT_THAT(row.weak_speedup().method(), HasSubstr("k_1 = 100, k_2 = 50"));
  ExpectValue(row.karp_flatt(), (8.0 / 10 - 0.5) / 0.5);
  EXPECT_FALSE(row.karp_flatt().has_low());
  EXPECT_THAT(row.karp_flatt().method(), HasSubstr("a side was measured once: no interval"));
  ExpectValue(row.gustafson_serial_fraction(), (2 - 2 * 0.1 / 0.14) / 1);
  EXPECT_EQ(row.epoch_seconds().provenance(), proto::MEASURED);
  EXPECT_EQ(row.strong_speedup().provenance(), proto::DERIVED);
}

// A point of joined records names their files (join_records.h). Its detail is about its outcome only.
TEST(ExplainTest, APointOfSeveralRecordsNamesThemInItsRowAndAsBaseCase) {
  ScaleRecords scale = WholeRun();
  scale.records[1].mutable_point()->add_pooled_file("two.rec");
  scale.records[1].mutable_point()->add_pooled_file("four.rec");
  scale.records[1].mutable_point()->set_detail("of the outcome");
  const auto rows = Explain(scale);
  EXPECT_THAT(rows[0].epoch_seconds().method(),
              HasSubstr("mean over timed epochs of two.rec and four.rec, data loading included"));
  EXPECT_THAT(rows[0].step_seconds().method(), HasSubstr("of two.rec and four.rec, without waiting for data"));
  EXPECT_THAT(rows[2].epoch_speedup().method(), HasSubstr("at batch 32 (scale records two.rec and four.rec)"));
  EXPECT_THAT(rows[2].strong_speedup().method(), HasSubstr("at batch 64 (scale record)"));
  EXPECT_THAT(rows[2].epoch_seconds().method(), HasSubstr("mean over timed epochs, data loading included"));
  EXPECT_THAT(rows[0].pooled_file(), ElementsAre("two.rec", "four.rec"));
  EXPECT_THAT(rows[2].pooled_file(), IsEmpty());
}

TEST(ExplainTest, ComputeAndCommunication) {
  const proto::ScalingRow row = Explain(WholeRun())[2];
  ExpectValue(row.compute_seconds(), 5);        // s_1 / 2
  ExpectValue(row.communication_seconds(), 2);  // 7 - 5
  ExpectInterval(row.communication_seconds(), 1, 3);
  ExpectValue(row.exposed_ablation_seconds(), 1.5);  // 7 - 5.5
  ExpectValue(row.other_seconds(), 0.5);             // 5.5 - 5
  ExpectValue(row.exposed_event_seconds(), 1.5);
  ExpectValue(row.overlap_fraction(), (0.75 + 0.5) / 2);
  ExpectValue(row.collective_busy_seconds(), 4);
  ExpectAbsent(row.collective_wait_seconds(), "needs two clocks");
  EXPECT_EQ(row.exposed_event_seconds().provenance(), proto::MEASURED);
  EXPECT_THAT(row.exposed_event_seconds().method(), HasSubstr("mean over timed epochs"));
}

TEST(ExplainTest, TheHandWrittenStepsCommunicationIsOfAnInstrumentedEpoch) {
  ScaleRecords run = WholeRun();
  for (proto::ScaleRecord& record : run.records) {
    if (record.has_point()) {
      record.mutable_point()->mutable_step_figures()->set_source("an instrumented epoch");
    }
  }
  const std::string method = Explain(run)[2].exposed_event_seconds().method();
  EXPECT_THAT(method, HasSubstr("of an instrumented epoch"));
}

TEST(ExplainTest, BandwidthAndUtilization) {
  const proto::ScalingRow row = Explain(WholeRun(), nullptr, 1e6)[2];
  ExpectValue(row.bytes_per_step(), 4000);
  ExpectValue(row.steps_per_epoch(), 50);
  ExpectValue(row.bandwidth_bytes_per_second(), 4000.0 * 50 / 2);
  ExpectInterval(row.bandwidth_bytes_per_second(), 4000.0 * 50 / 3, 4000.0 * 50 / 1);
  ExpectValue(row.measured_link_bytes_per_second(), 4000 / 0.0001);  // 2(N-1)/N = 1
  ExpectValue(row.utilization_of_measured(), 100'000 / 4e7);
  ExpectValue(row.utilization_of_nominal(), 0.1);
  ExpectValue(row.busy_bandwidth_bytes_per_second(), 4000.0 * 50 / 4);
  ExpectValue(row.busy_utilization_of_measured(), 50'000 / 4e7);
}

// A probe of 0.05 s measures 80,000 bytes/s. The subtraction leaves 2 s, because most of the communication was hidden.
TEST(ExplainTest, ABandwidthAboveTheLinkIsBlankAndTheOneWhileAllReducesRanIsThere) {
  ScaleRecords run = WholeRun();
  for (proto::ScaleRecord& record : run.records) {
    if (record.point().has_probe()) {
      record.mutable_point()->mutable_probe()->mutable_seconds()->set_value(0, 0.05);
    }
  }
  const proto::ScalingRow row = Explain(run, nullptr, 1e6)[2];
  ExpectValue(row.measured_link_bytes_per_second(), 80'000);
  ExpectAbsent(row.bandwidth_bytes_per_second(), "would exceed the measured link");
  ExpectAbsent(row.utilization_of_measured(), "would exceed the measured link");
  ExpectAbsent(row.utilization_of_nominal(), "would exceed the measured link");
  ExpectValue(row.busy_bandwidth_bytes_per_second(), 50'000);
  ExpectValue(row.busy_utilization_of_measured(), 0.625);
}

// Two batches whose probes differ: one probe was disturbed.
TEST(ExplainTest, TheOrderOfTheBatchesChangesNothing) {
  const std::string slow = Reduced2();
  const std::string fast = Point(
      "ranks: 2 batch_per_device: 64 reduction: ALL_REDUCE steps_per_epoch: 25 epoch_seconds { value: 7 } "
      "step_seconds { value: 6 } probe { size_bytes: 4000 seconds { value: [0.00007, 0.00007, 0.00008] } }");
  const auto one = Explain(Parse<ScaleRecords>({Spec(), Plain32(), Plain64(), slow, fast}));
  const auto other = Explain(Parse<ScaleRecords>({Spec(), Plain32(), Plain64(), fast, slow}));
  EXPECT_EQ(one[2].SerializeAsString(), other[3].SerializeAsString());
  EXPECT_EQ(one[3].SerializeAsString(), other[2].SerializeAsString());
  EXPECT_DOUBLE_EQ(one[2].measured_link_bytes_per_second().value(), 4000 / 0.000075);
}

TEST(ExplainTest, TheBaseRowIsOneDevice) {
  const auto rows = Explain(Parse<ScaleRecords>(
      {Spec(), Plain32(),
       Point("ranks: 1 batch_per_device: 32 reduction: ALL_REDUCE steps_per_epoch: 100 epoch_seconds { value: 13 } "
             "step_seconds { value: 10.25 }")}));
  ASSERT_EQ(rows.size(), 1u);
  ExpectValue(rows[0].epoch_speedup(), 1);
  ExpectValue(rows[0].weak_speedup(), 1);
  ExpectValue(rows[0].strong_speedup(), 1);
  ExpectValue(rows[0].reducer_seconds(), 0.25);
  ExpectAbsent(rows[0].communication_seconds(), "one device sends nothing");
  ExpectAbsent(rows[0].karp_flatt(), "one device");
}

TEST(ExplainTest, ANegativeCommunicationIsKeptAndReported) {
  const auto rows = Explain(Parse<ScaleRecords>(
      {Spec(), Plain32(),
       Point("ranks: 2 batch_per_device: 32 reduction: ALL_REDUCE steps_per_epoch: 50 epoch_seconds { value: 5 } "
             "step_seconds { value: 4 }")}));
  ExpectValue(rows[1].communication_seconds(), -1);
  EXPECT_THAT(rows[1].communication_seconds().method(), HasSubstr("negative, and not clamped"));
  ExpectAbsent(rows[1].bandwidth_bytes_per_second(), "T_comm is -1 s");
  ExpectAbsent(rows[1].utilization_of_measured(), "needs the bandwidth");
}

TEST(ExplainTest, WhatIsMissingIsAbsentWithItsReason) {
  const auto rows = Explain(Parse<ScaleRecords>({Spec(), Reduced2()}));
  ASSERT_EQ(rows.size(), 1u);
  ExpectAbsent(rows[0].strong_speedup(),
               "E_1(64) is missing: the scale record has no plain point of 1 device at batch "
               "64, and no sweep record was given");
  ExpectAbsent(rows[0].epoch_speedup(), "E_1(32)");
  ExpectAbsent(rows[0].communication_seconds(), "s_1(32)");
  ExpectAbsent(rows[0].exposed_ablation_seconds(), "without all-reduce is not in the record");
  ExpectAbsent(rows[0].bandwidth_bytes_per_second(), "needs T_comm");
  ExpectAbsent(rows[0].utilization_of_nominal(), "");
  ExpectValue(rows[0].bytes_per_step(), 4000);
}

TEST(ExplainTest, ABaseCaseThatFailedGivesItsOutcomeAsTheReason) {
  const auto rows = Explain(Parse<ScaleRecords>(
      {Spec(), Plain32(),
       "point { ranks: 1 batch_per_device: 64 reduction: PLAIN outcome: OUT_OF_MEMORY detail: '8 GiB' }", Reduced2()}));
  ExpectAbsent(rows[2].strong_speedup(), "OUT_OF_MEMORY: 8 GiB");
  ExpectAbsent(rows[1].epoch_seconds(), "OUT_OF_MEMORY: 8 GiB");  // reason in its own row
}

TEST(ExplainTest, TheSerialFractionHasAnIntervalWhereBothSidesWereRepeated) {
  const std::string plain64 = Point(
      "ranks: 1 batch_per_device: 64 reduction: PLAIN steps_per_epoch: 50 "
      "epoch_seconds { value: [9.9, 10.1] } step_seconds { value: 9 }");
  const proto::ScalingRow row = Explain(Parse<ScaleRecords>({Spec(), plain64, Reduced2()}))[1];
  ExpectValue(row.karp_flatt(), (8.0 / 10 - 0.5) / 0.5);
  EXPECT_LT(row.karp_flatt().low(), row.karp_flatt().value());
  EXPECT_GT(row.karp_flatt().high(), row.karp_flatt().value());
  EXPECT_THAT(row.karp_flatt().method(), HasSubstr("95 %, Student's t"));
}

TEST(ExplainTest, OneEpochHasNoInterval) {
  const auto rows = Explain(Parse<ScaleRecords>({Spec(), Plain64()}));
  EXPECT_FALSE(rows[0].epoch_seconds().has_low());
  EXPECT_THAT(rows[0].epoch_seconds().method(), HasSubstr("measured once"));
}

// 64 images of 12,288 bytes and outputs of 40 bytes. Device 0 sends 4,000 bytes of parameters, half the images and half
// the outputs' gradients; it receives 4,000 bytes of gradients and half the outputs. 50 steps in 2 s.
TEST(ExplainTest, DataParallelIsAStarAndNoAllReduce) {
  const auto rows = Explain(Parse<ScaleRecords>({Spec("mode: DP"), Plain32(), Reduced2()}));
  const double bytes = (4000 + 32 * 12288 + 32 * 40) + (4000 + 32 * 40);
  ExpectValue(rows[1].bytes_per_step(), bytes);
  EXPECT_THAT(rows[1].bytes_per_step().method(), HasSubstr("DataParallel, no all-reduce"));
  ExpectValue(rows[1].bandwidth_bytes_per_second(), bytes * 50 / 2);
  ExpectValue(rows[1].communication_seconds(), 2);
}

// Gradients that are sent in bf16 have half as many bytes.
TEST(ExplainTest, BytesAreThoseThatAreSent) {
  const auto fp32 = Explain(Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()}));
  ExpectValue(fp32[1].bytes_per_step(), 4000);
  const auto bf16 =
      Explain(Parse<ScaleRecords>({Spec("mode: DDP gradient_compression: 'bf16'"), Plain32(), Reduced2()}));
  ExpectValue(bf16[1].bytes_per_step(), 2000);
}

std::string Four(const std::string& fields) {
  return Point(
      "ranks: 4 batch_per_device: 32 reduction: ALL_REDUCE steps_per_epoch: 25 epoch_seconds { value: 4 } "
      "step_seconds { value: 3 } " +
      fields);
}

// From three ranks on, whole copies send more bytes than an all-reduce.
TEST(ExplainTest, BytesAreThoseThatTheReducerSends) {
  for (const auto& [reducer, bytes] : {std::pair<const char*, double>{"own", 1.5 * 4000},
                                       {"c10d", 1.5 * 4000},
                                       {"peer", 3 * 4000},
                                       {"peer_sharded", 750 * (4 + 2)}}) {
    const std::string spec = absl::StrCat("mode: DDP reducer: '", reducer, "'");
    const auto rows = Explain(Parse<ScaleRecords>({Spec(spec), Plain32(), Four("")}));
    ExpectValue(rows[1].bytes_per_step(), bytes);
  }
}

// Over two hosts, each of two ranks sends its half of the gradient to its counterpart. On one host, gradients and sums
// are copied.
TEST(ExplainTest, OverHostsOnlyBytesBetweenHostsCount) {
  for (const auto& [spec, bytes] : {std::pair<const char*, double>{"virtual_host: [0, 0, 1, 1]", 500 * 4},
                                    {"launch { host: ['a', 'a', 'b', 'b'] }", 500 * 4},
                                    {"", 750 * (4 + 4)}}) {  // one host; fp32 weights are not shared
    const auto rows = Explain(
        Parse<ScaleRecords>({Spec(absl::StrCat("mode: DDP reducer: 'hierarchical' ", spec)), Plain32(), Four("")}));
    ExpectValue(rows[1].bytes_per_step(), bytes);
  }
}

ScaleRecords ReadRun(const std::string& path) {
  proto::ScaleFile file;
  EXPECT_TRUE(file.ParseFromString(testing::ReadFile(path))) << path;
  ScaleRecords run;
  run.records.assign(file.record().begin(), file.record().end());
  return run;
}

// Compares the formula of each reducer with the gradients that a rank hands over in a step, times the reducer's factor.
// Batch norm's gradients are sent in fp32, which the formula ignores.
TEST(ExplainTest, FormulasAgreeWithTheCountedTraffic) {
  std::set<std::string> reducers;
  for (const char* name : {"2026-11-25-h100x2-sharded/exchange.rec", "2026-11-26-h100x4-scored/four.rec"}) {
    const auto parts = SplitScaleRecords(ReadRun(absl::StrCat("benchmarks/results/", name)));
    ASSERT_THAT(parts, IsOk());
    for (const ScaleRecords& part : *parts) {
      const auto rows = Explain(part);
      for (const proto::ScaleRecord& record : part.records) {
        const proto::ScalePoint& point = record.point();
        for (const proto::Traffic& traffic : point.traffic()) {
          if (point.ranks() == 1 || point.reduction() != proto::ALL_REDUCE || traffic.kind() != "gradients") {
            continue;
          }
          const double n = point.ranks();
          const double times = point.reducer() == "peer" ? n - 1 : 2 * (n - 1) / n;
          const double counted = static_cast<double>(traffic.size_bytes()) / static_cast<double>(traffic.steps());
          const auto row = std::find_if(rows.begin(), rows.end(), [&](const proto::ScalingRow& one) {
            return one.ranks() == point.ranks() && one.batch_per_device() == point.batch_per_device();
          });
          ASSERT_NE(row, rows.end());
          EXPECT_NEAR(row->bytes_per_step().value() / (times * counted), 1, 1e-3) << point.reducer();
          reducers.insert(point.reducer());
        }
      }
    }
  }
  EXPECT_THAT(reducers, ElementsAre("own", "peer", "peer_sharded"));
}

SweepRecords Sweep(const std::string& training = kTraining) {
  return Parse<SweepRecords>(
      {"spec { " + training + " model { training_images: 3200 } }",
       "point { batch_size: 64 outcome: COMPLETED steps_per_epoch: 50 epoch_seconds { value: 10 } "
       "step_seconds { value: 9 } }"});
}

TEST(ExplainTest, ASweepAddsBaseCases) {
  const SweepRecords sweep = Sweep("training { model: 'resnet18' device: CPU precision: FP32 seed: 2 repeats: 9 }");
  const auto rows = Explain(Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()}), &sweep);
  ExpectValue(rows[1].strong_speedup(), 10.0 / 8);
  EXPECT_THAT(rows[1].strong_speedup().method(), HasSubstr("(sweep record, not known to be of the same machine)"));
  EXPECT_TRUE(IsOfUnknownMachine(rows[1].strong_speedup()));
  EXPECT_FALSE(IsOfUnknownMachine(rows[1].epoch_speedup()));  // its base case is in the record itself
}

TEST(ExplainTest, ASpeedupNamesTheSourceOfItsBaseCase) {
  ScaleRecords run = Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()});
  SweepRecords sweep = Sweep();
  const auto source = [&] { return SourceOfBaseCase(Explain(run, &sweep)[1].strong_speedup()); };
  EXPECT_EQ(source(), BaseCaseSource::kSweepOfUnknownMachine);
  run.header.mutable_host()->set_name_sha256("a");
  sweep.header.mutable_host()->set_name_sha256("a");
  EXPECT_EQ(source(), BaseCaseSource::kSweepRecord);
  EXPECT_EQ(SourceOfBaseCase(Explain(run, &sweep)[1].epoch_speedup()), BaseCaseSource::kScaleRecord);
  sweep.header.mutable_host()->set_name_sha256("b");
  EXPECT_EQ(source(), BaseCaseSource::kNone);  // refused
}

// GPUs and hosts with equal names, such as those of virtual machines, are distinguished by the GPUs' UUIDs.
TEST(ExplainTest, ABaseCaseOfAnotherGpuIsRefused) {
  const std::string on_gpu = "training { model: 'resnet18' device: CUDA precision: FP32 }";
  ScaleRecords run = Parse<ScaleRecords>(
      {"spec { mode: DDP " + on_gpu + " model { parameter_count: 1000 gradient_bytes: 4000 training_images: 3200 } }",
       Plain32(), Reduced2()});
  SweepRecords sweep = Sweep(on_gpu);
  for (proto::Header* header : {&run.header, &sweep.header}) {
    header->mutable_host()->set_name_sha256("a name that all have");
    header->add_device()->set_name("NVIDIA H200");
  }
  run.header.add_device()->set_name("NVIDIA H200");
  const auto speedup = [&] { return Explain(run, &sweep)[1].strong_speedup(); };
  EXPECT_TRUE(IsOfUnknownMachine(speedup()));  // an older record without UUIDs
  run.header.mutable_device(0)->set_uuid_sha256("first");
  run.header.mutable_device(1)->set_uuid_sha256("second");
  sweep.header.mutable_device(0)->set_uuid_sha256("second");
  EXPECT_TRUE(speedup().has_value());
  EXPECT_FALSE(IsOfUnknownMachine(speedup()));
  sweep.header.mutable_device(0)->set_uuid_sha256("third");
  ExpectAbsent(speedup(), "a GPU that the scaling run did not use");
}

TEST(ExplainTest, ABaseCaseOfAnotherHostIsRefused) {
  ScaleRecords run = Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()});
  SweepRecords sweep = Sweep();
  run.header.mutable_host()->set_name_sha256("a");
  sweep.header.mutable_host()->set_name_sha256("a");
  EXPECT_FALSE(IsOfUnknownMachine(Explain(run, &sweep)[1].strong_speedup()));
  EXPECT_THAT(Explain(run, &sweep)[1].strong_speedup().method(), HasSubstr("(sweep record)"));
  sweep.header.mutable_host()->set_name_sha256("b");
  ExpectAbsent(Explain(run, &sweep)[1].strong_speedup(), "measured on another host");
}

// scale_run does not record the step, which is LibTorch's; train_sweep does.
TEST(ExplainTest, ASweepThatNamesTheSameStepIsUsed) {
  const SweepRecords sweep = Sweep("training { model: 'resnet18' device: CPU precision: FP32 seed: 2 step: AUTOGRAD }");
  const auto rows = Explain(Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()}), &sweep);
  ExpectValue(rows[1].strong_speedup(), 10.0 / 8);
  const SweepRecords other = Sweep("training { model: 'resnet18' device: CPU precision: FP32 seed: 2 step: FUSED }");
  ExpectAbsent(Explain(Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()}), &other)[1].strong_speedup(),
               "step fused instead of autograd");
}

// A sweep records each switch that is off; scale_run does not.
TEST(ExplainTest, ASwitchThatIsOffIsNoOtherSetting) {
  const std::string training = "training { model: 'resnet18' device: CPU precision: FP32 seed: 2 fused_sums: false ";
  const SweepRecords off = Sweep(training + "channels_last: false }");
  ExpectValue(Explain(Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()}), &off)[1].strong_speedup(), 10.0 / 8);
  const SweepRecords on = Sweep(training + "channels_last: true }");
  ExpectAbsent(Explain(Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()}), &on)[1].strong_speedup(),
               "channels_last true instead of false");
}

TEST(ExplainTest, ARowNamesTheRunsOfItsTwoTimes) {
  const std::string earlier = "earlier_run: '2026-11-23T09:00:00Z'";
  ScaleRecords run = Parse<ScaleRecords>({Spec(), Plain32(), Reduced2(earlier)});
  run.header.set_start_time("2026-11-24T10:30:00Z");
  EXPECT_THAT(Explain(run)[0].run_start(), IsEmpty());
  EXPECT_THAT(Explain(run)[1].run_start(), ElementsAre("2026-11-24T10:30:00Z", "2026-11-23T09:00:00Z"));
  run.records[2].mutable_point()->clear_earlier_run();
  EXPECT_THAT(Explain(run)[1].run_start(), IsEmpty());
}

// A sweep is always another run; its times are in doubt if the program has changed since.
TEST(ExplainTest, ASweepOfAnotherCommitIsAnotherRun) {
  ScaleRecords run = Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()});
  run.header.set_start_time("2026-11-24T10:30:00Z");
  run.header.mutable_build()->set_git_commit("a");
  SweepRecords sweep = Sweep();
  sweep.header.set_start_time("2026-11-23T09:00:00Z");
  for (const char* commit : {"a", "", "unknown"}) {
    sweep.header.mutable_build()->set_git_commit(commit);
    ExpectValue(Explain(run, &sweep)[1].strong_speedup(), 10.0 / 8);
    EXPECT_THAT(Explain(run, &sweep)[1].run_start(), IsEmpty()) << commit;
  }
  sweep.header.mutable_build()->set_git_commit("b");
  EXPECT_THAT(Explain(run, &sweep)[1].run_start(), ElementsAre("2026-11-23T09:00:00Z", "2026-11-24T10:30:00Z"));
}

// No epoch's time contains the evaluation.
TEST(ExplainTest, AnotherEvaluationIsNoOtherSetting) {
  const SweepRecords sweep = Sweep("training { model: 'resnet18' device: CPU precision: FP32 evaluation: FUSED }");
  ExpectValue(Explain(Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()}), &sweep)[1].strong_speedup(), 10.0 / 8);
}

TEST(ExplainTest, ASweepOfOtherSettingsIsNotUsed) {
  const SweepRecords sweep = Sweep("training { model: 'resnet18' device: CPU precision: BF16 }");
  const auto rows = Explain(Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()}), &sweep);
  ExpectAbsent(rows[1].strong_speedup(), "not comparable: precision bf16 instead of fp32");
}

TEST(ExplainTest, ASweepOfAnotherDeviceIsNotUsed) {
  SweepRecords sweep = Sweep();
  sweep.header.add_device()->set_name("NVIDIA H200");
  const auto rows = Explain(Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()}), &sweep);
  ExpectAbsent(rows[1].strong_speedup(), "device 'NVIDIA H200'");
}

TEST(ExplainTest, APointThatCannotHaveRunIsRefused) {
  for (const char* sizes :
       {"ranks: 0 batch_per_device: 32", "ranks: 2 batch_per_device: 0", "ranks: 65536 batch_per_device: 65536"}) {
    const std::string point = absl::StrCat("point { reduction: ALL_REDUCE outcome: COMPLETED ", sizes,
                                           " epoch_seconds { value: 1 } step_seconds { value: 1 } }");
    EXPECT_THAT(ExplainScaling(Parse<ScaleRecords>({Spec(), point}), nullptr, proto::CommModelSpec()),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("at least 1")));
  }
}

TEST(ExplainTest, AModelBeyondAllCountingHasNoBytesPerStep) {
  proto::CommModelSpec spec;
  spec.set_parameter_count(uint64_t{1} << 62);
  spec.set_gradient_bytes(uint64_t{1} << 62);
  const auto rows = ExplainScaling(Parse<ScaleRecords>({Spec(), Plain32(), Reduced2()}), nullptr, spec);
  ASSERT_THAT(rows, IsOk());
  ExpectAbsent((*rows)[1].bytes_per_step(), "no model has");
}

TEST(ExplainTest, ARecordWithoutSpecOrPointsIsRefused) {
  EXPECT_THAT(MakeCommModelSpec(Parse<ScaleRecords>({Plain32()}), 0),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("ScaleSpec")));
  EXPECT_THAT(ExplainScaling(Parse<ScaleRecords>({Spec()}), nullptr, proto::CommModelSpec()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("points")));
}

}  // namespace
}  // namespace lockstep
