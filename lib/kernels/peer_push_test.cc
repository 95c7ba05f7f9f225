#include "lib/kernels/peer_push.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "lib/kernels/cuda_status.h"
#include "lib/kernels/device_array.h"
#include "lib/kernels/peer_test_ranks.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;

constexpr uint32_t kEndRow = 0, kPushRow = 1;
constexpr size_t kPlace = 1 << 20;  // elements of 2 bytes, for each rank's ranges one behind the other

// A rank with its ranges, a place for each rank's, and a copy of these as they are when the flags have come.
class Rank : public PeerTestRank {
 public:
  explicit Rank(uint32_t rank)
      : PeerTestRank(rank, 1), data_(kPlace), places_(kMaxPeerRanks * kPlace), seen_(kMaxPeerRanks * kPlace),
        done_(std::vector<uint32_t>{0}) {}

  uint16_t* Place(uint32_t of) { return places_.data() + of * kPlace; }

  void Set(const std::vector<uint16_t>& values) {
    EXPECT_EQ(CopyToDevice(data_.data(), values.data(), values.size() * sizeof(uint16_t)), cudaSuccess);
  }

  // What is there of a rank, of the first count elements.
  std::vector<uint16_t> Seen(uint32_t of, size_t count) {
    const std::vector<uint16_t> all = seen_.ToHost();
    return {all.begin() + of * kPlace, all.begin() + of * kPlace + count};
  }

  absl::Status Step(const std::vector<std::unique_ptr<Rank>>& all, const std::vector<size_t>& counts) {
    PeerPushInput input;
    input.ranges = static_cast<uint32_t>(counts.size());
    input.done = done_.data();
    size_t begin = 0;
    for (uint32_t r = 0; r < counts.size(); ++r) {
      input.range[r].bytes = counts[r] * sizeof(uint16_t);
      input.range[r].from = data_.data() + begin;
      for (uint32_t rank = 0; rank < all.size(); ++rank) {
        input.range[r].to[rank] = all[rank]->Place(flags().rank) + begin;
      }
      begin += (counts[r] + 7) / 8 * 8;
    }
    EXPECT_EQ(AwaitPeerFlags(flags(), kEndRow, 1, stream()), cudaSuccess);
    EXPECT_EQ(PeerPush(flags(), kPushRow, input, stream()), cudaSuccess);
    EXPECT_EQ(AwaitPeerFlags(flags(), kPushRow, 0, stream()), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(seen_.data(), places_.data(), kMaxPeerRanks * kPlace * sizeof(uint16_t),
                              cudaMemcpyDeviceToDevice, stream()),
              cudaSuccess);
    EXPECT_EQ(RaisePeerFlags(flags(), kEndRow, true, stream()), cudaSuccess);
    return absl::OkStatus();
  }

 private:
  DeviceArray<uint16_t> data_, places_, seen_;
  DeviceArray<uint32_t> done_;
};

std::vector<uint16_t> ValuesOf(uint32_t rank, int replay, size_t count) {
  std::vector<uint16_t> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<uint16_t>(i * 7 + rank * 1009 + replay * 31);
  }
  return values;
}

// Replays, each with other numbers: behind the flag all of this very step is there.
void ExpectAllThere(uint32_t ranks, const std::vector<size_t>& counts, int replays) {
  ReplayedRanks<Rank> all(ranks);
  ASSERT_THAT(all.Capture([&](Rank& rank) { return rank.Step(all.all(), counts); }), IsOk());
  for (int replay = 0; replay < replays; ++replay) {
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      all[rank].Set(ValuesOf(rank, replay, kPlace));
    }
    ASSERT_THAT(all.Replay(), IsOk());
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      ASSERT_EQ(all[rank].expired(), 0u);
      for (uint32_t of = 0; of < ranks; ++of) {
        const std::vector<uint16_t> sent = ValuesOf(of, replay, kPlace);
        const std::vector<uint16_t> seen = all[rank].Seen(of, kPlace);
        size_t begin = 0;
        for (size_t r = 0; rank != of && r < counts.size(); ++r) {
          for (size_t i = begin; i < begin + counts[r]; ++i) {
            ASSERT_EQ(seen[i], sent[i]) << "range " << r << ", element " << i - begin << " of rank " << of;
          }
          begin += (counts[r] + 7) / 8 * 8;
          for (size_t i = begin - (8 - counts[r] % 8) % 8; i < begin; ++i) {
            ASSERT_EQ(seen[i], 0xFFFF) << "beyond range " << r;  // as DeviceArray begins
          }
        }
      }
    }
  }
}

class PeerPushTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
  }
};

TEST_F(PeerPushTest, AllIsThereBehindTheFlag) {
  for (const uint32_t ranks : {1u, 2u, 3u, 4u}) {
    ExpectAllThere(ranks, {1}, 3);
    ExpectAllThere(ranks, {7, 8, 1729}, 3);
    ExpectAllThere(ranks, {671'744, 19'220, 2'048}, 3);
  }
}

TEST_F(PeerPushTest, AHundredReplays) { ExpectAllThere(2, {100'003, 19'220, 2'048}, 100); }

TEST(PeerPushArgumentsTest, TooManyRangesAreRefused) {
  PeerFlags flags;
  flags.ranks = 1;
  PeerPushInput input;
  input.ranges = kMaxPushed + 1;
  EXPECT_EQ(PeerPush(flags, 0, input, nullptr), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace lockstep
