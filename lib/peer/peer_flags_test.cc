#include "lib/peer/peer_flags.h"

#include <chrono>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/kernels/rank_sum.h"
#include "lib/peer/peer_ranks_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::PeerTestRank;

constexpr uint32_t kConsumed = 0, kArrived = 1;
constexpr size_t kCount = 100'003;
constexpr int kRanks = 2;

// Rank with gradients, and a receive buffer for the other rank's gradients.
class Rank : public PeerTestRank {
 public:
  Rank(uint32_t rank, uint32_t first_epoch)
      : PeerTestRank(rank, first_epoch), own_(kCount), arrived_(kCount), sum_(kCount) {}

  static void Introduce(Rank& first, Rank& second) {
    first.Connect({&first, &second});
    second.Connect({&first, &second});
    first.other_ = &second;
    second.other_ = &first;
  }

  void SetOwn(float value) {
    const std::vector<float> host(kCount, value);
    EXPECT_EQ(CopyToDevice(own_.data(), host.data(), kCount * sizeof(float)), cudaSuccess);
  }

  // Queues a step: once the other rank has read the previous gradients, sends its own; once the other's have arrived,
  // adds them.
  void Step() {
    EXPECT_EQ(AwaitPeerFlags(flags(), kConsumed, 1, stream()), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(other_->arrived_.data(), own_.data(), kCount * sizeof(float), cudaMemcpyDeviceToDevice,
                              stream()),
              cudaSuccess);
    EXPECT_EQ(RaisePeerFlags(flags(), kArrived, PeerEpoch::kSame, stream()), cudaSuccess);
    EXPECT_EQ(AwaitPeerFlags(flags(), kArrived, 0, stream()), cudaSuccess);
    RankSumInput<float> input;
    input.count = kCount;
    input.ranks = kRanks;
    input.from[flags().rank] = own_.data();
    input.from[other_->flags().rank] = arrived_.data();
    input.to = sum_.data();
    EXPECT_EQ(RankSum(input, stream()), cudaSuccess);
    EXPECT_EQ(RaisePeerFlags(flags(), kConsumed, PeerEpoch::kNext, stream()), cudaSuccess);
  }

  std::vector<float> sum() const { return sum_.ToHost(); }

 private:
  DeviceArray<float> own_, arrived_, sum_;
  Rank* other_ = nullptr;
};

class PeerFlagsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
  }
};

// Replays 40 steps: each rank must add the other rank's gradients of the same step. The epoch passes 2^32 on the way.
TEST_F(PeerFlagsTest, ReplayedStepsExchangeWhatIsOfTheirStep) {
  constexpr uint32_t kFirstEpoch = 0xFFFFFFF0;
  Rank first(0, kFirstEpoch), second(1, kFirstEpoch);
  Rank::Introduce(first, second);
  std::vector<CapturedGraph> graphs;
  for (Rank* rank : {&first, &second}) {
    auto graph = CaptureGraph(rank->stream(), [rank] {
      rank->Step();
      return absl::OkStatus();
    });
    ASSERT_TRUE(graph.ok()) << graph.status();
    graphs.push_back(*std::move(graph));
  }
  for (int step = 0; step < 40; ++step) {
    first.SetOwn(static_cast<float>(step));
    second.SetOwn(static_cast<float>(1000 * step));
    ASSERT_EQ(cudaGraphLaunch(graphs[0].get(), first.stream()), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(graphs[1].get(), second.stream()), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(first.stream()), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(second.stream()), cudaSuccess);
    const std::vector<float> expected(kCount, static_cast<float>(1001 * step));
    ASSERT_EQ(first.sum(), expected) << step;
    ASSERT_EQ(second.sum(), expected) << step;
  }
  EXPECT_EQ(first.epoch(), kFirstEpoch + 40);
  EXPECT_EQ(first.expired() + second.expired(), 0u);
}

// One rank is queued many steps ahead of the other, as with a skew between hosts.
TEST_F(PeerFlagsTest, ARankThatIsAheadWaits) {
  Rank first(0, 1), second(1, 1);
  Rank::Introduce(first, second);
  first.SetOwn(1);
  second.SetOwn(2);
  for (int step = 0; step < 20; ++step) {
    first.Step();
  }
  EXPECT_EQ(cudaStreamQuery(first.stream()), cudaErrorNotReady);
  for (int step = 0; step < 20; ++step) {
    second.Step();
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(first.sum(), std::vector<float>(kCount, 3));
  EXPECT_EQ(second.sum(), std::vector<float>(kCount, 3));
  EXPECT_EQ(first.expired() + second.expired(), 0u);
}

TEST_F(PeerFlagsTest, RanksAtABarrierCountTogether) {
  Rank first(0, 1), second(1, 1);
  Rank::Introduce(first, second);
  const auto barrier = [](Rank& rank) {
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(PeerBarrier(rank.flags(), kArrived, i % 2 == 1 ? PeerEpoch::kNext : PeerEpoch::kSame, rank.stream()),
                cudaSuccess);
    }
  };
  barrier(first);
  EXPECT_EQ(cudaStreamQuery(first.stream()), cudaErrorNotReady);
  barrier(second);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(first.epoch(), 11u);
  EXPECT_EQ(second.epoch(), 11u);
  EXPECT_EQ(first.expired() + second.expired(), 0u);
}

// The other rank never signals: the first wait ends at its limit and reports the rank; later waits end immediately.
TEST_F(PeerFlagsTest, AWaitForNobodyEnds) {
  Rank first(0, 1), second(1, 1);
  Rank::Introduce(first, second);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(AwaitPeerFlags(first.flags(), kArrived, 0, first.stream()), cudaSuccess);
  }
  ASSERT_EQ(cudaStreamSynchronize(first.stream()), cudaSuccess);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));  // one turn of the clock is 4.3 s
  EXPECT_EQ(first.expired(), 2u);  // launch number of the wait for rank 1
}

// Waiting threads read only GPU memory until the limit: an `expired` word set in host memory does not end a wait.
TEST_F(PeerFlagsTest, AWaitLeavesHostMemoryAloneUntilItsLimit) {
  Rank first(0, 1), second(1, 1);
  Rank::Introduce(first, second);
  PeerFlags flags = first.flags();
  flags.max_clock_turns = 2;  // at least 8.6 s
  *flags.report[1].expired = 7;
  ASSERT_EQ(AwaitPeerFlags(flags, kArrived, 0, first.stream()), cudaSuccess);
  absl::SleepFor(absl::Milliseconds(100));  // about 100,000 attempts
  EXPECT_EQ(cudaStreamQuery(first.stream()), cudaErrorNotReady);
  ASSERT_EQ(RaisePeerFlags(second.flags(), kArrived, PeerEpoch::kSame, second.stream()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(first.expired(), 7u);
}

TEST_F(PeerFlagsTest, WhatIsNotThereIsRefused) {
  Rank first(0, 1), second(1, 1);
  Rank::Introduce(first, second);
  EXPECT_EQ(RaisePeerFlags(first.flags(), kPeerFlagRows, PeerEpoch::kSame, first.stream()), cudaErrorInvalidValue);
  EXPECT_EQ(AwaitPeerFlags(first.flags(), kPeerFlagRows, 0, first.stream()), cudaErrorInvalidValue);
  EXPECT_EQ(PeerBarrier(first.flags(), kPeerFlagRows, PeerEpoch::kSame, first.stream()), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace lockstep
