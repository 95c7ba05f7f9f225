#include "lib/collectives/all_reduce_points.h"

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two GPUs of one process; version 2 lists only the first rank. 1000 bytes in 10 us are 0.1 GB/s; 2(N-1)/N = 1.
const char kTwoGpus[] = R"({"version":2,"args":["build/all_reduce_perf","-g","2"],"env":["LANG=C"],
"config":{"nthreads":1,"ngpus":2,"devices":[{"rank":0,"group":0,"pid":7,"hostname":"a"}]},
"results":[{"size":1000,"count":250,"out_of_place":{"time":10.000000,"alg_bw":0.100000,"bus_bw":0.100000,"nwrong":0.000000},
"in_place":{"time":20.000000,"alg_bw":0.050000,"bus_bw":0.050000,"nwrong":null}}]})";

std::string TwoGpusBut(absl::string_view from, absl::string_view to) {
  const std::string text = absl::StrReplaceAll(kTwoGpus, {{from, to}});
  EXPECT_NE(text, kTwoGpus) << from << " is not there";
  return text;
}

void ExpectRefused(const std::string& text, const std::string& reason) {
  EXPECT_THAT(ParseNcclTests(text, "a.json"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(reason)));
}

TEST(NcclTestsTest, OnePointForEachPlacement) {
  const auto points = ParseNcclTests(kTwoGpus, "a.json");
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 2u);
  const AllReducePoint& first = (*points)[0];
  EXPECT_EQ(first.ranks, 2u);
  EXPECT_EQ(first.size_bytes, 1000u);
  EXPECT_FALSE(first.in_place);
  EXPECT_THAT(first.seconds, ElementsAre(1e-5));
  EXPECT_EQ(first.origin, "a.json, results[0].out_of_place");
  EXPECT_TRUE((*points)[1].in_place);
  EXPECT_THAT((*points)[1].seconds, ElementsAre(2e-5));
}

TEST(NcclTestsTest, TheSampleFile) {
  const auto points = ParseNcclTests(ReadFile("data/testdata/nccl_tests/all_reduce_4.json"), "a.json");
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 16u);  // eight sizes, out of place and in place
  EXPECT_EQ(points->front().ranks, 4u);
  EXPECT_EQ(points->front().size_bytes, 1024u);
  EXPECT_EQ(points->back().size_bytes, 1073741824u);
  EXPECT_DOUBLE_EQ(points->back().seconds[0], 4595.5e-6);
}

TEST(NcclTestsTest, RanksAreProcessesTimesThreadsTimesGpus) {
  // Two processes on one host, and one on another host with the same process id, two GPUs each: 6 ranks, 2 * 5/6 * 0.1
  // GB/s.
  const std::string text =
      absl::StrReplaceAll(kTwoGpus, {{"\"hostname\":\"a\"}",
                                      "\"hostname\":\"a\"},{\"rank\":2,\"pid\":8,\"hostname\":\"a\"},"
                                      "{\"rank\":4,\"pid\":7,\"hostname\":\"b\"}"},
                                     {"\"bus_bw\":0.100000", "\"bus_bw\":0.166667"},
                                     {"\"bus_bw\":0.050000", "\"bus_bw\":0.083333"}});
  const auto points = ParseNcclTests(text, "a.json");
  ASSERT_THAT(points, IsOk());
  EXPECT_EQ(points->front().ranks, 6u);
  EXPECT_EQ(points->front().hosts, 2u);
}

TEST(NcclTestsTest, DevicesMayStandOutsideOfConfigAndHoldEveryRank) {
  const auto points = ParseNcclTests(
      R"({"args":["all_reduce_perf_mpi"],"config":{"nthreads":1,"ngpus":2},
          "devices":[{"rank":0,"pid":7,"hostname":"a"},{"rank":1,"pid":7,"hostname":"a"}],
          "results":[{"size":1000,"out_of_place":null,"in_place":{"time":10,"alg_bw":0.1,"bus_bw":0.1}}]})",
      "a.json");
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 1u);
  EXPECT_EQ(points->front().ranks, 2u);
  EXPECT_EQ(points->front().hosts, 1u);
}

