// Compares answers of --what_if with a run on the cluster that they describe.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/comm_model/comm_model.h"
#include "lib/comm_model/output_format.h"
#include "lib/comm_model/recorded_scale_testing.h"
#include "lib/proto/scale.pb.h"
#include "lib/record/framed_records_testing.h"
#include "lib/record/record_reader.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FramedRecords;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::lockstep::testing::WriteRecordedScale;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto kBadInput = absl::StatusCode::kFailedPrecondition;
constexpr uint32_t kBatch = 128;

// Run of four ranks that is compared with the answers.
struct RunOnHosts {
  std::vector<uint32_t> host_of_rank = {0, 0, 1, 1};
  std::string reducer = "own";
  std::string communicator = "nccl";
  std::string prediction_sha256 = {};
};

std::string WriteRun(const RunOnHosts& run) {
  return WriteRecordedScale("run.rec", [&](proto::ScaleRecord& record) {
    if (record.has_header()) {
      record.mutable_header()->add_input()->set_sha256(run.prediction_sha256);
    }
    if (record.has_spec()) {
      record.mutable_spec()->mutable_virtual_host()->Assign(run.host_of_rank.begin(), run.host_of_rank.end());
      record.mutable_spec()->set_reducer(run.reducer);
    }
    if (record.has_point()) {
      record.mutable_point()->set_reducer(run.reducer);
      record.mutable_point()->set_communicator(run.communicator);
    }
    return !record.has_point() || record.point().batch_per_device() == kBatch;
  });
}

// Answers for `devices` of hosts of two, in what_if.rec.
CommModelOptions Answers(std::vector<uint32_t> devices, std::vector<uint32_t> batches = {kBatch}) {
  CommModelOptions options;
  options.output_path = TempPath("what_if.rec");
  options.force = true;
  options.scale_paths = {WriteRecordedScale(
      "two.rec", [](proto::ScaleRecord& record) { return !record.has_point() || record.point().ranks() <= 2; })};
  options.what_if.devices = std::move(devices);
  options.what_if.batches = std::move(batches);
  options.what_if.link_factors = {0.5};
  options.what_if.cluster.set_devices_per_host(2);
  options.what_if.cluster.mutable_inter_host()->set_bytes_per_second(5e9);
  options.what_if.cluster.mutable_inter_host()->set_latency_seconds(10e-6);
  return options;
}

absl::StatusOr<CommModelRun> Score(const RunOnHosts& run) {
  CommModelOptions options;
  options.output_path = TempPath("score.rec");
  options.force = true;
  options.scale_paths = {WriteRun(run)};
  options.score_path = TempPath("what_if.rec");
  return RunCommModel(options);
}

std::vector<proto::Prediction> Predictions(const absl::StatusOr<CommModelRun>& run) {
  std::vector<proto::Prediction> predictions;
  EXPECT_THAT(run, IsOk());
  for (size_t i = 0; run.ok() && i < run->records.size(); ++i) {
    if (run->records[i].has_prediction()) {
      predictions.push_back(run->records[i].prediction());
    }
  }
  return predictions;
}

// Returns the answer for the cluster as given with this exchange.
proto::WhatIfRow RowOf(const CommModelRun& answers, const std::string& exchange) {
  for (const proto::CommModelRecord& record : answers.records) {
    if (record.has_what_if() && record.what_if().exchange() == exchange && record.what_if().variant() == "as given") {
      return record.what_if();
    }
  }
  ADD_FAILURE() << exchange;
  return {};
}

