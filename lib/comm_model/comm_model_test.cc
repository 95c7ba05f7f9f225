#include "lib/comm_model/comm_model.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/comm_model/summary.h"
#include "lib/proto/scale.pb.h"
#include "lib/record/provenance.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/scaling/base_cases.h"
#include "lib/scaling/link_limit.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Writes a record of one device at batch 32 and two devices at batch 32.
std::string WriteScale() {
  const char* texts[] = {
      "spec { mode: DDP model { parameter_count: 1000 gradient_bytes: 4000 training_images: 3200 } }",
      "point { ranks: 1 batch_per_device: 32 reduction: PLAIN outcome: COMPLETED steps_per_epoch: 100 "
      "epoch_seconds { value: 12 } step_seconds { value: 10 } }",
      "point { ranks: 2 batch_per_device: 32 reduction: ALL_REDUCE outcome: COMPLETED steps_per_epoch: 50 "
      "epoch_seconds { value: 8 } step_seconds { value: 7 } }"};
  std::vector<proto::ScaleRecord> records;
  for (const char* text : texts) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &records.emplace_back()));
  }
  HeaderOptions header;
  header.schema = "lockstep.proto.ScaleFile";
  const std::string path = TempPath("scale.rec");
  EXPECT_THAT(WriteRecordFile(path, MakeHeader(header), records), IsOk());
  return path;
}

std::string WriteTables() {
  const std::string path = TempPath("tables.textproto");
  WriteFile(path,
            "source: 'a document' table { name: 'T'\n"
            "value { quantity: EPOCH_SECONDS devices: 1 batch: 32 as_printed: '12.0' }\n"
            "value { quantity: EPOCH_SECONDS devices: 2 batch: 32 as_printed: '8.0' }\n"
            "value { quantity: SPEEDUP devices: 2 batch: 32 as_printed: '1.500' } }\n");
  return path;
}

CommModelOptions Options() {
  CommModelOptions options;
  options.output_path = TempPath("comm_model.rec");
  return options;
}

TEST(CommModelTest, NothingToDoIsAUsageError) {
  EXPECT_THAT(RunCommModel(Options()), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--input")));
}

TEST(CommModelTest, OptionsWithoutTheirScaleRecordAreUsageErrors) {
  CommModelOptions options = Options();
  options.audit_paths = {WriteTables()};
  options.sweep_path = "sweep.rec";
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--sweep")));
  options.sweep_path.clear();
  options.nominal_link_gigabytes_per_second = -1;
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("-1")));
}

TEST(CommModelTest, WritesRowsThenAudits) {
  CommModelOptions options = Options();
  options.scale_paths = {WriteScale()};
  options.audit_paths = {WriteTables()};
  options.nominal_link_gigabytes_per_second = 2;
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  const std::vector<proto::CommModelRecord>& records = run->records;
  ASSERT_THAT(records, SizeIs(5));  // spec, two rows, step times (rejected: the images are not given), one table
  EXPECT_EQ(records[0].spec().nominal_link_bytes_per_second().value(), 2e9);
  EXPECT_EQ(records[2].scaling().communication_seconds().value(), 2);
  EXPECT_EQ(records[4].audit().value(2).finding(), proto::REPRODUCED);

  const auto file = ReadRecordFile<proto::CommModelFile>(options.output_path);
  ASSERT_THAT(file, IsOk());
  EXPECT_THAT(file->records, SizeIs(5));
  EXPECT_THAT(file->header.input(), SizeIs(2));
}

