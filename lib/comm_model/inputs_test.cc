#include "lib/comm_model/inputs.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/proto/collective_times.pb.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(ModelSpecTest, WhatIsNotSetGetsItsDefault) {
  proto::ModelSpec spec;
  spec.mutable_all_reduce()->set_median_error(0.01);
  const auto filled = WithDefaults(spec);
  ASSERT_THAT(filled, IsOk());
  EXPECT_EQ(filled->confidence(), 0.95);
  EXPECT_EQ(filled->run_to_run_fraction(), 0.005);
  EXPECT_EQ(filled->min_gain(), 1.1);
  EXPECT_EQ(filled->all_reduce().median_error(), 0.01);
  EXPECT_EQ(filled->all_reduce().worst_error(), 0.2);
  EXPECT_EQ(filled->all_reduce().scored_from_bytes(), 65536);
  EXPECT_EQ(filled->step_time().median_error(), 0.05);
  EXPECT_EQ(filled->step_time().min_degrees_of_freedom(), 1u);
}

TEST(ModelSpecTest, RefusesNumbersThatMakeNoSense) {
  proto::ModelSpec spec;
  spec.set_confidence(95);
  EXPECT_THAT(WithDefaults(spec), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("confidence: 95")));
  spec.set_confidence(0.9);
  spec.set_min_gain(0.5);
  EXPECT_THAT(WithDefaults(spec), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("min_gain")));
  spec.clear_min_gain();
  spec.mutable_step_time()->set_worst_error(-1);
  EXPECT_THAT(WithDefaults(spec), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("errors above 0")));
}

TEST(CommModelInputsTest, AModelSpecIsReadAndItsDigestKept) {
  CommModelOptions options;
  options.model_spec_path = TempPath("spec.textproto");
  WriteFile(options.model_spec_path, "confidence: 0.9\n");
  const auto inputs = ReadCommModelInputs(options);
  ASSERT_THAT(inputs, IsOk());
  EXPECT_EQ(inputs->model_spec.confidence(), 0.9);
  ASSERT_THAT(inputs->files, SizeIs(1));
  EXPECT_EQ(inputs->files[0].path(), options.model_spec_path);
}

TEST(CommModelInputsTest, ErrorsNameTheFileAndTheLine) {
  CommModelOptions options;
  options.model_spec_path = TempPath("wrong.textproto");
  WriteFile(options.model_spec_path, "confidence: 0.9\nconfidenc: 1\n");
  EXPECT_THAT(ReadCommModelInputs(options), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("wrong.textproto:2:10")));
  WriteFile(options.model_spec_path, "confidence: 2\n");
  EXPECT_THAT(ReadCommModelInputs(options), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("wrong.textproto: ")));
}

// Each file is recognized by its bytes, whatever its name.
TEST(CommModelInputsTest, AllReducesAreReadFromARecordAndFromJson) {
  proto::CollectiveTimesRecord record;
  proto::CollectiveTimes& times = *record.mutable_times();
  times.set_collective("all_reduce");
  times.set_way("one_shot");
  times.set_type("bf16");
  times.set_ranks(2);
  times.set_size_bytes(1000);
  times.mutable_seconds()->add_value(10e-6);
  HeaderOptions header;
  header.schema = "lockstep.proto.CollectiveTimesFile";
  CommModelOptions options;
  options.all_reduce_paths = {TempPath("a"), TempPath("b")};
  ASSERT_THAT(WriteRecordFile(options.all_reduce_paths[0], MakeHeader(header), std::vector{record}), IsOk());
  WriteFile(options.all_reduce_paths[1],
            R"({"benchmarks": [{"name": "all_reduce/ranks:2/type:bf16/bytes:1000/method:one_shot", "us": 10,
                                "algbw": 0.1, "busbw": 0.1}]})");
  const auto inputs = ReadCommModelInputs(options);
  ASSERT_THAT(inputs, IsOk());
  ASSERT_THAT(inputs->all_reduces, SizeIs(2));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_THAT(inputs->all_reduces[i].source, HasSubstr("our benchmark, "));
    ASSERT_THAT(inputs->all_reduces[i].points, SizeIs(1));
    EXPECT_EQ(inputs->all_reduces[i].points[0].way, "one_shot, bf16");
    EXPECT_DOUBLE_EQ(inputs->all_reduces[i].points[0].seconds[0], 10e-6);
  }
  ASSERT_THAT(inputs->files, SizeIs(2));
  EXPECT_EQ(inputs->files[0].path(), options.all_reduce_paths[0]);
  EXPECT_THAT(inputs->files[0].sha256(), SizeIs(64));
  const std::string bytes = ReadFile(options.all_reduce_paths[0]);
  WriteFile(options.all_reduce_paths[0], bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(ReadCommModelInputs(options),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(options.all_reduce_paths[0])));
}