TEST(WhatIfScoreTest, TheRowOfTheRunsExchangeIsCompared) {
  const auto answers = RunCommModel(Answers({4}));
  ASSERT_THAT(answers, IsOk());
  EXPECT_GT(RowOf(*answers, "flat").epoch_seconds().value(),
            1.1 * RowOf(*answers, "hierarchical").epoch_seconds().value());
  EXPECT_THAT(RowOf(*answers, "hierarchical").note(),
              HasSubstr("that of the record, over NCCL; a run uses peer memory"));
  EXPECT_EQ(RowOf(*answers, "flat").note(), "");
  const struct {
    RunOnHosts run;
    std::string exchange;
  } cases[] = {{{.reducer = "hierarchical"}, "hierarchical"},
               {{.communicator = "hierarchical"}, "hierarchical"},
               {{.communicator = "gloo"}, "flat"},
               {{}, "flat"}};
  for (const auto& [run, exchange] : cases) {
    SCOPED_TRACE(run.reducer + " over " + run.communicator);
    const std::vector<proto::Prediction> scores = Predictions(Score(run));
    ASSERT_THAT(scores, SizeIs(1));  // neither the other exchange nor the slower link
    const proto::WhatIfRow row = RowOf(*answers, exchange);
    const proto::Prediction& score = scores[0];
    EXPECT_EQ(score.exchange(), exchange);
    EXPECT_EQ(score.hosts(), 2u);
    EXPECT_EQ(score.ranks(), 4u);
    EXPECT_EQ(score.batch_per_device(), kBatch);
    EXPECT_THAT(score.source(), HasSubstr("two.rec"));
    EXPECT_EQ(score.epoch_seconds().ShortDebugString(), row.epoch_seconds().ShortDebugString());
    const double measured = score.measured_epoch_seconds().value(), predicted = row.epoch_seconds().value();
    EXPECT_DOUBLE_EQ(score.relative_error(), predicted / measured - 1);
    ASSERT_TRUE(score.has_inside_interval());
    EXPECT_EQ(score.inside_interval(), row.epoch_seconds().low() <= measured && measured <= row.epoch_seconds().high());
    // The parts sum to the epoch; T_1/N is the epoch of one device over four.
    EXPECT_NEAR(score.compute_seconds().value() + score.overhead_seconds().value() + score.exposed_seconds().value() +
                    score.straggler_seconds().value(),
                predicted, 1e-9 * predicted);
    EXPECT_NEAR(score.null_epoch_seconds().value(), predicted * row.efficiency().value(), 1e-9 * predicted);
    EXPECT_FALSE(score.made_before_run());
  }
}

TEST(WhatIfScoreTest, FlatRowsOfARecordThroughPeerMemorySaySo) {
  CommModelOptions options = Answers({4});
  options.scale_paths = {WriteRecordedScale("peers.rec", [](proto::ScaleRecord& record) {
    if (record.has_point()) {
      record.mutable_point()->set_reducer("peer_sharded");
    }
    return !record.has_point() || record.point().ranks() <= 2;
  })};
  const auto answers = RunCommModel(options);
  ASSERT_THAT(answers, IsOk());
  EXPECT_THAT(RowOf(*answers, "flat").note(),
              HasSubstr("that of the record, through peer memory; a run uses NCCL there and may take longer"));
  EXPECT_EQ(RowOf(*answers, "hierarchical").note(), "");
}

TEST(WhatIfScoreTest, TheRunProvesThatTheAnswerCameFirst) {
  ASSERT_THAT(RunCommModel(Answers({2, 4})), IsOk());
  const auto written = ReadRecordFile<proto::CommModelFile>(TempPath("what_if.rec"));
  ASSERT_THAT(written, IsOk());
  const auto run = Score({.reducer = "hierarchical", .prediction_sha256 = written->input.sha256()});
  const std::vector<proto::Prediction> scores = Predictions(run);
  ASSERT_THAT(scores, SizeIs(2));
  EXPECT_EQ(scores[0].exchange(), "one host");  // the first two ranks share a host
  EXPECT_TRUE(scores[0].made_before_run());
  EXPECT_TRUE(scores[1].made_before_run());
  const auto text = FormatRun(OutputFormat::kText, *run);
  ASSERT_THAT(text, IsOk());
  EXPECT_THAT(*text, AllOf(HasSubstr("made before the run  one host\n"),
                           HasSubstr("made before the run  2 hosts, hierarchical\n"), HasSubstr("error of 2 runs: "),
                           Not(HasSubstr("has no interval"))));
  EXPECT_THAT(*FormatRun(OutputFormat::kCsv, *run), HasSubstr("two.rec,hierarchical,4,128,relative_error,"));
}

