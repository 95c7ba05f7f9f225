#include "lib/warnings/warnings.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallLab;
using ::lockstep::testing::SmallLargeBatch;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(WarningsTest, AGoodLabHasNone) { EXPECT_THAT(Warnings(SmallLab()), IsEmpty()); }

TEST(WarningsTest, SyntheticImages) {
  LabRecords lab = SmallLab();
  for (proto::DatasetInfo& info : lab.datasets[0].info) {
    info.set_official(false);
    info.set_input_format(proto::SYNTHETIC);
  }
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("SYNTHETIC IMAGES")));
}

TEST(WarningsTest, APartOfTheDataSet) {
  LabRecords lab = SmallLab();
  lab.datasets[0].info[0].set_official(false);
  lab.datasets[0].info[0].set_note("5,000 of 50,000 images");
  EXPECT_THAT(Warnings(lab), ElementsAre(AllOf(HasSubstr("Not the official images of a published set"),
                                               HasSubstr("5,000 of 50,000"))));
}

TEST(WarningsTest, AnUnknownDataSet) {
  LabRecords lab = SmallLab();
  lab.datasets.clear();
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("not known")));
}

TEST(WarningsTest, PublishedTimesNeedNoDataSet) {
  LabRecords lab;
  LabCommModel& file = lab.comm_models.emplace_back();
  file.header = SmallLab().comm_models.front().header;
  file.published_times.emplace_back();
  EXPECT_THAT(Warnings(lab), IsEmpty());
}

TEST(WarningsTest, AnUnoptimisedBuild) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].header.mutable_build()->set_compilation_mode("unoptimised");
  EXPECT_THAT(Warnings(lab), ElementsAre(AllOf(HasSubstr("without optimisation"), HasSubstr("sweep.rec"))));
}

TEST(WarningsTest, ABuildThatNoCommitDescribes) {
  LabRecords lab = SmallLab();
  lab.scales[0].header.mutable_build()->set_git_dirty(true);
  lab.quantized[0].header.mutable_build()->set_git_commit("unknown");
  EXPECT_THAT(Warnings(lab),
              ElementsAre(AllOf(HasSubstr("no commit describes"), HasSubstr("scale.rec, quantized.rec"))));
}

TEST(WarningsTest, AnAssumedNormalization) {
  LabRecords lab = SmallLab();
  lab.quantized[0].networks[0].set_normalization_source("assumed");
  EXPECT_THAT(Warnings(lab), ElementsAre(AllOf(HasSubstr("is assumed (quantized.rec)"), HasSubstr("--normalization"))));
}

TEST(WarningsTest, AnAssumedNormalizationOfInitialWeights) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].spec.mutable_training()->mutable_normalization()->set_source("assumed");
  EXPECT_THAT(Warnings(lab), ElementsAre(AllOf(HasSubstr("initial weights is assumed (sweep.rec)"),
                                               HasSubstr("train_sweep --normalization"))));
}

TEST(WarningsTest, ARunThatEndedEarly) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].trailer.set_exit_status(5);
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("sweep.rec (exit status 5)")));
}

TEST(WarningsTest, AJsonThatWasChanged) {
  LabRecords lab = SmallLab();
  lab.scales[0].changed = 2;
  EXPECT_THAT(Warnings(lab), ElementsAre(AllOf(HasSubstr("checksum differs"), HasSubstr("scale.rec (2)"))));
}

TEST(WarningsTest, OneTimedEpoch) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].points[0].mutable_epoch_seconds()->mutable_value()->Truncate(1);
  EXPECT_THAT(Warnings(lab), ElementsAre(AllOf(HasSubstr("One timed epoch only"), HasSubstr("sweep.rec"))));
}

TEST(WarningsTest, OneTimedEpochHasTheCommandOfEachRecord) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].header.clear_command_line();
  lab.sweeps[0].header.add_command_line("train_sweep");
  for (proto::SweepPoint& point : lab.sweeps[0].points) {
    if (point.epoch_seconds().value_size() > 1) {
      point.mutable_epoch_seconds()->mutable_value()->Truncate(1);
    }
  }
  ASSERT_EQ(NamedWarnings(lab).size(), 1u);
  EXPECT_THAT(NamedWarnings(lab)[0].commands, ElementsAre("train_sweep --repeats=5 --force"));
}

TEST(WarningsTest, AThrottledDevice) {
  LabRecords lab = SmallLab();
  lab.scales[0].points[3].mutable_rank(1)->mutable_device_state()->add_throttle_reason("SW power cap");
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("throttled (SW power cap) at points of scale.rec")));
}

