// Runs the threads of the kernels as host threads: every rank has some threads and its own memory, and calls follow
// each other without synchronization of all ranks, as on GPUs.
#include "lib/peer/peer_packet_sum.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lib/kernels/rank_sum.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::RandomValues;
using ::lockstep::testing::SameBits;

constexpr size_t kEach = 48;  // packets of a section

// Algorithms. kRoundsN: two shots by SumInTwoShotsByRounds with kApart = N.
enum class Way { kOneShot, kTwoShots, kRounds1, kRounds2, kRounds3, kSentTooLate };
constexpr Way kGoodWays[] = {Way::kOneShot, Way::kTwoShots, Way::kRounds1, Way::kRounds2, Way::kRounds3};

// Faulty algorithm: every rank waits for a packet before it sends its own, so no packet ever arrives.
template <typename W, typename Wait>
void SumSentTooLate(const PacketSum<W>& sum, uint32_t buffer, size_t first, size_t threads, Wait& wait) {
  const TwoShots<W> shots(sum, buffer);
  for (size_t i = first; i < shots.share() && shots.Has(sum.rank, i); i += threads) {
    shots.AddAndSend(i, shots.Part(sum.rank, i), wait);
    shots.SendParts(i, shots.Part(shots.NextRank(), i));
  }
}

template <typename W, typename Wait>
void SumBy(Way way, const PacketSum<W>& sum, uint32_t buffer, size_t first, size_t threads, Wait& wait) {
  switch (way) {
    case Way::kOneShot:
      return SumInOneShot(sum, buffer, first, threads, wait);
    case Way::kTwoShots:
      return SumInTwoShots(sum, buffer, first, threads, wait);
    case Way::kRounds1:
      return SumInTwoShotsByRounds<1>(sum, buffer, first, threads, wait);
    case Way::kRounds2:
      return SumInTwoShotsByRounds<2>(sum, buffer, first, threads, wait);
    case Way::kRounds3:
      return SumInTwoShotsByRounds<3>(sum, buffer, first, threads, wait);
    case Way::kSentTooLate:
      return SumSentTooLate(sum, buffer, first, threads, wait);
  }
}

struct Call {
  Way way = Way::kOneShot;
  size_t count = 0;
  bool in_place = false;
};

// Buffer used by each call: call number -> buffer.
using BufferOf = std::function<uint32_t(uint32_t)>;
BufferOf ByTurns(uint32_t first_epoch) {
  return [first_epoch](uint32_t call) { return (first_epoch + call) & 1; };
}

// Callback that each thread of a rank calls before each wait of a call; waits are numbered from 0.
using Stall = std::function<void(uint32_t rank, uint32_t call, uint32_t wait)>;