// One rank takes 0.1 s per step, and two ranks on the same CPU take 0.16 s.
std::vector<proto::WhatIfRow> RowsOfHostsOf(uint32_t ranks_per_host, const std::string& device) {
  std::vector<proto::ScaleRecord> records;
  for (const std::string& text :
       {absl::StrCat("spec { mode: DDP training { device: ", device,
                     " } model { parameter_count: 1000 gradient_bytes: 4000 training_images: 3200 } }"),
        std::string("point { ranks: 1 batch_per_device: 32 reduction: PLAIN outcome: COMPLETED images_per_epoch: 3200 "
                    "epoch_seconds { value: 10 } step_seconds { value: 10 } }"),
        std::string("point { ranks: 2 batch_per_device: 32 reduction: ALL_REDUCE outcome: COMPLETED images_per_epoch: "
                    "3200 epoch_seconds { value: 8 } step_seconds { value: 8 } }")}) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &records.emplace_back()));
  }
  HeaderOptions header;
  header.schema = "lockstep.proto.ScaleFile";
  CommModelOptions options = Options();
  options.force = true;
  options.scale_paths = {TempPath(absl::StrCat(device, ".rec"))};
  proto::Header made = MakeHeader(header);
  made.mutable_host()->set_cpu_cores(2);
  EXPECT_THAT(WriteRecordFile(options.scale_paths[0], made, records), IsOk());
  options.what_if.devices = {4};
  options.what_if.cluster = MakeCluster(ranks_per_host, "ring", {10, 1}, {10, 1});
  const auto run = RunCommModel(options);
  EXPECT_THAT(run, IsOk());
  std::vector<proto::WhatIfRow> rows;
  for (const proto::CommModelRecord& record : run.ok() ? run->records : std::vector<proto::CommModelRecord>()) {
    if (record.has_what_if()) {
      rows.push_back(record.what_if());
    }
  }
  return rows;
}

TEST(CommModelTest, HostsOfOneRankDoNotHaveTheContentionOfASharedCpu) {
  const std::vector<proto::WhatIfRow> rows = RowsOfHostsOf(1, "CPU");
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_NEAR(rows[0].overhead_seconds().value(), 0, 1e-9);
  EXPECT_THAT(rows[0].note(), HasSubstr("hosts of 1 rank are modelled from runs of at most 1 rank"));
  EXPECT_THAT(WhatIfText({[&] {
                proto::CommModelRecord record;
                *record.mutable_what_if() = rows[0];
                return record;
              }()}),
              HasSubstr("\n  hosts of 1 rank are modelled from runs of at most 1 rank: more ranks were measured, but"));
}

TEST(CommModelTest, HostsLikeTheMeasuredOneHaveItsContention) {
  const std::vector<proto::WhatIfRow> shared = RowsOfHostsOf(2, "CPU"), own = RowsOfHostsOf(1, "CUDA");
  ASSERT_FALSE(shared.empty());
  ASSERT_FALSE(own.empty());
  EXPECT_NEAR(shared[0].overhead_seconds().value(), 0.06, 1e-6);
  EXPECT_EQ(shared[0].note(), "");
  EXPECT_NEAR(own[0].overhead_seconds().value(), 0.06, 1e-6);  // a device shares nothing
  EXPECT_EQ(own[0].note(), "");
}

TEST(CommModelTest, ASecondRunReadsWhatIsThere) {
  CommModelOptions options = Options();
  options.audit_paths = {WriteTables()};
  ASSERT_THAT(RunCommModel(options), IsOk());
  const auto first = ReadRecordFile<proto::CommModelFile>(options.output_path);
  const auto again = RunCommModel(options);
  ASSERT_THAT(again, IsOk());
  EXPECT_THAT(again->records, SizeIs(2));  // spec, one table
  EXPECT_EQ(ReadRecordFile<proto::CommModelFile>(options.output_path)->input.sha256(), first->input.sha256());
}

TEST(CommModelTest, ABrokenInputLeavesNoOutput) {
  CommModelOptions options = Options();
  options.audit_paths = {TempPath("broken.textproto")};
  WriteFile(options.audit_paths[0], "source: 'x'\ntable { nam: 'T' }\n");
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("broken.textproto:2:12")));
  EXPECT_FALSE(FileExists(options.output_path));
  options.audit_paths.clear();
  options.scale_paths = {"/no/such.rec"};
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such.rec")));
}

std::string WriteRecords(const std::string& name, const std::vector<std::string>& texts) {
  std::vector<proto::ScaleRecord> records;
  for (const std::string& text : texts) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &records.emplace_back())) << text;
  }
  HeaderOptions header;
  header.schema = "lockstep.proto.ScaleFile";
  const std::string path = TempPath(name);
  EXPECT_THAT(WriteRecordFile(path, MakeHeader(header), records), IsOk());
  return path;
}

