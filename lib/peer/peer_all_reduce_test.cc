#include "lib/peer/peer_all_reduce.h"

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/kernels/rank_sum.h"
#include "lib/kernels/values_testing.h"
#include "lib/peer/peer_ranks_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::PeerTestRank;
using ::lockstep::testing::RandomValues;
using ::lockstep::testing::SameBits;

constexpr size_t kEach = 8192;         // packets of a section: up to eight rounds of one block in two shots
constexpr uint32_t kFewBlocks = 4;     // few enough that the blocks of eight ranks are resident on one GPU
constexpr size_t kMaxCount = 270'000;  // elements of an array
constexpr size_t kSpare = 16;          // additional elements after the array, for offsets

const char* Name(PacketShots shots) { return shots == PacketShots::kOne ? "one shot" : "two shots"; }

// Rank with receive memory for packets, and its input and output arrays.
template <typename W>
class Rank : public PeerTestRank {
 public:
  Rank(uint32_t rank, uint32_t ranks)
      : PeerTestRank(rank, 0xFFFFFFFE), buffers_(size_t{2} * ranks * kEach), arrived_(std::vector<uint32_t>{0}),
        from_(kMaxCount + kSpare), to_(kMaxCount + kSpare) {}

  void ConnectAll(const std::vector<std::unique_ptr<Rank>>& all) {
    std::vector<PeerTestRank*> peers;
    for (const auto& rank : all) {
      memory_.buffers.of[peers.size()] = rank->buffers_.data();
      peers.push_back(rank.get());
    }
    Connect(peers);
    memory_.flags = flags();
    memory_.buffers.each = kEach;
    memory_.arrived = arrived_.data();
  }

  const PeerAllReduceMemory& memory() const { return memory_; }
  W* from(size_t offset) { return from_.data() + offset; }
  W* to(bool in_place, size_t offset) { return (in_place ? from_ : to_).data() + offset; }

  void Set(const std::vector<W>& values, size_t offset) {
    EXPECT_EQ(CopyToDevice(from(offset), values.data(), values.size() * sizeof(W)), cudaSuccess);
  }
  std::vector<W> Get(bool in_place, size_t offset, size_t count) {
    const std::vector<W> all = (in_place ? from_ : to_).ToHost();
    return std::vector<W>(all.begin() + static_cast<ptrdiff_t>(offset),
                          all.begin() + static_cast<ptrdiff_t>(offset + count));
  }

 private:
  DeviceArray<PeerPacket> buffers_;  // initially every bit is 1, which is NothingCome()
  DeviceArray<uint32_t> arrived_;
  DeviceArray<W> from_, to_;
  PeerAllReduceMemory memory_;
};

template <typename W>
using Ranks = std::vector<std::unique_ptr<Rank<W>>>;

template <typename W>
Ranks<W> MakeRanks(uint32_t ranks) {
  Ranks<W> all;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    all.push_back(std::make_unique<Rank<W>>(rank, ranks));
  }
  for (const auto& rank : all) {
    rank->ConnectAll(all);
  }
  return all;
}

struct Call {
  PacketShots shots = PacketShots::kOne;
  size_t count = 0;
  size_t offset = 0;
  bool in_place = false;
  uint32_t max_blocks = kFewBlocks;
};

template <typename W>
cudaError_t Queue(const Ranks<W>& all, uint32_t rank, const Call& call) {
  PeerAllReduceInput<W> input;
  input.count = call.count;
  input.from = all[rank]->from(call.offset);
  input.to = all[rank]->to(call.in_place, call.offset);
  return PeerAllReduce(all[rank]->memory(), call.shots, input, all[rank]->stream(), call.max_blocks);
}

// Returns `values` summed `times` times: the sum of the sums, as repeated calls in place compute it.
template <typename W>
std::vector<W> Expected(std::vector<std::vector<W>> values, uint32_t times) {
  std::vector<W> sum(values[0].size());
  for (uint32_t n = 0; n < times; ++n) {
    RankSumInput<W> input;
    input.count = sum.size();
    input.ranks = static_cast<uint32_t>(values.size());
    for (size_t rank = 0; rank < values.size(); ++rank) {
      input.from[rank] = values[rank].data();
    }
    input.to = sum.data();
    RankSumReference(input);
    for (std::vector<W>& of_rank : values) {
      of_rank = sum;
    }
  }
  return sum;
}

