#include "lib/reducer/bucket_plan_auto.h"

#include <numeric>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::IsEmpty;

std::vector<size_t> InOrder(size_t n) {
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

uint64_t BytesOf(const std::vector<size_t>& bucket, const std::vector<TimedGradient>& gradients) {
  return std::accumulate(bucket.begin(), bucket.end(), uint64_t{0},
                         [&](uint64_t sum, size_t i) { return sum + gradients[i].sent_bytes; });
}

TEST(PlanBucketsByTimeTest, NoGradientsNoBuckets) {
  EXPECT_THAT(PlanBucketsByTime({}, {}, {1, 1}), IsEmpty());
  EXPECT_EQ(LastFinishSeconds({}, {}, {1, 1}), 0);
}

TEST(PlanBucketsByTimeTest, ByHand) {
  // Ready at 1, 2 and 10 s, 100 bytes each, 1 s + 10 ms per byte. All in one bucket: 10 + 1 + 3 = 14. The first two
  // while the third is computed: 2 + 1 + 2 = 5, then 10 + 1 + 1 = 12. One bucket each is no faster: 3, 5, 12.
  const std::vector<TimedGradient> gradients = {{100, 1}, {100, 2}, {100, 10}};
  const BucketPlan plan = PlanBucketsByTime(gradients, {0, 1, 2}, {1, 0.01});
  EXPECT_EQ(plan, (BucketPlan{{0, 1}, {2}}));
  EXPECT_DOUBLE_EQ(LastFinishSeconds(plan, gradients, {1, 0.01}), 12);
  EXPECT_DOUBLE_EQ(LastFinishSeconds({{0, 1, 2}}, gradients, {1, 0.01}), 14);
}

TEST(PlanBucketsByTimeTest, ReadyTogetherTheyTravelTogether) {
  EXPECT_EQ(PlanBucketsByTime({{10, 1}, {10, 1}, {10, 1}}, {2, 0, 1}, {1, 1}), (BucketPlan{{2, 0, 1}}));
}

TEST(PlanBucketsByTimeTest, TheLastBucketIsSmall) {
  // 2 MiB and 512 KiB, ready together: one bucket would save an alpha, but is too large to be the last.
  const std::vector<TimedGradient> gradients = {{2 << 20, 1}, {512 << 10, 1}};
  EXPECT_EQ(PlanBucketsByTime(gradients, {0, 1}, {1, 0}), (BucketPlan{{0}, {1}}));
  // A gradient that is larger than the limit cannot be cut.
  EXPECT_EQ(PlanBucketsByTime({{512 << 10, 1}, {2 << 20, 1}}, {0, 1}, {1, 0}), (BucketPlan{{0}, {1}}));
}

TEST(OrderByReadinessTest, SortsAndKeepsTheOrderOfEqualOnes) {
  EXPECT_EQ(OrderByReadiness({{1, 5}, {1, 2}, {1, 5}, {1, 1}}, {2, 0, 1, 3}), (std::vector<size_t>{3, 1, 2, 0}));
}

// Compares with each of the 2^(n-1) ways to cut n gradients. Times and sizes are random with a fixed seed; many are
// equal.
TEST(PlanBucketsByTimeTest, NoOtherCutIsBetter) {
  std::mt19937 random(1);
  const auto pick = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  for (int round = 0; round < 300; ++round) {
    const size_t n = static_cast<size_t>(pick(1, 9));
    std::vector<TimedGradient> gradients(n);
    double ready = 0;
    for (TimedGradient& gradient : gradients) {
      ready += 0.25 * pick(0, 6);
      gradient = {uint64_t(pick(1, 12)) << 17, ready};  // 128 KiB to 1.5 MiB
    }
    // Quarters of a second and of a MiB: every sum is exact, and equal finishes are equal.
    const AllReduceSeconds all_reduce = {0.25 * pick(0, 4), 0.5 * pick(0, 4) / (1 << 20)};
    double best = 1e300;
    size_t fewest = 0;
    for (uint32_t cuts = 0; cuts < (1u << (n - 1)); ++cuts) {
      BucketPlan plan(1);
      for (size_t i = 0; i < n; ++i) {
        plan.back().push_back(i);
        if (i + 1 < n && (cuts >> i & 1) != 0) {
          plan.emplace_back();
        }
      }
      const double finish = LastFinishSeconds(plan, gradients, all_reduce);
      const bool allowed = plan.back().size() == 1 || BytesOf(plan.back(), gradients) <= kLastBucketMaxBytes;
      if (allowed && (finish < best || (finish == best && plan.size() < fewest))) {
        best = finish;
        fewest = plan.size();
      }
    }
    const BucketPlan plan = PlanBucketsByTime(gradients, InOrder(n), all_reduce);
    EXPECT_EQ(LastFinishSeconds(plan, gradients, all_reduce), best) << "round " << round;
    EXPECT_EQ(plan.size(), fewest) << "round " << round;
    EXPECT_TRUE(plan.back().size() == 1 || BytesOf(plan.back(), gradients) <= kLastBucketMaxBytes);
  }
}

// ResNet-18 on a fast link: the all-reduces of all buckets but the last overlap backward. 62 gradients become ready
// evenly within 10 ms, 44.7 MB in total, the deepest layers first.
TEST(PlanBucketsByTimeTest, ANetworkOf62GradientsHidesAllButAnAlpha) {
  std::vector<TimedGradient> gradients;
  for (int i = 0; i < 62; ++i) {
    gradients.push_back({i % 3 == 0 ? uint64_t(9437184) >> (2 * (i / 16)) : 2048, 10e-3 * (i + 1) / 62});
  }
  const AllReduceSeconds all_reduce = {20e-6, 1 / 300e9};
  const BucketPlan plan = PlanBucketsByTime(gradients, InOrder(62), all_reduce);
  EXPECT_LT(LastFinishSeconds(plan, gradients, all_reduce), 10e-3 + 30e-6);
  EXPECT_LE(BytesOf(plan.back(), gradients), kLastBucketMaxBytes);
}

}  // namespace
}  // namespace lockstep