TEST(WarningsTest, ADeviceThatWasThrottledOnTheWay) {
  LabRecords lab = SmallLab();
  proto::ThrottleCount throttle;
  throttle.set_reason("hw_slowdown");
  throttle.set_readings(1);
  *lab.sweeps[0].points[0].mutable_device_watch()->add_throttle() = throttle;
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("throttled (hw_slowdown) at points of sweep.rec.")));
  *lab.scales[0].points[3].mutable_rank(1)->mutable_device_watch()->add_throttle() = throttle;
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("throttled (hw_slowdown) at points of scale.rec, sweep.rec.")));
}

TEST(WarningsTest, ANoisyMachine) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].points[0].add_noise_warning("timed epochs differ by 20 %");
  lab.scales[0].points[3].add_noise_warning("rank 1: 1 other process is on the GPU");
  EXPECT_THAT(Warnings(lab), ElementsAre(AllOf(HasSubstr("sweep.rec, batch "), HasSubstr("differ by 20 %.")),
                                         AllOf(HasSubstr("scale.rec, "), HasSubstr("rank 1: 1 other process"))));
}

TEST(WarningsTest, ANoisyPointOfOneRank) {
  LabRecords lab = SmallLab();
  lab.scales[0].points[0].add_noise_warning("timed epochs differ by 20 %");
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("scale.rec, 1 rank, batch 32 per device: timed epochs differ")));
}

TEST(PageWarningsTest, NoiseComesLastAndIsCounted) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].points[0].add_noise_warning("timed epochs differ by 20 %");
  lab.scales[0].points[2].add_noise_warning("timed epochs differ by 30 %");
  lab.scales[0].points[3].add_noise_warning("rank 1: 1 other process is on the GPU");
  lab.scales[0].points[3].mutable_sum_check()->set_passed(false);
  EXPECT_THAT(PageWarnings(lab),
              ElementsAre(HasSubstr("SUM CHECK FAILED"), HasSubstr("differ by 20 %."),
                          "Measured on a noisy machine: 2 more points, listed in \"Machine and conditions of each "
                          "measurement\"."));
}

TEST(WarningsTest, AFailedSumCheck) {
  LabRecords lab = SmallLab();
  lab.scales[0].points[3].mutable_sum_check()->set_passed(false);
  EXPECT_THAT(Warnings(lab), ElementsAre(AllOf(HasSubstr("SUM CHECK FAILED"), HasSubstr("2 ranks, batch 32"))));
}

TEST(WarningsTest, ASumCheckThatWasNotMadeHasNotFailed) {
  LabRecords lab = SmallLab();
  lab.scales[0].points[3].mutable_sum_check()->set_passed(false);
  lab.scales[0].points[3].mutable_sum_check()->set_absent_reason("one device");
  EXPECT_THAT(Warnings(lab), IsEmpty());
}

TEST(WarningsTest, RanksThatShareACpu) {
  LabRecords lab = SmallLab();
  lab.scales[0].spec.mutable_training()->set_device(proto::CPU);
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("share one machine's CPU")));
}

TEST(WarningsTest, ExperimentsAreCheckedAndRepeatSeeds) {
  LabRecords lab = SmallLab();
  lab.scales.push_back(SmallLargeBatch());
  for (proto::ScalePoint& point : lab.scales[1].points) {
    point.mutable_epoch_seconds()->add_value(2);
  }
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("large.rec that lack a seed")));
}

TEST(WarningsTest, TwoMachines) {
  LabRecords lab = SmallLab();
  lab.scales[0].header.mutable_host()->set_name_sha256("another");
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("different machines")));
}

// Virtual machines may share a name; GPUs do not share a UUID.
TEST(WarningsTest, TwoMachinesOfOneName) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].header.mutable_device(0)->set_uuid_sha256("first");
  lab.scales[0].header.mutable_device(0)->set_uuid_sha256("second");
  lab.scales[0].header.mutable_device(1)->set_uuid_sha256("first");
  EXPECT_THAT(Warnings(lab), IsEmpty());
  lab.scales[0].header.mutable_device(1)->set_uuid_sha256("third");
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("different machines or devices")));
}

// An older comm_model used the sweep of another GPU of the same name.
TEST(WarningsTest, VirtualHostsAreNoNetwork) {
  LabRecords lab = SmallLab();
  for (const uint32_t host : {0, 0, 1, 1}) {
    lab.scales[0].spec.add_virtual_host(host);
  }
  const std::vector<Warning> warnings = NamedWarnings(lab);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].rule, "virtual_hosts");
  EXPECT_EQ(
      warnings[0].text,
      "scale.rec was measured on 2 virtual hosts of 2 ranks of one machine: its times are not times of a network.");
}

