#include "lib/comm_model/export.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

TEST(ExportCsvTest, OneLineForEachNumber) {
  const std::string csv = ExportCsv({Parse<proto::CommModelRecord>(
      "scaling { ranks: 2 batch_per_device: 32"
      "  epoch_seconds { value: 1.5 low: 1 high: 2 provenance: MEASURED method: 'a, \"b\"' }"
      "  strong_speedup { absent_reason: 'not there' } }")});
  EXPECT_EQ(csv,
            "record,source,variant,devices,batch_per_device,quantity,value,low,high,provenance,method\n"
            "scaling,,,2,32,epoch_seconds,1.5,1,2,measured,\"a, \"\"b\"\"\"\n"
            "scaling,,,2,32,strong_speedup,,,,,not there\n");
}

TEST(ExportCsvTest, EveryKindOfRecord) {
  const std::string csv = ExportCsv(
      {Parse<proto::CommModelRecord>(
           "all_reduce_fit { source: 's' ranks: 4 piece { from_bytes: 1 to_bytes: 8 "
           "alpha_seconds { value: 2 provenance: MODELLED } } point { size_bytes: 8 seconds: 3 "
           "left_out_seconds: 2.5 nccl_model_seconds: 4 } }"),
       Parse<proto::CommModelRecord>(
           "law { law: 'amdahl' source: 's' parameter { name: 'serial fraction a' quantity { value: "
           "0.1 provenance: MODELLED } } }"),
       Parse<proto::CommModelRecord>("prediction { source: 's' ranks: 4 batch_per_device: 32 epoch_seconds { value: 7 "
                                     "provenance: MODELLED } relative_error: 0.5 null_relative_error: -0.25 }"),
       Parse<proto::CommModelRecord>(
           "what_if { variant: 'as given' devices: 8 step_seconds { value: 9 provenance: MODELLED } }"),
       Parse<proto::CommModelRecord>("what_if { variant: 'as given' devices: 8 hosts: 2 exchange: 'flat' "
                                     "step_seconds { value: 10 provenance: MODELLED } }"),
       Parse<proto::CommModelRecord>(
           "audit { source: 's' table: 'T' value { published { quantity: SPEEDUP devices: 2 batch: 32 "
           "as_printed: '1.50' } finding: REPRODUCED sentence: 'fine' } }")});
  EXPECT_THAT(csv, HasSubstr("\nall_reduce_fit,s,1 to 8 bytes,4,,alpha_seconds,2,,,modelled,\n"));
  EXPECT_THAT(csv, HasSubstr("\nall_reduce_fit,s,8 bytes,4,,nccl_model_seconds,4,,,modelled,NCCL's static model\n"));
  EXPECT_THAT(csv, HasSubstr("\nlaw,s,amdahl,,,serial fraction a,0.10000000000000001,,,modelled,\n"));
  EXPECT_THAT(csv, HasSubstr("\nprediction,s,,4,32,epoch_seconds,7,,,modelled,\n"));
  EXPECT_THAT(csv, HasSubstr("\nprediction,s,,4,32,null_relative_error,-0.25,,,derived,T_1/N / measured - 1\n"));
  EXPECT_THAT(csv, HasSubstr("\nwhat_if,,as given,8,,step_seconds,9,,,modelled,\n"));
  EXPECT_THAT(csv, HasSubstr("\nwhat_if,,\"as given, flat\",8,,step_seconds,10,,,modelled,\n"));
  EXPECT_THAT(csv, HasSubstr("\naudit,s,T,2,32,SPEEDUP,1.50,,,published,REPRODUCED: fine\n"));
}

ScaleRecords Scale(const std::vector<std::string>& points) {
  ScaleRecords scale;
  for (const std::string& point : points) {
    scale.records.push_back(Parse<proto::ScaleRecord>("point { " + point + " }"));
  }
  return scale;
}

// Follows the grammar of Extra-P's docs/file-formats.md: no exponents, one DATA line per point, in their order.
TEST(ExportExtraPTest, EveryRepeatOfEveryPoint) {
  const auto text = ExportExtraP(
      Scale({"ranks: 1 batch_per_device: 32 reduction: PLAIN outcome: COMPLETED epoch_seconds { value: 2 value: 2.5 } "
             "step_seconds { value: 1.5 value: 0.0000001 }",
             "ranks: 1 batch_per_device: 32 reduction: ALL_REDUCE outcome: COMPLETED epoch_seconds { value: 9 } "
             "step_seconds { value: "
             "9 }",
             "ranks: 2 batch_per_device: 32 reduction: ALL_REDUCE outcome: COMPLETED epoch_seconds { value: 1.25 } "
             "step_seconds { "
             "value: 1 }",
             "ranks: 2 batch_per_device: 32 reduction: ABLATED outcome: COMPLETED epoch_seconds { value: 9 } "
             "step_seconds { value: 9 }",
             "ranks: 4 batch_per_device: 32 reduction: ALL_REDUCE outcome: OUT_OF_MEMORY"}));
  ASSERT_THAT(text, IsOk());
  EXPECT_EQ(*text,
            "PARAMETER devices batch\n"
            "POINTS (1 32) (2 32)\n"
            "REGION epoch\nMETRIC epoch_seconds\n"
            "DATA 2.000000000 2.500000000\nDATA 1.250000000\n"
            "REGION epoch\nMETRIC step_seconds\n"
            "DATA 1.500000000 0.000000100\nDATA 1.000000000\n");
}

TEST(ExportExtraPTest, NothingCompletedIsAUsageError) {
  EXPECT_THAT(ExportExtraP(Scale({})), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("completed points")));
}

proto::CommModelRecord Fit(const std::string& algorithm, const std::string& protocol, double at_1k, double at_64k,
                           double at_1m) {
  proto::CommModelRecord record;
  proto::AllReduceFit& fit = *record.mutable_all_reduce_fit();
  fit.set_ranks(4);
  fit.set_in_place(true);
  fit.set_nccl_algorithm(algorithm);
  fit.set_nccl_protocol(protocol);
  for (const auto& [size, seconds] : {std::make_pair(1024.0, at_1k), {65536.0, at_64k}, {1048576.0, at_1m}}) {
    fit.add_point()->set_size_bytes(size);
    fit.mutable_point(fit.point_size() - 1)->set_seconds(seconds);
  }
  return record;
}

// LL is the fastest at 1 KiB and 64 KiB, Simple at 1 MiB. The geometric mean of 65536 and 1048576 is 262144.
TEST(ExportNcclTunerTest, ARuleForEachRangeOfSizes) {
  const auto text =
      ExportNcclTuner({Fit("ring", "ll", 1, 2, 9), Fit("ring", "simple", 3, 4, 5), Fit("tree", "ll", 2, 3, 8)});
  ASSERT_THAT(text, IsOk());
  EXPECT_EQ(*text,
            "# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff\n"
            "allreduce,1024,262144,ring,ll,-1,-1,4,-1,-1\n"
            "allreduce,262145,1048576,ring,simple,-1,-1,4,-1,-1\n");
}

TEST(ExportNcclTunerTest, OneRunIsNoComparison) {
  EXPECT_THAT(ExportNcclTuner({Fit("ring", "ll", 1, 2, 9)}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("NCCL_ALGO")));
  EXPECT_THAT(ExportNcclTuner({Fit("", "", 1, 2, 9), Fit("", "", 1, 2, 9)}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("NCCL_ALGO")));
}

}  // namespace
}  // namespace lockstep