template <typename W>
class Ranks {
 public:
  Ranks(uint32_t ranks, uint32_t threads, std::vector<Call> calls, uint32_t seed)
      : ranks_(ranks), threads_(threads), calls_(std::move(calls)) {
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      storage_.emplace_back(2 * ranks * kEach, NothingCome());
      buffers_.of[rank] = storage_.back().data();
      std::vector<std::vector<W>> values, sums;
      for (uint32_t call = 0; call < calls_.size(); ++call) {
        values.push_back(RandomValues<W>(seed + call * ranks + rank, calls_[call].count));
        sums.push_back(calls_[call].in_place ? std::vector<W>() : std::vector<W>(calls_[call].count));
      }
      values_.push_back(values);
      sums_.push_back(sums);
    }
    buffers_.each = kEach;
    given_ = values_;
  }

  std::vector<W>& Values(uint32_t rank, uint32_t call) { return values_[rank][call]; }
  std::vector<W>& Sum(uint32_t rank, uint32_t call) {
    return calls_[call].in_place ? values_[rank][call] : sums_[rank][call];
  }

  // Runs all calls. Returns whether every packet arrived within `limit`. After a packet that did not, no wait waits.
  bool Run(const BufferOf& buffer_of, const Stall& stall, std::chrono::seconds limit = std::chrono::seconds(20)) {
    limit_ = limit;
    std::vector<std::thread> threads;
    std::vector<pthread_barrier_t> barriers(ranks_);
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      pthread_barrier_init(&barriers[rank], nullptr, threads_);
      for (uint32_t thread = 0; thread < threads_; ++thread) {
        threads.emplace_back([=, this, &barriers] { RunThread(rank, thread, buffer_of, stall, barriers[rank]); });
      }
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    for (pthread_barrier_t& barrier : barriers) {
      pthread_barrier_destroy(&barrier);
    }
    return !expired_;
  }

  // Returns the number of sums, over all ranks and calls, that differ from the reference.
  size_t WrongSums() {
    size_t wrong = 0;
    for (uint32_t call = 0; call < calls_.size(); ++call) {
      RankSumInput<W> input;
      input.count = calls_[call].count;
      input.ranks = ranks_;
      for (uint32_t rank = 0; rank < ranks_; ++rank) {
        input.from[rank] = given_[rank][call].data();
      }
      std::vector<W> expected(input.count);
      input.to = expected.data();
      RankSumReference(input);
      for (uint32_t rank = 0; rank < ranks_; ++rank) {
        wrong += !SameBits(Sum(rank, call), expected);
      }
    }
    return wrong;
  }

  bool AllSlotsAreEmpty() const {
    for (const std::vector<PeerPacket>& packets : storage_) {
      for (const PeerPacket& packet : packets) {
        const PeerPacket nothing = NothingCome();
        if (std::memcmp(&packet, &nothing, sizeof(packet)) != 0) {
          return false;
        }
      }
    }
    return true;
  }

 private:
  void RunThread(uint32_t rank, uint32_t thread, const BufferOf& buffer_of, const Stall& stall,
                 pthread_barrier_t& barrier) {
    for (uint32_t call = 0; call < calls_.size(); ++call) {
      uint32_t waits = 0;
      const auto deadline = std::chrono::steady_clock::now() + limit_;
      auto wait = [&](const PeerPacket* slot, uint32_t) {
        stall(rank, call, waits++);
        PeerPacket packet = LoadPacket(slot);
        while (!HasCome(packet) && !expired_) {
          std::this_thread::yield();
          if (std::chrono::steady_clock::now() > deadline) {
            expired_ = true;
          }
          packet = LoadPacket(slot);
        }
        return packet;
      };
      PacketSum<W> sum;
      sum.rank = rank;
      sum.ranks = ranks_;
      sum.buffers = buffers_;
      sum.count = calls_[call].count;
      sum.from = values_[rank][call].data();
      sum.to = Sum(rank, call).data();
      SumBy(calls_[call].way, sum, buffer_of(call), thread, threads_, wait);
      pthread_barrier_wait(&barrier);  // a launch begins when the previous launch has ended
    }
  }

  const uint32_t ranks_, threads_;
  const std::vector<Call> calls_;
  PacketBuffers buffers_;
  std::vector<std::vector<PeerPacket>> storage_;
  std::vector<std::vector<std::vector<W>>> given_, values_, sums_;
  std::chrono::seconds limit_{0};
  std::atomic<bool> expired_{false};
};

template <typename W>
std::vector<Call> RandomCalls(uint32_t ranks, uint32_t number, uint32_t seed) {
  PacketBuffers buffers;
  buffers.each = kEach;
  std::mt19937 random(seed);
  std::vector<Call> calls(number);
  for (Call& call : calls) {
    call.way = kGoodWays[random() % std::size(kGoodWays)];
    const size_t max_count = call.way == Way::kOneShot ? MaxInOneShot<W>(buffers) : MaxInTwoShots<W>(buffers, ranks);
    call.count = random() % 4 == 0 ? max_count - random() % 3 : 1 + random() % (random() % 2 == 0 ? 20 : max_count);
    call.in_place = random() % 2 == 0;
  }
  return calls;
}

void NoStall(uint32_t /*rank*/, uint32_t /*call*/, uint32_t /*wait*/) {}