TEST(WhatIfScoreTest, OneRankPerHostExchangesFlat) {
  CommModelOptions options = Answers({4});
  options.what_if.cluster.set_devices_per_host(1);
  ASSERT_THAT(RunCommModel(options), IsOk());
  const std::vector<proto::Prediction> scores =
      Predictions(Score({.host_of_rank = {0, 1, 2, 3}, .reducer = "hierarchical"}));
  ASSERT_THAT(scores, SizeIs(1));
  EXPECT_EQ(scores[0].exchange(), "flat");
  EXPECT_EQ(scores[0].hosts(), 4u);
}

TEST(WhatIfScoreTest, ARowWithoutAnIntervalHasAScoreWithoutOne) {
  ASSERT_THAT(RunCommModel(Answers({4})), IsOk());
  proto::CommModelFile file;
  ASSERT_TRUE(file.ParseFromString(ReadFile(TempPath("what_if.rec"))));
  proto::CommModelFile kept;
  for (proto::CommModelRecord record : file.record()) {
    if (record.has_what_if()) {
      record.mutable_what_if()->mutable_epoch_seconds()->clear_low();
      record.mutable_what_if()->mutable_epoch_seconds()->clear_high();
      record.mutable_what_if()->clear_overhead_seconds();  // earlier versions did not store it
    }
    *kept.add_record() = record;
  }
  WriteFile(TempPath("what_if.rec"), FramedRecords(kept));
  const auto run = Score({});
  const std::vector<proto::Prediction> scores = Predictions(run);
  ASSERT_THAT(scores, SizeIs(1));
  EXPECT_TRUE(scores[0].has_relative_error());
  EXPECT_FALSE(scores[0].has_inside_interval());
  EXPECT_EQ(scores[0].overhead_seconds().absent_reason(), "made by an earlier version");
  EXPECT_THAT(*FormatRun(OutputFormat::kText, *run), HasSubstr("  has no interval  2 hosts, flat\n"));
}

TEST(WhatIfScoreTest, AnAnswerOfAnotherRunIsAnError) {
  ASSERT_THAT(RunCommModel(Answers({4})), IsOk());
  EXPECT_THAT(Score({.host_of_rank = {0, 1, 2, 3}}),
              StatusIs(kBadInput, AllOf(HasSubstr("4 devices of 4 hosts, flat, batch 128), found 4 devices of 2 hosts, "
                                                  "flat, batch 128; 4 devices of 2 hosts, hierarchical, batch 128; "),
                                        Not(HasSubstr("\n")))));
  EXPECT_THAT(Score({.host_of_rank = {0, 0, 0, 1}}),
              StatusIs(kBadInput, HasSubstr("4 devices of unequal or unknown hosts, batch 128), found")));
  EXPECT_THAT(Score({.host_of_rank = {}}), StatusIs(kBadInput, HasSubstr("4 devices of one host, batch 128), found")));
  ASSERT_THAT(RunCommModel(Answers({8})), IsOk());
  EXPECT_THAT(Score({}), StatusIs(kBadInput, HasSubstr("found 8 devices of 4 hosts, flat, batch 128")));
  ASSERT_THAT(RunCommModel(Answers({4}, {32})), IsOk());
  EXPECT_THAT(Score({}), StatusIs(kBadInput, HasSubstr("found 4 devices of 2 hosts, flat, batch 32")));
  CommModelOptions without = Answers({});
  without.what_if = {};
  ASSERT_THAT(RunCommModel(without), IsOk());
  EXPECT_THAT(Score({}), StatusIs(kBadInput, AllOf(HasSubstr("found nothing"), HasSubstr("--what_if"))));
}

// A joined record has the hosts of its first file only.
TEST(WhatIfScoreTest, HostsOfJoinedRecordsAreUnknown) {
  ASSERT_THAT(RunCommModel(Answers({4})), IsOk());
  CommModelOptions options;
  options.output_path = TempPath("score.rec");
  options.force = true;
  options.scale_paths = {WriteRun({}), WriteRecordedScale("all.rec", [](proto::ScaleRecord&) { return true; })};
  options.score_path = TempPath("what_if.rec");
  EXPECT_THAT(RunCommModel(options), StatusIs(kBadInput, HasSubstr("4 devices of unequal or unknown hosts")));
}

}  // namespace
}  // namespace lockstep
