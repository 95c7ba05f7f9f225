// Runs the whole stage on recorded runs: benchmarks/results and data/published.
#include <map>
#include <utility>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "lib/comm_model/comm_model.h"
#include "lib/comm_model/output_format.h"
#include "lib/comm_model/recorded_scale_testing.h"
#include "lib/proto/scale.pb.h"
#include "lib/record/record_reader.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteRecordedScale;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string WriteWholeScale() {
  return WriteRecordedScale("scale.rec", [](proto::ScaleRecord&) { return true; });
}

CommModelOptions Options(const std::string& name = "comm_model.rec") {
  CommModelOptions options;
  options.output_path = TempPath(name);
  options.force = true;
  return options;
}

std::map<proto::CommModelRecord::KindCase, int> Counts(const CommModelRun& run) {
  std::map<proto::CommModelRecord::KindCase, int> counts;
  for (const proto::CommModelRecord& record : run.records) {
    ++counts[record.kind_case()];
  }
  return counts;
}

TEST(RecordedRunTest, HiddenRunsArePredictedAndCompared) {
  CommModelOptions options = Options();
  options.scale_paths = {WriteWholeScale()};
  options.fit_ranks = 2;
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  auto counts = Counts(*run);
  EXPECT_EQ(counts[proto::CommModelRecord::kScaling], 9);
  EXPECT_EQ(counts[proto::CommModelRecord::kPrediction], 3);
  EXPECT_EQ(counts[proto::CommModelRecord::kLaw], 12);  // three laws each for three batches, and for all together
  for (const proto::CommModelRecord& record : run->records) {
    if (record.has_prediction()) {
      EXPECT_EQ(record.prediction().ranks(), 4u);
      EXPECT_LT(std::abs(record.prediction().relative_error()), 0.03);
      EXPECT_EQ(record.prediction().epoch_seconds().provenance(), proto::MODELLED);
      EXPECT_FALSE(record.prediction().made_before_run());
    }
  }
  const auto text = FormatRun(OutputFormat::kText, *run);
  ASSERT_THAT(text, IsOk());
  EXPECT_THAT(*text, HasSubstr("error of 3 runs: "));
  EXPECT_THAT(*text, HasSubstr("3 more with as many parameters as points, or too few points: not extrapolated"));
}

std::vector<proto::Prediction> Predictions(const CommModelRun& run) {
  std::vector<proto::Prediction> predictions;
  for (const proto::CommModelRecord& record : run.records) {
    if (record.has_prediction()) {
      predictions.push_back(record.prediction());
    }
  }
  return predictions;
}

// Fast step on one of two H200, and all-reduces of another machine of two, of which only the fit of those through peer
// memory is accepted. `reducer` replaces that of the record. Returns predictions of two GPUs.
std::vector<proto::Prediction> OfTwoFromOne(const std::string& reducer) {
  CommModelOptions options = Options();
  options.scale_paths = {WriteRecordedScale(
      "one.rec",
      [&](proto::ScaleRecord& record) {
        if (record.has_point()) {
          record.mutable_point()->set_reducer(reducer);
        }
        return !record.has_point() || record.point().ranks() == 1;
      },
      "2026-11-30-h200x2-headline/scale_1.rec")};
  options.all_reduce_paths = {"benchmarks/results/2026-11-29-h200-pairs/collectives.rec"};
  options.predict_ranks = {2};
  const auto run = RunCommModel(options);
  EXPECT_THAT(run, IsOk());
  return run.ok() ? Predictions(*run) : std::vector<proto::Prediction>();
}

TEST(RecordedRunTest, PeerMemoryIsPredictedFromAllReducesThroughPeerMemory) {
  const std::map<uint32_t, double> measured = {{32, 0.3709}, {128, 0.2156}, {512, 0.1813}};  // the record's two GPUs
  const std::vector<proto::Prediction> by_peers = OfTwoFromOne("peer_sharded");
  ASSERT_THAT(by_peers, SizeIs(3));
  for (const proto::Prediction& prediction : by_peers) {
    const double seconds = measured.at(prediction.batch_per_device());
    EXPECT_NEAR(prediction.epoch_seconds().value() / seconds, 1, 0.03);
    EXPECT_LT(prediction.epoch_seconds().low(), seconds);
    EXPECT_GT(prediction.epoch_seconds().high(), seconds);
  }
  const std::vector<proto::Prediction> over_nccl = OfTwoFromOne("own");
  ASSERT_THAT(over_nccl, SizeIs(3));
  for (const proto::Prediction& prediction : over_nccl) {
    EXPECT_THAT(prediction.refused(), HasSubstr("no fit to the timed all-reduces over NCCL on one host was accepted"));
  }
}