// Delays the rank at one wait of every call whose number modulo `every` is `rest`. At its first wait the rank has
// already sent its first shot, or the part that it sends before this wait.
Stall LateRank(uint32_t late, uint32_t every, uint32_t rest, uint32_t at_wait = 0) {
  return [=](uint32_t rank, uint32_t call, uint32_t wait) {
    if (rank == late && call % every == rest && wait == at_wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  };
}

template <typename W>
void ExpectSums(uint32_t ranks, uint32_t threads, uint32_t calls, const Stall& stall) {
  Ranks<W> all(ranks, threads, RandomCalls<W>(ranks, calls, ranks + threads), 7 * ranks);
  EXPECT_TRUE(all.Run(ByTurns(0xFFFFFFFE), stall)) << ranks << " ranks of " << threads << " threads";
  EXPECT_EQ(all.WrongSums(), 0u) << ranks << " ranks of " << threads << " threads";
  EXPECT_TRUE(all.AllSlotsAreEmpty());
}

TEST(PeerPacketSumTest, EveryRankHasTheReferencesSum) {
  for (const uint32_t ranks : {1u, 2u, 3u, 4u, 8u}) {
    ExpectSums<float>(ranks, 2, 1000, NoStall);
    ExpectSums<__nv_bfloat16>(ranks, 1, 1000, NoStall);
  }
}

TEST(PeerPacketSumTest, ALateRankChangesNoSum) {
  for (uint32_t late = 0; late < 3; ++late) {
    ExpectSums<__nv_bfloat16>(3, 5, 20, LateRank(late, 2, 0));
    ExpectSums<float>(3, 2, 60, LateRank(late, 3, 1));
    ExpectSums<float>(2, 2, 60, LateRank(late % 2, 2, 0));
    ExpectSums<float>(3, 1, 60, LateRank(late, 2, 1, 5));
  }
}

// One buffer is too few: a fast rank's packets of the next call overwrite packets that a late rank has not taken yet.
TEST(PeerPacketSumTest, WithOneBufferALateRankIsFound) {
  for (const Way next : {Way::kOneShot, Way::kRounds1}) {
    std::vector<Call> calls(20, Call{Way::kOneShot, 100, false});
    for (size_t call = 2; call < calls.size(); call += 4) {
      calls[call].way = next;
    }
    Ranks<float> all(2, 1, calls, 1);
    all.Run([](uint32_t) { return 0; }, LateRank(0, 4, 1), std::chrono::seconds(1));
    EXPECT_NE(all.WrongSums(), 0u);
  }
}

TEST(PeerPacketSumTest, RanksThatWaitForEachOtherAreFound) {
  for (const uint32_t ranks : {2u, 3u}) {
    Ranks<float> all(ranks, 2, {Call{Way::kSentTooLate, 100, false}}, 1);
    EXPECT_FALSE(all.Run(ByTurns(0), NoStall, std::chrono::seconds(1)));
  }
}

// Models a graph of three calls in which the buffer numbers are constants.
TEST(PeerPacketSumTest, BuffersCountedInAGraphOfOddCallsAreFound) {
  Ranks<float> all(2, 1, std::vector<Call>(21, Call{Way::kOneShot, 100, false}), 1);
  all.Run([](uint32_t call) { return call % 3 % 2; }, LateRank(1, 3, 2), std::chrono::seconds(1));
  EXPECT_NE(all.WrongSums(), 0u);
}

// Sent data are never mistaken for an empty slot: a word with all bits set is sent as another NaN.
TEST(PeerPacketSumTest, AnyBitsCanBeSent) {
  for (const Way way : kGoodWays) {
    Ranks<float> all(2, 1, {Call{way, 9, false}, Call{way, 9, true}}, 1);
    for (uint32_t call = 0; call < 2; ++call) {
      std::memset(&all.Values(0, call)[3], 0xFF, sizeof(float));
      std::memset(&all.Values(1, call)[8], 0xFF, sizeof(float));
    }
    ASSERT_TRUE(all.Run(ByTurns(1), NoStall));
    for (uint32_t call = 0; call < 2; ++call) {
      EXPECT_TRUE(SameBits(all.Sum(0, call), all.Sum(1, call)));
      for (uint32_t i = 0; i < 9; ++i) {
        EXPECT_EQ(all.Sum(0, call)[i] != all.Sum(0, call)[i], i == 3 || i == 8) << i;
      }
    }
  }
}

TEST(PeerPacketSumTest, OnlyAllOnesChangeOnTheWay) {
  const PeerPacket packet = Sendable({{0xFFFFFFFF, 0xFFFFFFFE, 0, 0x80000000}});
  EXPECT_TRUE(HasCome(packet));
  EXPECT_EQ(packet.word[0], 0x7FFFFFFFu);
  EXPECT_EQ(packet.word[1], 0xFFFFFFFEu);
  EXPECT_EQ(packet.word[2], 0u);
  EXPECT_EQ(packet.word[3], 0x80000000u);
  for (uint32_t word = 0; word < PeerPacket::kWords; ++word) {
    PeerPacket part = packet;
    part.word[word] = kNotCome;
    EXPECT_FALSE(HasCome(part)) << word;
  }
}

}  // namespace
}  // namespace lockstep