// The base case of both records: 12 and 14 s.
TEST(CommModelTest, APointOfTwoRecordsIsPooledAndItsRowNamesTheFiles) {
  CommModelOptions options = Options();
  const std::string again = WriteRecords(
      "again.rec", {"spec { mode: DDP model { parameter_count: 1000 gradient_bytes: 4000 training_images: 3200 } }",
                    "point { ranks: 1 batch_per_device: 32 reduction: PLAIN outcome: COMPLETED steps_per_epoch: 100 "
                    "epoch_seconds { value: 14 } step_seconds { value: 11 } }"});
  options.scale_paths = {WriteScale(), again};
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  const proto::ScalingRow& base = run->records[1].scaling();
  EXPECT_EQ(base.epoch_seconds().value(), 13);
  EXPECT_EQ(base.epoch_seconds().low(), 12);
  EXPECT_EQ(base.epoch_seconds().high(), 14);
  EXPECT_THAT(base.epoch_seconds().method(), HasSubstr(absl::StrCat(options.scale_paths[0], " and ", again)));
  EXPECT_EQ(run->records[2].scaling().epoch_speedup().value(), 13.0 / 8);
}

// The points of an experiment differ in more than ranks and batch.
TEST(CommModelTest, PublishedTimesAreKeptWithTheirSpeedups) {
  CommModelOptions options;
  options.times_paths = {TempPath("chart.csv")};
  options.output_path = TempPath("published.rec");
  WriteFile(options.times_paths[0],
            "# images_per_epoch = 1024\n"
            "Step,batch_8 - epoch_time,batch_16 - epoch_time,batch_8_2gpus - epoch_time\n"
            "1,99,99,99\n2,8.1,7,5\n3,7.9,7,5\n");
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  std::vector<proto::PublishedTime> times;
  for (const proto::CommModelRecord& record : run->records) {
    if (record.has_published_time()) {
      times.push_back(record.published_time());
    }
  }
  ASSERT_THAT(times, SizeIs(3));
  EXPECT_EQ(times[0].epochs(), 2);  // the first one warms up
  EXPECT_DOUBLE_EQ(times[0].epoch_seconds().value(), 8);
  EXPECT_EQ(times[0].epoch_seconds().provenance(), proto::PUBLISHED);
  EXPECT_DOUBLE_EQ(times[0].epoch_speedup().value(), 1);
  EXPECT_EQ(times[2].ranks(), 2);
  EXPECT_DOUBLE_EQ(times[2].epoch_speedup().value(), 1.6);   // 8 / 5
  EXPECT_DOUBLE_EQ(times[2].strong_speedup().value(), 1.4);  // 7 / 5, the base case has batch 16
  EXPECT_LT(times[2].epoch_speedup().low(), 1.6);
  EXPECT_EQ(times[1].strong_speedup().provenance(), proto::DERIVED);
}

TEST(CommModelTest, ExperimentsAreNoTimesToExplain) {
  CommModelOptions options = Options();
  options.scale_paths = {WriteRecords("other.rec", {"spec { experiment: SAMPLER_EPOCH }"})};
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("an experiment")));
}

// One and two devices by DataParallel, 64 images per step on two: the formula's bytes, and an epoch of 50 steps.
std::vector<std::string> StarRecords(const std::string& points_are) {
  const auto phase = [](const char* kind, int bytes_per_step) {
    return absl::StrCat("traffic { kind: '", kind, "' calls: 50 size_bytes: ", 50 * bytes_per_step, " steps: 50 } ");
  };
  return {
      "spec { mode: DP preset: 'lab' model { parameter_count: 1000 gradient_bytes: 4000 training_images: 3200 } "
      "}",
      absl::StrCat("point { ranks: 1 batch_per_device: 32 reduction: PLAIN outcome: COMPLETED steps_per_epoch: 100 ",
                   points_are, " epoch_seconds { value: 12 } step_seconds { value: 10 } }"),
      absl::StrCat("point { ranks: 2 batch_per_device: 32 reduction: STAR outcome: COMPLETED steps_per_epoch: 50 ",
                   points_are,
                   " images_per_epoch: 3200 epoch_seconds { value: 8 } step_seconds { value: 7 } star { "
                   "scatter_seconds { value: 0.5 } replicate_seconds { value: 0.25 } gather_seconds { value: 0.125 "
                   "} output_gradient_seconds { value: 0.125 } reduce_seconds { value: 0.25 } } ",
                   phase("images", 32 * 12288), phase("parameters and buffers", 4096), phase("outputs", 32 * 40),
                   phase("gradients of the outputs", 32 * 40), phase("gradients", 4000), "}")};
}