// The prediction is written first. The run's record names it by its digest and answers it.
TEST(RecordedRunTest, AnEarlierPredictionIsScored) {
  CommModelOptions options = Options("prediction.rec");
  options.scale_paths = {WriteRecordedScale(
      "two.rec", [](proto::ScaleRecord& record) { return !record.has_point() || record.point().ranks() <= 2; })};
  options.predict_ranks = {4};
  ASSERT_THAT(RunCommModel(options), IsOk());
  const auto written = ReadRecordFile<proto::CommModelFile>(options.output_path);
  ASSERT_THAT(written, IsOk());

  CommModelOptions later = Options("score.rec");
  later.score_path = options.output_path;
  later.scale_paths = {WriteRecordedScale("later.rec", [&](proto::ScaleRecord& record) {
    if (record.has_header()) {
      record.mutable_header()->add_input()->set_sha256(written->input.sha256());
    }
    return true;
  })};
  const auto run = RunCommModel(later);
  ASSERT_THAT(run, IsOk());
  ASSERT_THAT(Predictions(*run), SizeIs(3));
  for (const proto::Prediction& prediction : Predictions(*run)) {
    EXPECT_TRUE(prediction.measured_epoch_seconds().has_value());
    EXPECT_TRUE(prediction.made_before_run());
  }

  later.scale_paths = {WriteWholeScale()};  // names no prediction, so this one is not proved to be earlier
  const auto unproved = RunCommModel(later);
  ASSERT_THAT(unproved, IsOk());
  ASSERT_THAT(Predictions(*unproved), SizeIs(3));
  EXPECT_FALSE(Predictions(*unproved)[0].made_before_run());
}