TEST(NcclTestsTest, ARepeatedSizeIsMoreSamples) {
  const std::string row = R"({"size":1000,"in_place":{"time":10,"alg_bw":0.1,"bus_bw":0.1}})";
  const std::string slower = R"({"size":1000,"in_place":{"time":20,"alg_bw":0.05,"bus_bw":0.05}})";
  const std::string text = std::string(kTwoGpus).substr(0, std::string(kTwoGpus).find("\"results\"")) +
                           "\"results\":[" + row + "," + slower + "]}";
  const auto points = ParseNcclTests(text, "a.json");
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 1u);
  EXPECT_THAT(points->front().seconds, ElementsAre(1e-5, 2e-5));
}

TEST(NcclTestsTest, AColumnThatContradictsTheOthers) {
  ExpectRefused(TwoGpusBut("\"alg_bw\":0.100000", "\"alg_bw\":0.100010"),
                "a.json, results[0].out_of_place: expected alg_bw to be size / time = 0.1 GB/s, found 0.10001");
  ExpectRefused(
      TwoGpusBut("\"bus_bw\":0.050000", "\"bus_bw\":0.075000"),
      "a.json, results[0].in_place: expected bus_bw to be alg_bw * 2(N-1)/N of 2 ranks = 0.05 GB/s, found 0.075");
  ExpectRefused(TwoGpusBut("\"ngpus\":2", "\"ngpus\":4"), "of 4 ranks = 0.15 GB/s, found 0.1");
  ExpectRefused(TwoGpusBut("\"size\":1000", "\"size\":1024"), "alg_bw");
}

TEST(NcclTestsTest, RoundingOfTheColumnsIsNoContradiction) {
  // 8 bytes in 7 us: 0.001142857... GB/s, printed with six decimals.
  EXPECT_THAT(ParseNcclTests(R"({"args":["all_reduce_perf"],"config":{"nthreads":2,"ngpus":1,"devices":[{"pid":1}]},
      "results":[{"size":8,"in_place":{"time":7.0,"alg_bw":0.001143,"bus_bw":0.001143}}]})",
                             "a.json"),
              IsOk());
}

TEST(NcclTestsTest, WhatIsNoTimeOfAnAllReduce) {
  ExpectRefused(TwoGpusBut("all_reduce_perf", "all_gather_perf"), "found 'build/all_gather_perf'");
  ExpectRefused(TwoGpusBut("\"nwrong\":0.000000", "\"nwrong\":3.000000"),
                "results[0].out_of_place: expected a correct result");
  ExpectRefused(TwoGpusBut("\"time\":10.000000", "\"cpu_time\":10.000000"), "run without -C");
  ExpectRefused(TwoGpusBut("\"time\":10.000000", "\"time\":0.000000"), "expected a time above 0 us, found 0");
  ExpectRefused(TwoGpusBut("\"time\":10.000000,", ""), "found none");
  ExpectRefused(TwoGpusBut("\"alg_bw\":0.100000,", ""), "one is missing");
  ExpectRefused(TwoGpusBut("\"size\":1000", "\"size\":0"), "results[0]: expected a size above 0");
  ExpectRefused(TwoGpusBut("\"rank\":0,", "\"rank\":1,\"group\":1,\"pid\":6},{\"rank\":0,"), "NCCL_TESTS_SPLIT");
  ExpectRefused(TwoGpusBut("\"ngpus\":2", "\"ngpus\":1"), "expected 2 or more ranks");
}

TEST(NcclTestsTest, AlgorithmAndProtocolAreThoseOfTheEnvironment) {
  const auto chosen = ParseNcclTests(kTwoGpus, "a.json");
  ASSERT_THAT(chosen, IsOk());
  EXPECT_EQ((*chosen)[0].nccl_algorithm, "");
  const auto named = ParseNcclTests(TwoGpusBut("\"LANG=C\"", "\"NCCL_ALGO=Ring\",\"NCCL_PROTO=LL128\""), "a.json");
  ASSERT_THAT(named, IsOk());
  EXPECT_EQ((*named)[1].nccl_algorithm, "ring");
  EXPECT_EQ((*named)[1].nccl_protocol, "ll128");
}

TEST(NcclTestsTest, ARowWithoutBytesIsIgnored) {
  const std::string empty = R"("results":[{"size":0,"count":0,"out_of_place":{"time":11.2,"alg_bw":0.0,"bus_bw":0.0},
      "in_place":{"time":11.0,"alg_bw":0.0,"bus_bw":0.0}},)";
  const auto points = ParseNcclTests(TwoGpusBut("\"results\":[", empty), "a.json");
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 2u);
  EXPECT_EQ(points->front().size_bytes, 1000u);
}