// Every rank has its own values, new for each call. Expects the reference's sum on every rank, bit for bit.
template <typename W>
void ExpectSum(const Ranks<W>& all, const Call& call, uint32_t seed) {
  std::vector<std::vector<W>> values;
  for (uint32_t rank = 0; rank < all.size(); ++rank) {
    values.push_back(RandomValues<W>(seed * 16 + rank, call.count));
    all[rank]->Set(values.back(), call.offset);
  }
  for (uint32_t rank = 0; rank < all.size(); ++rank) {
    ASSERT_EQ(Queue(all, rank, call), cudaSuccess);
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<W> expected = Expected(values, 1);
  for (uint32_t rank = 0; rank < all.size(); ++rank) {
    ASSERT_EQ(all[rank]->expired(), 0u);
    ASSERT_TRUE(SameBits(all[rank]->Get(call.in_place, call.offset, call.count), expected))
        << Name(call.shots) << ", rank " << rank << " of " << all.size() << ", " << call.count << " elements at "
        << call.offset << (call.in_place ? " in place" : "") << ", " << call.max_blocks << " blocks";
  }
}

template <typename W>
size_t MaxCount(const Ranks<W>& all, PacketShots shots) {
  const PacketBuffers& buffers = all[0]->memory().buffers;
  const auto ranks = static_cast<uint32_t>(all.size());
  return std::min(kMaxCount, shots == PacketShots::kOne ? MaxInOneShot<W>(buffers) : MaxInTwoShots<W>(buffers, ranks));
}

template <typename W>
void ExpectSums(uint32_t ranks) {
  const Ranks<W> all = MakeRanks<W>(ranks);
  for (const PacketShots shots : {PacketShots::kOne, PacketShots::kTwo}) {
    for (const size_t count : {size_t{1}, size_t{7}, size_t{8}, size_t{1728}, size_t{9603}, MaxCount(all, shots)}) {
      for (const bool in_place : {false, true}) {
        ExpectSum(all, {shots, count, 0, in_place}, static_cast<uint32_t>(count));
      }
    }
  }
}

// Returns the count for which each rank's share in two shots is `rounds` whole rounds of the blocks.
template <typename W>
size_t CountOfRounds(uint32_t ranks, uint32_t blocks, size_t rounds) {
  constexpr size_t kThreads = 512;  // threads of a block
  return rounds * blocks * kThreads * ranks * PacketSum<W>::kElements;
}

// Tests one to eight rounds of one block and up to four of two, with one element, or one packet per rank, more or less.
template <typename W>
void ExpectSumsOfRounds(uint32_t ranks) {
  const Ranks<W> all = MakeRanks<W>(ranks);
  for (const uint32_t blocks : {1u, 2u}) {
    for (size_t rounds = 1; rounds <= 8 / blocks; ++rounds) {
      const size_t whole = CountOfRounds<W>(ranks, blocks, rounds);
      const size_t packet = ranks * PacketSum<W>::kElements;
      for (const size_t count : {whole - packet, whole - 1, whole, whole + 1, whole + packet}) {
        if (count <= MaxCount(all, PacketShots::kTwo)) {
          ExpectSum(all, {PacketShots::kTwo, count, 0, rounds % 2 == 0, blocks}, static_cast<uint32_t>(count));
        }
      }
    }
  }
}

class PeerAllReduceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
  }
};

TEST_F(PeerAllReduceTest, EveryRankHasTheReferencesSum) {
  for (const uint32_t ranks : {1u, 2u, 3u, 4u, 8u}) {
    ExpectSums<float>(ranks);
    ExpectSums<__nv_bfloat16>(ranks);
  }
}

TEST_F(PeerAllReduceTest, SumsOfAnyNumberOfRounds) {
  for (const uint32_t ranks : {1u, 2u, 3u, 4u, 8u}) {
    ExpectSumsOfRounds<float>(ranks);
    ExpectSumsOfRounds<__nv_bfloat16>(ranks);
  }
}