TEST(WarningsTest, ABaseCaseOfAnotherMachine) {
  LabRecords lab = SmallLab();
  lab.sweeps[0].header.mutable_device(0)->set_uuid_sha256("first");
  lab.scales[0].header.mutable_device(0)->set_uuid_sha256("second");
  lab.scales[0].header.mutable_device(1)->set_uuid_sha256("first");
  lab.comm_models[0].header.add_input()->set_sha256(lab.sweeps[0].input.sha256());
  proto::Quantity& strong = *lab.comm_models[0].rows[1].mutable_strong_speedup();
  strong.set_value(1.5);
  strong.set_method("E_1(64)/E_2(32), base case: plain training on 1 device at batch 64 (sweep record)");
  EXPECT_THAT(Warnings(lab), IsEmpty());
  lab.scales[0].header.mutable_device(1)->set_uuid_sha256("third");
  const std::vector<Warning> warnings = NamedWarnings(lab);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].rule, "several_machines");
  EXPECT_EQ(warnings[1].rule, "base_case_of_another_machine");
  EXPECT_THAT(warnings[1].text, HasSubstr("Speed-ups of comm_model.rec have base cases from sweep.rec"));
  strong.set_method("E_1(64)/E_2(32), base case: plain training on 1 device at batch 64 (scale record)");
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("different machines or devices")));
}

// 3.0 s without loading in the sweep; 2.8 s with it in the scaling run.
TEST(WarningsTest, LoadingTakesTimeAcrossRecordsToo) {
  LabRecords lab = SmallLab();
  for (double& seconds : *lab.scales[0].points[0].mutable_epoch_seconds()->mutable_value()) {
    seconds = 2.8;
  }
  const std::vector<Warning> warnings = NamedWarnings(lab);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].rule, "with_loading_faster_than_without");
  EXPECT_THAT(warnings[0].text, AllOf(HasSubstr("One device at batch 32"), HasSubstr("2.800 s (scale.rec)"),
                                      HasSubstr("without 3.000 s (sweep.rec)")));
  lab.scales[0].points[0].add_noise_warning("timed epochs differ by 20 %");
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("noisy machine")));
  lab.scales[0].points[0].clear_noise_warning();
  lab.scales[0].spec.mutable_training()->set_precision(proto::BF16);  // other settings
  EXPECT_THAT(Warnings(lab), IsEmpty());
}

// All pairs of ten sweeps and ten scaling runs contradict each other; the warning names the two that differ most.
TEST(WarningsTest, ManyRecordsOfTheSameConditionsAreOneWarning) {
  LabRecords lab = SmallLab();
  lab.comm_models.clear();
  lab.sweeps.resize(10, lab.sweeps[0]);
  lab.scales.resize(10, lab.scales[0]);
  for (int i = 0; i < 10; ++i) {
    const auto at = static_cast<size_t>(i);
    lab.sweeps[at].input.set_path(absl::StrCat("sweep", i, ".rec"));
    lab.scales[at].input.set_path(absl::StrCat("scale", i, ".rec"));
    for (double& seconds : *lab.scales[at].points[0].mutable_epoch_seconds()->mutable_value()) {
      seconds = 2.8 - 0.01 * i;
    }
  }
  const std::vector<Warning> warnings = NamedWarnings(lab);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].rule, "with_loading_faster_than_without");
  EXPECT_THAT(warnings[0].text, AllOf(HasSubstr("2.710 s (scale9.rec)"), HasSubstr("3.000 s (sweep0.rec)")));
}

TEST(WarningsTest, BandwidthsThatNoLinkCarries) {
  LabRecords lab = SmallLab();
  proto::ScalingRow row = lab.comm_models[0].rows[1];
  row.mutable_bandwidth_bytes_per_second()->set_value(480e9);
  AddScalingRow(row, lab.comm_models[0]);
  const std::vector<Warning> warnings = NamedWarnings(lab);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].rule, "link_peak_assumed");
  EXPECT_THAT(warnings[0].text, AllOf(HasSubstr("Bandwidths of comm_model.rec"), HasSubstr("480 GB/s are 215.2 %"),
                                      HasSubstr("2 ranks, batch 32 per device")));
}

TEST(WarningsTest, RecordsThatWereNotMadeFromEachOther) {
  LabRecords lab = SmallLab();
  lab.comm_models[0].header.mutable_input(0)->set_sha256("of another scale.rec");
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("comm_model.rec was not made from scale.rec")));
}

// The lab on a CPU runs this experiment on few images of its own.
TEST(WarningsTest, WhatIsSentMayHaveOtherImages) {
  LabRecords lab = SmallLab();
  LabScale scale = lab.scales[0];
  scale.header.mutable_input(0)->set_sha256("of another dataset.rec");
  scale.spec.set_experiment(proto::WHAT_IS_SENT);
  scale.points.clear();
  lab.scales.push_back(scale);
  EXPECT_THAT(Warnings(lab), IsEmpty());
  lab.scales.back().spec.set_experiment(proto::SAMPLER_EPOCH);
  EXPECT_THAT(Warnings(lab), ElementsAre(HasSubstr("scale.rec was not made from dataset.rec")));
}

}  // namespace
}  // namespace lockstep