TEST(NcclTestsTest, ProcessesOfEqualNamesAreCountedByTheirRanks) {
  // Two containers with the same host name and process id, two GPUs each: 4 ranks, 2 * 3/4 * 0.1 GB/s.
  const auto points = ParseNcclTests(
      absl::StrReplaceAll(kTwoGpus,
                          {{"\"hostname\":\"a\"}", "\"hostname\":\"a\"},{\"rank\":2,\"pid\":7,\"hostname\":\"a\"}"},
                           {"\"bus_bw\":0.100000", "\"bus_bw\":0.150000"},
                           {"\"bus_bw\":0.050000", "\"bus_bw\":0.075000"}}),
      "a.json");
  ASSERT_THAT(points, IsOk());
  EXPECT_EQ(points->front().ranks, 4u);
  EXPECT_EQ(points->front().hosts, 0u) << "one host or two";
}

TEST(NcclTestsTest, AByteOrderMarkAndOtherForms) {
  EXPECT_THAT(ParseNcclTests(std::string("\xEF\xBB\xBF") + kTwoGpus, "a.json"), IsOk());
  ExpectRefused("# nccl-tests version 2.17.6\n# Using devices\n", "found the text that it prints; run all_reduce_perf");
  ExpectRefused("{\"size\": 8}\n{\"size\": 16}\n",
                "found several JSON objects; run all_reduce_perf again with -J FILE");
}

TEST(NcclTestsTest, ASizeThatNoMessageHas) {
  ExpectRefused(TwoGpusBut("\"size\":1000", "\"size\":9007199254740993"), "up to 2^53 bytes");
}

TEST(NcclTestsTest, WhatIsNoSuchFile) {
  ExpectRefused("", "a.json: expected the JSON that nccl-tests writes with -J");
  ExpectRefused(std::string(kTwoGpus).substr(0, 200), "a.json: expected the JSON");
  ExpectRefused(TwoGpusBut("\"size\":1000", "\"size\":\"large\""), "size");
  ExpectRefused("{}", "args[0]");
  ExpectRefused(std::string(kTwoGpus).substr(0, std::string(kTwoGpus).find("\"results\"")) + "\"results\":[]}",
                "expected rows in `results`, found none");
}

RecordFile<proto::ScaleRecord> Records(const std::vector<std::string>& texts) {
  RecordFile<proto::ScaleRecord> file;
  for (const std::string& text : texts) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &file.records.emplace_back())) << text;
  }
  return file;
}

TEST(AllReducePointsOfTest, TakesEachPointsProbe) {
  const auto points =
      AllReducePointsOf(Records({"spec { mode: DDP }", "point { ranks: 1 }",
                                 "point { ranks: 2 probe { size_bytes: 4000 seconds { value: [1e-4, 2e-4] } } }",
                                 "point { ranks: 2 probe { seconds { absent_reason: 'no' } } }"}));
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 1u);
  EXPECT_EQ(points->front().ranks, 2u);
  EXPECT_EQ(points->front().size_bytes, 4000u);
  EXPECT_TRUE(points->front().in_place);
  EXPECT_THAT(points->front().seconds, ElementsAre(1e-4, 2e-4));
  EXPECT_EQ(points->front().origin, "scale record, point 2");
}

TEST(AllReducePointsOfTest, NothingMeasuredIsNoError) { EXPECT_THAT(*AllReducePointsOf(Records({})), IsEmpty()); }

TEST(AllReducePointsOfTest, RefusesASizeThatNoMessageHas) {
  EXPECT_THAT(AllReducePointsOf(
                  Records({"point { ranks: 2 probe { size_bytes: 18446744073709551615 seconds { value: 1 } } }"})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("up to 2^53 bytes")));
}

TEST(AllReducePointsOfTest, RefusesATimeThatIsNone) {
  EXPECT_THAT(AllReducePointsOf(Records({"point { ranks: 2 probe { size_bytes: 4 seconds { value: [1, -1] } } }"})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("scale record, point 1: expected times")));
}

}  // namespace
}  // namespace lockstep