TEST(CommModelTest, DataParallelMeetsTheStarsFormula) {
  CommModelOptions options = Options();
  options.scale_paths = {WriteRecords("dp.rec", StarRecords(""))};
  options.nominal_link_gigabytes_per_second = 1;
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  const std::vector<proto::CommModelRecord>& records = run->records;
  ASSERT_THAT(records, SizeIs(4));  // spec, two rows, the star: the models of an all-reduce are not used
  EXPECT_EQ(records[2].scaling().settings().mode(), proto::DP);
  EXPECT_EQ(records[2].scaling().communication_seconds().value(), 2);
  const proto::StarRow& star = records[3].star();
  EXPECT_EQ(star.formula_sent_bytes().value(), 4000 + 32 * 12288 + 32 * 40);
  EXPECT_EQ(star.counted_sent_bytes().value(), star.formula_sent_bytes().value() + 96);  // batch norm's buffers
  EXPECT_EQ(star.formula_received_bytes().value(), 4000 + 32 * 40);
  EXPECT_EQ(star.counted_received_bytes().value(), star.formula_received_bytes().value());
  EXPECT_DOUBLE_EQ(star.measured_busy_seconds().value(), 1.25 / 50);
  EXPECT_DOUBLE_EQ(star.modelled_busy_seconds().value(), (4000 + 32 * 12288 + 2 * 32 * 40 + 4000) * 1e-9);
  EXPECT_THAT(SummaryText(records), HasSubstr("DataParallel's star"));
  options.predict_ranks = {4};
  options.force = true;
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--mode=ddp")));
}

// One record with both modes: each point is compared with points of its own mode, and DDP uses the plain run, which it
// lacks itself.
TEST(CommModelTest, PointsOfOneRecordThatAreTrainedDifferentlyAreNotMixed) {
  std::vector<std::string> texts = StarRecords("mode: DP");
  texts.push_back(
      "point { ranks: 2 batch_per_device: 32 reduction: ALL_REDUCE mode: DDP outcome: COMPLETED steps_per_epoch: 50 "
      "epoch_seconds { value: 6 } step_seconds { value: 5 } }");
  texts.push_back(
      "point { ranks: 2 batch_per_device: 32 reduction: ALL_REDUCE mode: DDP preset: 'fast' outcome: COMPLETED "
      "steps_per_epoch: 50 epoch_seconds { value: 1 } step_seconds { value: 1 } }");
  CommModelOptions options = Options();
  options.scale_paths = {WriteRecords("both.rec", texts)};
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  std::vector<std::string> rows;
  for (const proto::CommModelRecord& record : run->records) {
    if (record.has_scaling()) {
      const proto::ScalingRow& row = record.scaling();
      rows.push_back(absl::StrCat(row.settings().preset(), row.settings().mode(), ": ", row.ranks(), " ",
                                  row.epoch_seconds().value(), " ", row.epoch_speedup().value()));
    }
  }
  EXPECT_THAT(rows,
              ::testing::ElementsAre("lab2: 1 12 1", "lab2: 2 8 1.5", "lab1: 1 12 1", "lab1: 2 6 2", "fast1: 2 1 0"));
}

TEST(SummaryTest, OneLinePerRowAndPerNumber) {
  CommModelOptions options = Options();
  options.scale_paths = {WriteScale()};
  options.audit_paths = {WriteTables()};
  const std::string text = SummaryText(RunCommModel(options)->records);
  EXPECT_THAT(text, HasSubstr("T_comm s"));
  EXPECT_THAT(text, HasSubstr("no strong: E_1(64) is missing"));
  EXPECT_THAT(text, HasSubstr("Audit of a document"));
  EXPECT_THAT(text, ::testing::ContainsRegex("SPEEDUP N=2 B=32 +1.500 +REPRODUCED +T_1/T_N"));
  EXPECT_THAT(text, HasSubstr("= 1 of 1 reproduced: T_1/T_N"));
  EXPECT_THAT(text,
              HasSubstr("given 2, reproduced 1, ambiguous 0, could be chance 0, not reproducible 0; flags: none"));
}

