#include "lib/prediction/inter_host_link.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

AllReducePoint Point(uint32_t ranks, uint64_t size_bytes, std::vector<double> seconds, const std::string& way) {
  AllReducePoint point;
  point.ranks = ranks;
  point.size_bytes = size_bytes;
  point.in_place = true;
  point.seconds = std::move(seconds);
  point.way = way;
  return point;
}

// 4 ranks, 20 us and 5 GB/s: 6 * 20 us + 1.5 S / 5 GB/s. 1,000 bytes: 120.3 us; 10 MB: 3.12 ms.
TEST(InterHostLinkTest, MeetsTheSmallestAndTheLargestSize) {
  const auto link = InterHostLink({Point(4, 10'000'000, {9, 3.12e-3, 1e-3}, "nccl, bf16"),
                                   Point(4, 1000, {120.3e-6}, "nccl, bf16"), Point(4, 50'000, {1}, "nccl, bf16")},
                                  "hosts.json");
  ASSERT_THAT(link, IsOk());
  EXPECT_NEAR(link->latency_seconds(), 20e-6, 1e-15);
  EXPECT_NEAR(link->bytes_per_second(), 5e9, 1e-3);
  EXPECT_EQ(link->source(), "hosts.json, nccl, bf16, 4 ranks, 1000 and 10000000 bytes");
}

// 2 ranks: 2 * 10 us + S / 1 GB/s. Other ranks, placements and ways have other times and are not used.
TEST(InterHostLinkTest, TakesTheMostRanksOfTheFirstWayOfTraining) {
  AllReducePoint out_of_place = Point(2, 1000, {1}, "gloo"), tree = Point(2, 1000, {1}, "");
  out_of_place.in_place = false;
  tree.nccl_algorithm = "tree";
  std::vector<AllReducePoint> points = {out_of_place,
                                        tree,
                                        Point(2, 1000, {1}, "one_shot, bf16"),
                                        Point(2, 1000, {21e-6}, "gloo"),
                                        Point(2, 1000, {1}, "nccl, float"),
                                        Point(2, 1'000'000, {1020e-6}, "gloo")};
  auto link = InterHostLink(points, "x");
  ASSERT_THAT(link, IsOk());
  EXPECT_NEAR(link->latency_seconds(), 10e-6, 1e-15);
  EXPECT_NEAR(link->bytes_per_second(), 1e9, 1e-3);
  points.push_back(Point(4, 1000, {120.3e-6}, "gloo"));
  points.push_back(Point(4, 10'000'000, {3.12e-3}, "gloo"));
  link = InterHostLink(points, "x");
  ASSERT_THAT(link, IsOk());
  EXPECT_NEAR(link->bytes_per_second(), 5e9, 1e-3);
}

TEST(InterHostLinkTest, SeveralRanksOnAHostAreNotUsed) {
  std::vector<AllReducePoint> points = {Point(4, 1000, {1}, "gloo"), Point(2, 1000, {21e-6}, "gloo"),
                                        Point(2, 1'000'000, {1020e-6}, "gloo")};
  for (AllReducePoint& point : points) {
    point.hosts = 2;
  }
  const auto link = InterHostLink(points, "x");
  ASSERT_THAT(link, IsOk());
  EXPECT_NEAR(link->bytes_per_second(), 1e9, 1e-3);
}

TEST(InterHostLinkTest, RefusesTimesThatAreNoLink) {
  const auto refused = [](const std::vector<AllReducePoint>& points, const char* text) {
    EXPECT_THAT(InterHostLink(points, "hosts.json"), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(text)));
  };
  refused({}, "hosts.json: expected all-reduce times of NCCL or Gloo for two or more sizes");
  refused({Point(2, 1000, {1e-3}, ""), Point(2, 1000, {2e-3}, "")}, "two or more sizes");
  std::vector<AllReducePoint> one_host = {Point(2, 1000, {21e-6}, "gloo"), Point(2, 1'000'000, {1020e-6}, "gloo")};
  for (AllReducePoint& point : one_host) {
    point.hosts = 1;
  }
  refused(one_host,
          "hosts.json: expected all-reduce times with one rank on each host, found those of 2 ranks on one host; "
          "measure");
  std::vector<AllReducePoint> pairs = {Point(4, 1000, {21e-6}, "gloo"), Point(4, 1'000'000, {1020e-6}, "gloo")};
  for (AllReducePoint& point : pairs) {
    point.hosts = 2;
  }
  refused(pairs, "found those of 4 ranks on 2 hosts; measure with one rank on each host");
  refused({Point(2, 1000, {1e-3}, ""), Point(2, 2000, {1e-3}, "")}, "no latency and bandwidth");  // no bandwidth
  refused({Point(2, 1000, {1e-3}, ""), Point(2, 2000, {3e-3}, "")}, "no latency and bandwidth");  // latency below 0
}

}  // namespace
}  // namespace lockstep
