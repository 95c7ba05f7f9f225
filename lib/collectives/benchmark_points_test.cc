#include "lib/collectives/benchmark_points.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 1,000,000 bytes in 10 us are 100 GB/s; between two ranks the bus bandwidth is the same.
const char kRow[] =
    R"({"name": "all_reduce/ranks:2/type:bf16/bytes:1000000/method:nccl/iterations:1/manual_time",
        "run_type": "iteration", "us": 10.0, "us_p95": 12.0, "algbw": 100.0, "busbw": 100.0, "wrong": 0.0})";

std::string File(const std::string& rows) {
  return absl::StrCat(R"({"context": {"num_cpus": 2}, "benchmarks": [)", rows, "]}");
}

std::string With(const std::string& from, const std::string& to) {
  return File(absl::StrReplaceAll(kRow, {{from, to}}));
}

TEST(BenchmarkPointsTest, RowsOfGpusArePointsByWay) {
  const std::string other = absl::StrReplaceAll(kRow, {{"bf16", "float"}, {"nccl", "one_shot"}});
  const std::string mean = absl::StrReplaceAll(kRow, {{"iteration\"", "aggregate\""}});
  const auto points = ParseAllReduceBenchmark(
      File(absl::StrCat(kRow, ",", other, ",", kRow, ",", mean, R"(,{"name": "BM_Other/2", "us": 1},)",
                        R"({"name": "broadcast/ranks:2/type:bf16/bytes:8/method:nccl", "us": 1},)",
                        R"({"name": "peer_to_peer/from:0/to:1/bytes:8", "us": 1})")),
      "f.json");
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 2u);
  EXPECT_EQ((*points)[0].ranks, 2u);
  EXPECT_EQ((*points)[0].size_bytes, 1000000u);
  EXPECT_TRUE((*points)[0].in_place);
  EXPECT_EQ((*points)[0].way, "nccl, bf16");
  EXPECT_THAT((*points)[0].seconds, ElementsAre(10e-6, 10e-6));
  EXPECT_EQ((*points)[1].way, "one_shot, float");
}

TEST(BenchmarkPointsTest, RowsOfSeveralHostsArePointsByWay) {
  const auto points = ParseAllReduceBenchmark(With("method:nccl", "method:hierarchical_nccl/hosts:2"), "f.json");
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 1u);
  EXPECT_EQ((*points)[0].ranks, 2u);
  EXPECT_EQ((*points)[0].way, "hierarchical_nccl, bf16");
  EXPECT_EQ((*points)[0].hosts, 2u);
  EXPECT_THAT(ParseAllReduceBenchmark(With("method:nccl", "method:nccl/hosts:two"), "f.json"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("2 or more ranks")));
}

// With 4 ranks the bus bandwidth is 2 * 3 / 4 times the algorithm bandwidth.
TEST(BenchmarkPointsTest, RowsOfCpusArePointsByWay) {
  const std::string shared =
      R"({"name": "all_reduce/ranks:4/type:float/bytes:1000/method:shared_memory/iterations:1", "us": 1, "algbw": 1,
          "busbw": 1.5, "ratio": 10, "wrong": 0})";
  const std::string gloo =
      R"({"name": "all_reduce/ranks:4/type:float/bytes:1000/method:gloo/iterations:1", "us": 10, "algbw": 0.1,
          "busbw": 0.15, "wrong": 0})";
  const auto points = ParseAllReduceBenchmark(File(absl::StrCat(shared, ",", gloo)), "f.json");
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 2u);
  EXPECT_EQ((*points)[0].way, "shared memory");
  EXPECT_EQ((*points)[0].ranks, 4u);
  EXPECT_EQ((*points)[1].way, "gloo");
  EXPECT_THAT((*points)[1].seconds, ElementsAre(10e-6));
}

TEST(BenchmarkPointsTest, OlderNamesOnGpusAreRead) {
  const auto points =
      ParseAllReduceBenchmark(With("ranks:2/type:bf16/bytes:1000000/method:nccl", "2/bf16/1000000/nccl"), "f.json");
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 1u);
  EXPECT_EQ((*points)[0].ranks, 2u);
  EXPECT_EQ((*points)[0].size_bytes, 1000000u);
  EXPECT_EQ((*points)[0].way, "nccl, bf16");
}

TEST(BenchmarkPointsTest, OlderRowsOfCpusAreTwoPoints) {
  const auto points = ParseAllReduceBenchmark(
      File(R"({"name": "BM_AllReduce/processes:4/bytes:1000/iterations:1", "us": 1, "algbw": 1, "busbw": 1.5,
               "wrong": 0, "gloo_us": 10, "gloo_algbw": 0.1, "gloo_busbw": 0.15, "gloo_wrong": 0})"),
      "f.json");
  ASSERT_THAT(points, IsOk());
  ASSERT_EQ(points->size(), 2u);
  EXPECT_EQ((*points)[0].way, "shared memory");
  EXPECT_EQ((*points)[1].way, "gloo");
  EXPECT_EQ((*points)[1].ranks, 4u);
  EXPECT_THAT((*points)[1].seconds, ElementsAre(10e-6));
}

TEST(BenchmarkPointsTest, WhatIsWrongIsNamed) {
  const auto expect = [](const std::string& text, const char* words) {
    EXPECT_THAT(ParseAllReduceBenchmark(text, "f.json"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(words)));
  };
  expect("{", "f.json: expected the JSON");
  expect(File(""), "expected rows of all_reduce_benchmark");
  expect(With("\"wrong\": 0.0", "\"wrong\": 3"), "3 wrong elements");
  expect(With("\"us\": 10.0,", ""), "expected a time above 0");
  expect(With("\"us\": 10.0", "\"us\": -1"), "expected a time above 0");
  expect(With("\"algbw\": 100.0", "\"algbw\": 90"), "expected algbw to follow from the time, 100 GB/s, found 90");
  expect(With("\"busbw\": 100.0", "\"busbw\": 200"), "expected busbw");
  expect(With("ranks:2/", "ranks:1/"), "expected 2 or more ranks");
  expect(With("1000000", "x"), "expected 2 or more ranks");
  expect(With("1000000", "0"), "1 to 2^53 bytes");
  expect(With("\"us\":", "\"error_occurred\": true, \"us\":"), "the benchmark failed there");
}

TEST(BenchmarkPointsTest, OtherJsonIsNotTaken) {
  EXPECT_TRUE(IsGoogleBenchmark(File(kRow)));
  EXPECT_FALSE(IsGoogleBenchmark(R"({"args": ["all_reduce_perf"], "results": []})"));
}

}  // namespace
}  // namespace lockstep