// Bytes over T_comm, a difference of epoch times, would be 20 GB/s on a link of 12 GB/s; bytes over the time of the
// all-reduces are 10 GB/s.
TEST(SummaryTest, NoBandwidthIsAboveTheLink) {
  proto::CommModelRecord record;
  proto::ScalingRow& row = *record.mutable_scaling();
  row.set_ranks(2);
  row.mutable_bytes_per_step()->set_value(4e8);
  row.mutable_steps_per_epoch()->set_value(100);
  row.mutable_collective_busy_seconds()->set_value(4);
  row.mutable_exposed_event_seconds()->set_value(0.625);
  row.mutable_bandwidth_bytes_per_second()->set_value(20e9);
  row.mutable_measured_link_bytes_per_second()->set_value(12e9);
  row.mutable_utilization_of_measured()->set_value(20.0 / 12);
  FillBusyBandwidth(row);
  BlankAboveLink(row);
  const std::string text = SummaryText({record});
  EXPECT_THAT(text, ::testing::ContainsRegex(" 625 +- +- +10 +12 +- +83[.]333\n"));
  EXPECT_THAT(text, HasSubstr("no comm GB/s, comm/link%: bytes / T_comm would exceed the measured link, 12 GB/s"));
  EXPECT_THAT(text, HasSubstr("speed-ups of epochs: E_1/E_N at the same batch per device, strong at the same global "
                              "batch; of steps: weak at the same batch per device"));
  EXPECT_THAT(text, HasSubstr("exposed: by events, of the rank with the largest sum"));
}

// s_2 = 4 s, s_1 / 2 = 5 s, 50 steps.
TEST(SummaryTest, ANegativeCommunicationIsShownWithItsMeaning) {
  proto::CommModelRecord record;
  proto::ScalingRow& row = *record.mutable_scaling();
  row.set_ranks(2);
  row.set_batch_per_device(32);
  row.mutable_steps_per_epoch()->set_value(50);
  row.mutable_communication_seconds()->set_value(-1);
  const std::string text = SummaryText({record});
  EXPECT_THAT(text, HasSubstr(" -1000 "));
  EXPECT_THAT(text,
              HasSubstr("2 x 32: T_comm is not measurable by subtraction: a step on 2 devices took 20 ms less than "
                        "on one, although it also communicates; each time was measured once"));
  row.mutable_communication_seconds()->set_value(1);
  EXPECT_THAT(SummaryText({record}), ::testing::Not(HasSubstr("not measurable")));
}

TEST(SummaryTest, ABaseCaseOfAnUnknownMachineIsReported) {
  proto::CommModelRecord record;
  record.mutable_scaling()->set_ranks(2);
  proto::Quantity& strong = *record.mutable_scaling()->mutable_strong_speedup();
  strong.set_value(1.5);
  EXPECT_THAT(SummaryText({record}), ::testing::Not(HasSubstr(kMachineUnknown)));
  strong.set_method(absl::StrCat("E_1(64)/E_2(32) (sweep record, ", kMachineUnknown, ")"));
  EXPECT_THAT(SummaryText({record}), HasSubstr("a base case is not known to be of the same machine"));
}

TEST(SummaryTest, ShortTimesAreInMillisecondsAndACauseHasOneLine) {
  std::vector<proto::CommModelRecord> records(2);
  for (size_t i = 0; i < 2; ++i) {
    proto::ScalingRow& row = *records[i].mutable_scaling();
    row.set_ranks(2);
    row.set_batch_per_device(static_cast<uint32_t>(32 << i));
    row.mutable_epoch_seconds()->set_value(0.25);
    row.mutable_strong_speedup()->set_absent_reason(absl::StrCat("E_1(", 64 << i, ") is missing"));
  }
  const std::string text = SummaryText(records);
  EXPECT_THAT(text, HasSubstr("epoch ms"));
  EXPECT_THAT(text, HasSubstr("\n  2     32        250 "));
  EXPECT_THAT(text, HasSubstr("at 2 of 2 points (2 x 32; 2 x 64), at the first: no strong: E_1(64) is missing\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("E_1(128)")));
  records[1].mutable_scaling()->mutable_epoch_seconds()->set_value(10);
  EXPECT_THAT(SummaryText(records), HasSubstr("\n  2     32       0.25 "));
}

TEST(SummaryTest, OfNothingIsEmpty) { EXPECT_EQ(SummaryText({}), ""); }

}  // namespace
}  // namespace lockstep