TEST(RecordedRunTest, PublishedTimesArePredictedToo) {
  CommModelOptions options = Options();
  options.times_paths = {"data/published/pytorch_ddp_4xh200.csv"};
  options.fit_ranks = 2;
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  EXPECT_EQ(Counts(*run)[proto::CommModelRecord::kPrediction], 9);
  options.scale_paths.clear();
  EXPECT_THAT(FormatRun(OutputFormat::kExtraP, *run),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--input")));
}

TEST(RecordedRunTest, AllReducesAreFitted) {
  CommModelOptions options = Options();
  options.all_reduce_paths = {"data/testdata/nccl_tests/all_reduce_4.json"};
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  EXPECT_GE(Counts(*run)[proto::CommModelRecord::kAllReduceFit], 1);
  for (const proto::CommModelRecord& record : run->records) {
    if (record.has_all_reduce_fit()) {
      EXPECT_EQ(record.all_reduce_fit().accepted(), record.all_reduce_fit().piece_size() > 0);
      EXPECT_EQ(record.all_reduce_fit().accepted(), record.all_reduce_fit().why_rejected().empty());
    }
  }
}

// The recorded run, moved to `devices` on hosts of `per_host`.
CommModelOptions WhatIf(std::vector<uint32_t> devices, uint32_t per_host) {
  CommModelOptions options = Options();
  options.scale_paths = {WriteWholeScale()};
  options.what_if.devices = std::move(devices);
  options.what_if.batches = {128};
  options.what_if.cluster.set_devices_per_host(per_host);
  return options;
}

TEST(RecordedRunTest, WhatIfNeedsTheLinkBetweenHosts) {
  CommModelOptions options = WhatIf({8, 64}, 8);
  EXPECT_THAT(RunCommModel(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--inter_host_gigabytes_per_second")));
  options.what_if.cluster.mutable_inter_host()->set_bytes_per_second(50e9);
  options.what_if.cluster.mutable_inter_host()->set_latency_seconds(10e-6);
  options.what_if.link_factors = {2};
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  // 8 devices are one host, 64 have both exchanges; as given and with faster links.
  EXPECT_EQ(Counts(*run)[proto::CommModelRecord::kWhatIf], 6);
  for (const proto::CommModelRecord& record : run->records) {
    if (record.has_what_if()) {
      EXPECT_EQ(record.what_if().epoch_seconds().provenance(), proto::MODELLED);
    }
  }
  options.what_if.batches = {8192};
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--what_if_batch=8192")));
}

// Returns the exchanges of the rows of --what_if with their algorithms, such as "flat ring".
std::vector<std::string> Exchanges(const CommModelOptions& options) {
  const auto run = RunCommModel(options);
  EXPECT_THAT(run, IsOk());
  std::vector<std::string> exchanges;
  for (size_t i = 0; run.ok() && i < run->records.size(); ++i) {
    if (const proto::WhatIfRow& row = run->records[i].what_if(); run->records[i].has_what_if()) {
      exchanges.push_back(absl::StrCat(row.exchange(), " ", row.algorithm()));
    }
  }
  return exchanges;
}

TEST(RecordedRunTest, WhatIfHasTheExchangesThatWereAskedFor) {
  CommModelOptions options = WhatIf({64}, 8);
  options.what_if.cluster.mutable_inter_host()->set_bytes_per_second(50e9);
  options.what_if.cluster.mutable_inter_host()->set_latency_seconds(10e-6);
  options.what_if.cluster.set_algorithm("tree");
  EXPECT_THAT(Exchanges(options), ElementsAre("flat tree", "hierarchical tree"));
  options.what_if.cluster.set_algorithm("hierarchical");
  EXPECT_THAT(Exchanges(options), ElementsAre("hierarchical ring"));
  options.what_if.exchanges = {Exchange::kFlat};
  EXPECT_THAT(RunCommModel(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("use --exchange=hierarchical")));
  options.what_if.cluster.set_algorithm("ring");
  EXPECT_THAT(Exchanges(options), ElementsAre("flat ring"));
  options.what_if.cluster.set_devices_per_host(1);
  options.what_if.exchanges = {Exchange::kFlat, Exchange::kHierarchical};
  EXPECT_THAT(Exchanges(options), ElementsAre("flat ring"));
  options.what_if.exchanges = {Exchange::kHierarchical};
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("use --exchange=flat")));
}

// All-reduces of four ranks on two virtual hosts, whose sockets have no exact line: the rows have intervals.
TEST(RecordedRunTest, AllReducesOverHostsGiveTheLinkOfEachExchange) {
  CommModelOptions options = WhatIf({4}, 2);
  options.what_if.inter_host_all_reduce_path = "benchmarks/results/2026-11-30-h200x2-counterparts/collectives.rec";
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  size_t rows = 0;
  for (const proto::CommModelRecord& record : run->records) {
    if (record.has_spec()) {
      EXPECT_NEAR(record.spec().cluster().inter_host().bytes_per_second(), 1.99e9, 1e7);
      EXPECT_NEAR(record.spec().cluster().inter_host_flat().bytes_per_second(), 2.96e9, 1e7);
    }
    if (record.has_what_if()) {
      ++rows;
      EXPECT_LT(record.what_if().exposed_seconds().low(), 0.8 * record.what_if().exposed_seconds().value());
    }
  }
  EXPECT_EQ(rows, 2);
}

TEST(RecordedRunTest, WithoutACompletedRunNothingIsAnswered) {
  CommModelOptions options = Options();
  options.scale_paths = {WriteRecordedScale("failed.rec", [](const proto::ScaleRecord& record) {
    return !record.has_point() || record.point().ranks() == 4;
  })};
  options.what_if.devices = {2};
  options.what_if.cluster.set_devices_per_host(8);
  EXPECT_THAT(RunCommModel(options),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no epoch of one device")));
  options.what_if.devices.clear();
  options.predict_ranks = {8};
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  for (const proto::CommModelRecord& record : run->records) {
    if (record.has_prediction()) {
      EXPECT_THAT(record.prediction().refused(), HasSubstr("no epoch of one device"));
    }
  }
}

TEST(RecordedRunTest, EveryFormatShowsIt) {
  CommModelOptions options = Options();
  options.scale_paths = {WriteWholeScale()};
  options.fit_ranks = 2;
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  EXPECT_THAT(*FormatRun(OutputFormat::kRecord, *run), ::testing::IsEmpty());
  EXPECT_THAT(*FormatRun(OutputFormat::kCsv, *run), HasSubstr("\nprediction,"));
  proto::CommModelFile parsed;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(*FormatRun(OutputFormat::kJson, *run), &parsed).ok());
  EXPECT_EQ(static_cast<size_t>(parsed.record_size()), run->records.size());
  EXPECT_THAT(*FormatRun(OutputFormat::kExtraP, *run), HasSubstr("POINTS (1 32) (2 32) (4 32) (1 128)"));
  EXPECT_THAT(FormatRun(OutputFormat::kNcclTuner, *run),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nccl-tests")));
}

TEST(OutputFormatTest, NamesAreListedWhenOneIsUnknown) {
  for (const char* name : {"record", "text", "csv", "json", "extra_p", "nccl_tuner"}) {
    EXPECT_THAT(ParseOutputFormat(name), IsOk()) << name;
  }
  EXPECT_THAT(ParseOutputFormat("xml"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("record, text, csv, json")));
}

}  // namespace
}  // namespace lockstep
