#include "lib/peer/peer_sum.h"

#include <cstring>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/kernels/rank_sum.h"
#include "lib/kernels/values_testing.h"
#include "lib/peer/peer_ranks_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::PeerTestRank;
using ::lockstep::testing::RandomValues;
using ::lockstep::testing::ReplayedRanks;

constexpr uint32_t kEndRow = 0, kSumRow = 1;
constexpr size_t kMaxCount = 40'000;

// Rank with a range of gradients, and a receive buffer for each other rank.
template <typename W>
class Rank : public PeerTestRank {
 public:
  explicit Rank(uint32_t rank) : PeerTestRank(rank, 1), data_(kMaxCount), slots_(kMaxPeerRanks * kMaxCount) {}

  W* Slot(uint32_t of) { return slots_.data() + of * kMaxCount; }
  void Set(const std::vector<W>& values) {
    EXPECT_EQ(CopyToDevice(data_.data(), values.data(), values.size() * sizeof(W)), cudaSuccess);
  }
  std::vector<W> Get(size_t count) {
    std::vector<W> all = data_.ToHost();
    all.resize(count);
    return all;
  }

  // Queues a step of one range: the sum, and the message that everything was read, which starts the next step.
  absl::Status Step(const std::vector<std::unique_ptr<Rank>>& all, size_t count) {
    PeerSumInput<W> input;
    input.count = count;
    input.data = data_.data();
    for (uint32_t rank = 0; rank < all.size(); ++rank) {
      input.sent[rank] = all[rank]->Slot(flags().rank);
      input.received[rank] = Slot(rank);
    }
    EXPECT_EQ(AwaitPeerFlags(flags(), kEndRow, 1, stream()), cudaSuccess);
    EXPECT_EQ(PeerSum(flags(), kSumRow, input, stream()), cudaSuccess);
    EXPECT_EQ(RaisePeerFlags(flags(), kEndRow, PeerEpoch::kNext, stream()), cudaSuccess);
    return absl::OkStatus();
  }

 private:
  DeviceArray<W> data_, slots_;
};

template <typename W>
std::vector<W> Expected(const std::vector<std::vector<W>>& values) {
  RankSumInput<W> input;
  input.count = values[0].size();
  input.ranks = static_cast<uint32_t>(values.size());
  for (size_t rank = 0; rank < values.size(); ++rank) {
    input.from[rank] = values[rank].data();
  }
  std::vector<W> sum(input.count);
  input.to = sum.data();
  RankSumReference(input);
  return sum;
}

// Replays with different values: every rank must have the reference's sum of the same step, bit for bit.
template <typename W>
void ExpectSums(uint32_t ranks, size_t count, int replays) {
  ReplayedRanks<Rank<W>> all(ranks);
  ASSERT_THAT(all.Capture([&](Rank<W>& rank) { return rank.Step(all.all(), count); }), IsOk());
  for (int replay = 0; replay < replays; ++replay) {
    std::vector<std::vector<W>> values;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      values.push_back(RandomValues<W>(replay * ranks + rank, count));
      all[rank].Set(values.back());
    }
    ASSERT_THAT(all.Replay(), IsOk());
    const std::vector<W> expected = Expected(values);
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      ASSERT_EQ(std::memcmp(all[rank].Get(count).data(), expected.data(), count * sizeof(W)), 0)
          << "rank " << rank << " of " << ranks << ", " << count << " elements, replay " << replay;
      ASSERT_EQ(all[rank].expired(), 0u);
    }
  }
}

class PeerSumTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
  }
};

TEST_F(PeerSumTest, EveryRankHasTheReferencesSum) {
  for (const uint32_t ranks : {1u, 2u, 3u, 4u, 8u}) {
    for (const size_t count : {size_t{1}, size_t{7}, size_t{8}, size_t{1728}, size_t{9603}, kMaxCount}) {
      ExpectSums<float>(ranks, count, 3);
      ExpectSums<__nv_bfloat16>(ranks, count, 3);
    }
  }
}

TEST_F(PeerSumTest, AThousandReplays) { ExpectSums<__nv_bfloat16>(2, 1729, 1000); }

TEST_F(PeerSumTest, ARankThatDoesNotComeIsReported) {
  std::vector<std::unique_ptr<Rank<float>>> all;
  all.push_back(std::make_unique<Rank<float>>(0));
  all.push_back(std::make_unique<Rank<float>>(1));
  all[0]->Connect({all[0].get(), all[1].get()});
  EXPECT_TRUE(all[0]->Step(all, 100).ok());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(all[0]->expired(), 2u);
}

}  // namespace
}  // namespace lockstep
