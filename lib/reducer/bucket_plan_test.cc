#include "lib/reducer/bucket_plan.h"

#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Buckets = std::vector<std::vector<size_t>>;

TEST(PlanBucketsTest, NoParametersNoBuckets) { EXPECT_THAT(PlanBuckets({}, {}, {}), IsEmpty()); }

TEST(PlanBucketsTest, OneParameterOneBucket) { EXPECT_EQ(PlanBuckets({4}, {0}, {}), (Buckets{{0}})); }

TEST(PlanBucketsTest, FollowsTheReadyOrder) {
  EXPECT_EQ(PlanBuckets({1, 1, 1}, {2, 0, 1}, {100, 100}), (Buckets{{2, 0, 1}}));
}

TEST(PlanBucketsTest, TheGradientThatReachesTheCapClosesTheBucket) {
  // First cap 10: 4 + 6 reaches it. Other cap 20: 15 does not, 15 + 30 does. The rest is left over.
  EXPECT_EQ(PlanBuckets({4, 6, 15, 30, 1}, {0, 1, 2, 3, 4}, {10, 20}), (Buckets{{0, 1}, {2, 3}, {4}}));
}

TEST(PlanBucketsTest, NoEmptyBucketAfterALastOneThatIsFull) {
  EXPECT_EQ(PlanBuckets({10, 20}, {0, 1}, {10, 20}), (Buckets{{0}, {1}}));
}

TEST(PlanBucketsTest, ACapOfZeroGivesEachGradientItsOwn) {
  EXPECT_EQ(PlanBuckets({1, 2, 3}, {2, 1, 0}, {0, 0}), (Buckets{{2}, {1}, {0}}));
}

// ResNet-18 for CIFAR-10: gradient sizes in floats, in the order of registration.
std::vector<uint64_t> ResNet18GradientBytes() {
  std::vector<uint64_t> floats;
  const auto convolution = [&](uint64_t out, uint64_t in, uint64_t kernel) {
    floats.insert(floats.end(), {out * in * kernel * kernel, out, out});  // batch norm has a weight and a bias
  };
  convolution(64, 3, 3);
  uint64_t in = 64;
  for (const uint64_t planes : {64, 128, 256, 512}) {
    for (int block = 0; block < 2; ++block) {
      convolution(planes, in, 3);
      convolution(planes, planes, 3);
      if (in != planes) {
        convolution(planes, in, 1);
      }
      in = planes;
    }
  }
  floats.insert(floats.end(), {512 * 10, 10});
  for (uint64_t& size : floats) {
    size *= sizeof(float);
  }
  return floats;
}

TEST(PlanBucketsTest, ResNet18GetsTheThreeBucketsOfPyTorch) {
  const std::vector<uint64_t> bytes = ResNet18GradientBytes();
  ASSERT_EQ(std::accumulate(bytes.begin(), bytes.end(), uint64_t{0}), 44695848u);  // 11,173,962 parameters
  std::vector<size_t> reverse(bytes.size());
  std::iota(reverse.rbegin(), reverse.rend(), size_t{0});

  std::vector<uint64_t> bucket_bytes;
  for (const std::vector<size_t>& bucket : PlanBuckets(bytes, reverse, {})) {
    bucket_bytes.push_back(0);
    for (const size_t parameter : bucket) {
      bucket_bytes.back() += bytes[parameter];
    }
  }
  // 9.46, 26.49 and 8.74 MB. The first is that of 10 + 5120 + 512 + 512 + 512 * 512 * 9 floats.
  EXPECT_THAT(bucket_bytes, ElementsAre(9461800u, 26494976u, 8739072u));
}

TEST(BucketPlanTextTest, ComesBackAsItWas) {
  const BucketPlan plan = {{3, 2}, {0}, {1}};
  EXPECT_EQ(BucketPlanText(plan), "3,2;0;1");
  const auto parsed = ParseBucketPlan("3,2;0;1", 4);
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(*parsed, plan);
}

TEST(BucketPlanTextTest, WhatIsNoPlanIsRefused) {
  for (const char* text : {"", "0;1", "0,1;;2", "0,1,1", "0,1,3", "0,1,x", "0,1,2;", "0,1,-2", "2;1;0;2"}) {
    EXPECT_THAT(ParseBucketPlan(text, 3), StatusIs(absl::StatusCode::kInternal, HasSubstr("as the buckets of 3")))
        << text;
  }
}

}  // namespace
}  // namespace lockstep