TEST(CommModelInputsTest, RecordsAreReadFromTheirJson) {
  const std::string head = R"({"record": [{"header": {"schema": "lockstep.proto.)", end = R"("schema_version": 1}}, )";
  const std::string tail = R"(, {"trailer": {"record_count": "2"}}]})";
  CommModelOptions options;
  options.scale_paths = {TempPath("scale.rec")};
  options.all_reduce_paths = {TempPath("times.json")};
  WriteFile(options.scale_paths[0],
            absl::StrCat(head, "ScaleFile\", ", end, R"({"point": {"ranks": 2, "batch_per_device": 32}})", tail));
  WriteFile(options.all_reduce_paths[0],
            absl::StrCat(head, "CollectiveTimesFile\", ", end,
                         R"({"times": {"collective": "all_reduce", "way": "nccl", "type": "bf16", "ranks": 2, )",
                         R"("size_bytes": "1000", "seconds": {"value": [1e-5]}}})", tail));
  const auto inputs = ReadCommModelInputs(options);
  ASSERT_THAT(inputs, IsOk());
  ASSERT_THAT(inputs->scale->records, SizeIs(1));
  EXPECT_EQ(inputs->scale->records[0].point().ranks(), 2u);
  ASSERT_THAT(inputs->all_reduces, SizeIs(1));
  EXPECT_EQ(inputs->all_reduces[0].points[0].way, "nccl, bf16");
}

TEST(CommModelInputsTest, FlagsGoBeforeTheClusterFile) {
  CommModelOptions options;
  options.what_if.cluster_path = TempPath("cluster.textproto");
  WriteFile(options.what_if.cluster_path,
            "name: 'a' devices_per_host: 8 inter_host { latency_seconds: 5e-6 bytes_per_second: 50e9 }\n");
  options.what_if.cluster.set_devices_per_host(4);
  options.what_if.cluster.mutable_inter_host()->set_bytes_per_second(25e9);
  const auto inputs = ReadCommModelInputs(options);
  ASSERT_THAT(inputs, IsOk());
  EXPECT_EQ(inputs->cluster.name(), "a");
  EXPECT_EQ(inputs->cluster.devices_per_host(), 4u);
  EXPECT_EQ(inputs->cluster.inter_host().bytes_per_second(), 25e9);
  EXPECT_EQ(inputs->cluster.inter_host().latency_seconds(), 5e-6);
}

// Pairs: 2 * 10 us + S / 1 GB/s; four ranks on two hosts: 6 * 10 us + 1.5 S / 1 GB/s. In the JSON of our benchmarks'
// records.
TEST(CommModelInputsTest, TheLinksBetweenHostsMayBeMeasured) {
  CommModelOptions options;
  options.what_if.inter_host_all_reduce_path = TempPath("hosts.json");
  const auto times = [](const char* way, int ranks, const char* bytes, const char* seconds) {
    return absl::StrCat(R"(, {"times": {"collective": "all_reduce", "way": ")", way, R"(", "type": "bf16", "ranks": )",
                        ranks, R"(, "hosts": 2, "size_bytes": ")", bytes, R"(", "seconds": {"value": [)", seconds,
                        "]}}}");
  };
  WriteFile(options.what_if.inter_host_all_reduce_path,
            absl::StrCat(R"({"record": [{"header": {"schema": "lockstep.proto.CollectiveTimesFile", )",
                         R"("schema_version": 1}})", times("nccl", 4, "1000", "61.5e-6"),
                         times("counterparts", 2, "1000", "21e-6"), times("nccl", 4, "1000000", "1560e-6"),
                         times("counterparts", 2, "1000000", "1020e-6"), R"(, {"trailer": {"record_count": "5"}}]})"));
  const auto inputs = ReadCommModelInputs(options);
  ASSERT_THAT(inputs, IsOk());
  for (const proto::Link& link : {inputs->cluster.inter_host(), inputs->cluster.inter_host_flat()}) {
    EXPECT_NEAR(link.latency_seconds(), 10e-6, 1e-15);
    EXPECT_NEAR(link.bytes_per_second(), 1e9, 1e-3);
  }
  EXPECT_THAT(inputs->cluster.inter_host().source(), HasSubstr("hosts.json, counterparts, bf16, 2 ranks"));
  EXPECT_THAT(inputs->cluster.inter_host_flat().source(), HasSubstr("hosts.json, nccl, bf16, 4 ranks"));
  ASSERT_THAT(inputs->files, SizeIs(1));
  EXPECT_EQ(inputs->files[0].path(), options.what_if.inter_host_all_reduce_path);
  options.what_if.cluster.mutable_inter_host_flat()->set_latency_seconds(5e-6);
  EXPECT_THAT(ReadCommModelInputs(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--inter_host_all_reduce=")));
}

}  // namespace
}  // namespace lockstep