// Consecutive calls with all variants mixed, including unaligned addresses.
TEST_F(PeerAllReduceTest, RandomCallsInAnyOrder) {
  for (const uint32_t ranks : {2u, 4u}) {
    const Ranks<__nv_bfloat16> all = MakeRanks<__nv_bfloat16>(ranks);
    std::mt19937 random(ranks);
    for (uint32_t n = 0; n < 1000; ++n) {
      Call call;
      call.shots = static_cast<PacketShots>(random() % 2);
      const size_t max_count = MaxCount(all, call.shots);
      call.count = 1 + random() % (random() % 2 == 0 ? 100 : max_count);
      call.offset = random() % kSpare;
      call.in_place = random() % 2 == 0;
      call.max_blocks = 1 + random() % kFewBlocks;
      ExpectSum(all, call, n);
      if (HasFatalFailure()) {
        return;
      }
    }
  }
}

// Graphs of three calls in place, an odd number: after a replay the sum has been summed three times. Replays do not
// synchronize all ranks, and one rank is late.
TEST_F(PeerAllReduceTest, ReplaysOfAnOddNumberOfCalls) {
  constexpr int kReplays = 300;
  for (const Call& call : {Call{PacketShots::kOne, 4096, 0, true}, Call{PacketShots::kTwo, 4096, 0, true},
                           Call{PacketShots::kTwo, 32768, 0, true, 1}}) {
    const Ranks<float> all = MakeRanks<float>(2);
    std::vector<CapturedGraph> graphs;
    for (uint32_t rank = 0; rank < 2; ++rank) {
      auto graph = CaptureGraph(all[rank]->stream(), [&]() -> absl::Status {
        for (int n = 0; n < 3; ++n) {
          EXPECT_EQ(Queue(all, rank, call), cudaSuccess);
        }
        return absl::OkStatus();
      });
      ASSERT_TRUE(graph.ok()) << graph.status();
      graphs.push_back(*std::move(graph));
    }
    for (int replay = 0; replay < kReplays; replay += 10) {
      std::vector<std::vector<float>> values;
      for (uint32_t rank = 0; rank < 2; ++rank) {
        values.push_back(RandomValues<float>(static_cast<uint64_t>(replay) * 2 + rank, call.count));
        all[rank]->Set(values.back(), 0);
      }
      for (int n = 0; n < 10; ++n) {
        for (uint32_t rank = 0; rank < 2; ++rank) {
          ASSERT_EQ(cudaGraphLaunch(graphs[rank].get(), all[rank]->stream()), cudaSuccess);
        }
      }
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      const std::vector<float> expected = Expected(values, 30);
      for (uint32_t rank = 0; rank < 2; ++rank) {
        ASSERT_EQ(all[rank]->expired(), 0u);
        ASSERT_TRUE(SameBits(all[rank]->Get(true, 0, call.count), expected))
            << Name(call.shots) << " of " << call.count << " elements, replay " << replay;
      }
    }
  }
}

TEST_F(PeerAllReduceTest, ARankThatDoesNotComeIsReported) {
  for (const Call& call :
       {Call{PacketShots::kOne, 1000}, Call{PacketShots::kTwo, 1000}, Call{PacketShots::kTwo, 32768, 0, false, 1}}) {
    const Ranks<float> all = MakeRanks<float>(2);
    ASSERT_EQ(Queue(all, 0, call), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(all[0]->expired(), 2u) << Name(call.shots) << " of " << call.count << " elements";
  }
}

TEST_F(PeerAllReduceTest, WhatDoesNotFitIsRefused) {
  const Ranks<float> all = MakeRanks<float>(2);
  for (const PacketShots shots : {PacketShots::kOne, PacketShots::kTwo}) {
    EXPECT_EQ(Queue(all, 0, {shots, MaxCount(all, shots) + 1, 0, false}), cudaErrorInvalidValue) << Name(shots);
  }
}

}  // namespace
}  // namespace lockstep
