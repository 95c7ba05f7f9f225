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

// Times of a ring of `ranks` ranks with 20 us and 5 GB/s: 2(n-1) * 20 us + 2(n-1)/n * S / 5 GB/s.
double RingSeconds(double ranks, double size_bytes) { return 2 * (ranks - 1) * (20e-6 + size_bytes / ranks / 5e9); }

// 4 ranks, 1,000 bytes: 120.3 us; 10 MB: 3.12 ms.
TEST(FitInterHostLinksTest, MeetsTheMediansOfAllSizes) {
  const auto links =
      FitInterHostLinks({Point(4, 10'000'000, {9, 3.12e-3, 1e-3}, "nccl, bf16"),
                         Point(4, 1000, {120.3e-6}, "nccl, bf16"), Point(4, 50'000, {135e-6}, "nccl, bf16")},
                        "hosts.json");
  ASSERT_THAT(links, IsOk());
  EXPECT_NEAR(links->inter_host.latency_seconds(), 20e-6, 1e-15);
  EXPECT_NEAR(links->inter_host.bytes_per_second(), 5e9, 1e-3);
  EXPECT_NEAR(links->inter_host.relative_error(), 0, 1e-9);
  EXPECT_FALSE(links->flat.has_value());
}

// A size that is off the line counts as much as each other one, whatever its time.
TEST(FitInterHostLinksTest, TheErrorOfTheLineIsNamed) {
  std::vector<AllReducePoint> points;
  for (uint64_t bytes = 1000; bytes <= 100'000'000; bytes *= 10) {
    points.push_back(Point(2, bytes, {RingSeconds(2, static_cast<double>(bytes))}, ""));
  }
  points.back().seconds[0] *= 2;
  const auto links = FitInterHostLinks(points, "hosts.json");
  ASSERT_THAT(links, IsOk());
  EXPECT_EQ(links->inter_host.source(),
            "hosts.json, 2 ranks, 1000 to 100000000 bytes, left-out sizes are off by up to 51.1 %");
  EXPECT_NEAR(links->inter_host.relative_error(), 0.3, 0.05);
  EXPECT_NEAR(links->inter_host.bytes_per_second(), 3.695e9, 1e7);  // the last size alone would give 2.5 GB/s
}

// 2 ranks: 2 * 10 us + S / 1 GB/s. Other ranks, placements and ways have other times and are not used.
TEST(FitInterHostLinksTest, TakesTheMostRanksOfTheFirstWayOfTraining) {
  AllReducePoint out_of_place = Point(2, 1000, {1}, "gloo"), tree = Point(2, 1000, {1}, "");
  out_of_place.in_place = false;
  tree.nccl_algorithm = "tree";
  std::vector<AllReducePoint> points = {out_of_place,
                                        tree,
                                        Point(2, 1000, {1}, "one_shot, bf16"),
                                        Point(2, 1000, {21e-6}, "gloo"),
                                        Point(2, 1000, {1}, "nccl, float"),
                                        Point(2, 1'000'000, {1020e-6}, "gloo")};
  auto links = FitInterHostLinks(points, "x");
  ASSERT_THAT(links, IsOk());
  EXPECT_NEAR(links->inter_host.latency_seconds(), 10e-6, 1e-15);
  EXPECT_NEAR(links->inter_host.bytes_per_second(), 1e9, 1e-3);
  EXPECT_EQ(links->inter_host.source(), "x, gloo, 2 ranks, 1000 to 1000000 bytes");  // two sizes lie on a line
  points.push_back(Point(4, 1000, {RingSeconds(4, 1000)}, "gloo"));
  points.push_back(Point(4, 10'000'000, {RingSeconds(4, 1e7)}, "gloo"));
  links = FitInterHostLinks(points, "x");
  ASSERT_THAT(links, IsOk());
  EXPECT_NEAR(links->inter_host.bytes_per_second(), 5e9, 1e-3);
}

// Two hosts of two ranks: counterparts are pairs, 2 * 10 us + S / 1 GB/s; the flat all-reduce has 4 ranks. Ways that
// training does not use have other times.
TEST(FitInterHostLinksTest, SeveralRanksOfAHostGiveBothLinks) {
  std::vector<AllReducePoint> points = {
      Point(4, 1000, {RingSeconds(4, 1000)}, "nccl, bf16"), Point(4, 1'000'000, {RingSeconds(4, 1e6)}, "nccl, bf16"),
      Point(4, 1000, {1}, "hierarchical_nccl, bf16"),       Point(4, 1'000'000, {1}, "hierarchical_nccl, bf16"),
      Point(2, 1000, {21e-6}, "counterparts, bf16"),        Point(2, 1'000'000, {1020e-6}, "counterparts, bf16")};
  for (AllReducePoint& point : points) {
    point.hosts = 2;
  }
  const auto links = FitInterHostLinks(points, "x");
  ASSERT_THAT(links, IsOk());
  EXPECT_NEAR(links->inter_host.latency_seconds(), 10e-6, 1e-15);
  EXPECT_NEAR(links->inter_host.bytes_per_second(), 1e9, 1e-3);
  ASSERT_TRUE(links->flat.has_value());
  EXPECT_NEAR(links->flat->latency_seconds(), 20e-6, 1e-15);
  EXPECT_NEAR(links->flat->bytes_per_second(), 5e9, 1e-3);
  EXPECT_EQ(links->flat->source(), "x, nccl, bf16, 4 ranks, 1000 to 1000000 bytes");
}

TEST(FitInterHostLinksTest, SeveralRanksOnAHostAreNotUsed) {
  std::vector<AllReducePoint> points = {Point(4, 1000, {1}, "gloo"), Point(2, 1000, {21e-6}, "gloo"),
                                        Point(2, 1'000'000, {1020e-6}, "gloo")};
  for (AllReducePoint& point : points) {
    point.hosts = 2;
  }
  const auto links = FitInterHostLinks(points, "x");
  ASSERT_THAT(links, IsOk());
  EXPECT_NEAR(links->inter_host.bytes_per_second(), 1e9, 1e-3);
  EXPECT_FALSE(links->flat.has_value());  // one size is no line
}

TEST(FitInterHostLinksTest, RefusesTimesThatAreNoLink) {
  const auto refused = [](const std::vector<AllReducePoint>& points, const char* text) {
    EXPECT_THAT(FitInterHostLinks(points, "hosts.json"),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(text)));
  };
  refused({}, "hosts.json: expected all-reduce times of NCCL or Gloo for two or more sizes");
  refused({Point(2, 1000, {1e-3}, ""), Point(2, 1000, {2e-3}, "")}, "two or more sizes");
  std::vector<AllReducePoint> one_host = {Point(2, 1000, {21e-6}, "gloo"), Point(2, 1'000'000, {1020e-6}, "gloo")};
  for (AllReducePoint& point : one_host) {
    point.hosts = 1;
  }
  refused(one_host,
          "hosts.json: expected all-reduce times among counterparts or with one rank on each host, found those of 2 "
          "ranks on one host; measure with");
  std::vector<AllReducePoint> pairs = {Point(4, 1000, {21e-6}, "gloo"), Point(4, 1'000'000, {1020e-6}, "gloo")};
  for (AllReducePoint& point : pairs) {
    point.hosts = 2;
  }
  refused(pairs, "found those of 4 ranks on 2 hosts; measure with this version's gpu_all_reduce_benchmark over");
  refused({Point(2, 1000, {1e-3}, ""), Point(2, 2000, {1e-3}, "")}, "no latency and bandwidth");  // no bandwidth
  refused({Point(2, 1000, {1e-3}, ""), Point(2, 2000, {3e-3}, "")}, "no latency and bandwidth");  // latency below 0
}

}  // namespace
}  // namespace lockstep
