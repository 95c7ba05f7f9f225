// Simulation of sums in two halves (lib/reducer/peer_exchange.h) through the protocol: each rank gathers the addends of
// its share, makes the result, and spreads it through the same buffers. Ranges of a shared update are not spread. The
// operations of all ranks' streams run in any order that their waits allow.
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/peer/exchange_protocol.h"
#include "lib/peer/simulated_streams_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SimulatedStreams;
using ::testing::HasSubstr;

constexpr uint32_t kRanges = 3;
constexpr uint32_t kSteps = 5;

// Faults that are planted and that the test must find.
enum class Fault {
  kNone,
  kNoWaitForReaders,    // a step begins without the message that the last step's buffers have been read
  kSpreadBeforeResult,  // the second half does not wait for the result
  kSpreadOverAddends,   // the second half writes over the receiver's share of the buffer
  kNoWaitForOthers,     // the second half does not wait for the other ranks' shares
};

// Ranges of a step that are spread.
enum class Spread { kAll, kFirst };

// Numbers that stand for the contents of a share in a step.
uint32_t Addend(uint32_t step) { return 2 * step; }
uint32_t Result(uint32_t step) { return 2 * step + 1; }

using Shares = std::vector<uint32_t>;  // contents of each share of a range

constexpr int kSending = 0, kAdding = 1, kThen = 2, kMain = 3, kStreams = 4;

struct Rank {
  uint32_t epoch = 1;                        // epoch on the device
  std::vector<std::vector<uint32_t>> flags;  // [row][raising rank]
  std::vector<std::vector<Shares>> slots;    // [range][sending rank]
  std::vector<Shares> data;                  // [range]: this rank's gradients
};

class World : public SimulatedStreams {
 public:
  World(uint32_t ranks, Fault fault, Spread spread)
      : SimulatedStreams(ranks, kStreams), fault_(fault), spread_(spread), ranks_(ranks) {
    for (Rank& rank : ranks_) {
      rank.flags.assign(2 + 2 * kRanges, std::vector<uint32_t>(ranks, 0));
      rank.slots.assign(kRanges, std::vector<Shares>(ranks, Shares(ranks, 0)));
      rank.data.assign(kRanges, Shares(ranks, 0));
    }
  }

  uint32_t size() const { return static_cast<uint32_t>(ranks_.size()); }
  Rank& of(uint32_t rank) { return ranks_[rank]; }
  Fault fault() const { return fault_; }
  bool IsSpread(uint32_t range) const { return spread_ == Spread::kAll || range == 0; }

  void QueueWork(uint32_t rank, int stream, std::function<void()> run) {
    Queue(
        rank, stream, [] { return true; }, std::move(run));
  }

  void Expect(uint32_t found, uint32_t expected, absl::string_view where) {
    if (found != expected && !failed()) {
      Fail(absl::StrCat(where, " ", found, " instead of ", expected));
    }
  }

 private:
  const Fault fault_;
  const Spread spread_;
  std::vector<Rank> ranks_;
};

// Operations of one half of a sum. The second half runs on one stream.
class Half : public PeerOperations {
 public:
  enum class Which { kGather, kSpread };

  Half(World& world, uint32_t rank, uint32_t range, uint32_t step, Which which)
      : world_(world), rank_(rank), range_(range), step_(step), which_(which) {}

  absl::Status SendWhenReady() override {
    if (which_ == Which::kGather) {
      world_.Follow(rank_, kSending, kMain);
    }
    return absl::OkStatus();
  }
  absl::Status AddWhenSent() override {
    if (which_ == Which::kGather) {
      world_.Follow(rank_, kAdding, kSending);
    }
    return absl::OkStatus();
  }
  absl::Status AddWhenReady() override { return absl::InternalError("no range is small"); }
  absl::Status SendAndAdd(uint32_t) override { return absl::InternalError("no range is small"); }

  absl::Status CopyTo(uint32_t to) override {
    const uint32_t share = which_ == Which::kGather ? to : rank_;
    const uint32_t at = world_.fault() == Fault::kSpreadOverAddends ? to : share;
    world_.QueueWork(rank_, Of(PeerStream::kSending), [this, to, share, at] {
      world_.of(to).slots[range_][rank_][at] = world_.of(rank_).data[range_][share];
    });
    return absl::OkStatus();
  }

  // Adds the addends and makes the result, or reads the other ranks' shares.
  absl::Status Add() override {
    world_.QueueWork(rank_, Of(PeerStream::kAdding), [this] {
      Rank& own = world_.of(rank_);
      for (uint32_t other = 0; other < world_.size(); ++other) {
        if (which_ == Which::kGather) {
          const uint32_t addend = other == rank_ ? own.data[range_][rank_] : own.slots[range_][other][rank_];
          world_.Expect(addend, Addend(step_), "added");
        } else if (other != rank_) {
          own.data[range_][other] = own.slots[range_][other][other];
          world_.Expect(own.data[range_][other], Result(step_), "read");
        }
      }
      own.data[range_][rank_] = Result(step_);
    });
    return absl::OkStatus();
  }

  absl::Status Raise(PeerStream stream, uint32_t row, PeerEpoch epoch) override {
    world_.QueueWork(rank_, Of(stream), [this, row, epoch] {
      Rank& own = world_.of(rank_);
      for (uint32_t other = 0; other < world_.size(); ++other) {
        world_.of(other).flags[row][rank_] = own.epoch;
      }
      own.epoch += epoch == PeerEpoch::kNext ? 1 : 0;
    });
    return absl::OkStatus();
  }

  absl::Status Await(PeerStream stream, uint32_t row, uint32_t behind) override {
    if ((row == ExchangeProtocol::kReadRow && world_.fault() == Fault::kNoWaitForReaders) ||
        (which_ == Which::kSpread && world_.fault() == Fault::kNoWaitForOthers)) {
      return absl::OkStatus();
    }
    const auto raised = [this, row, behind] {
      const Rank& own = world_.of(rank_);
      for (uint32_t other = 0; other < world_.size(); ++other) {
        if (other != rank_ && static_cast<int32_t>(own.flags[row][other] - (own.epoch - behind)) < 0) {
          return false;
        }
      }
      return true;
    };
    world_.Queue(rank_, Of(stream), raised, [] {});
    return absl::OkStatus();
  }

 private:
  int Of(PeerStream stream) const {
    return which_ == Which::kSpread ? kThen : stream == PeerStream::kSending ? kSending : kAdding;
  }

  World& world_;
  const uint32_t rank_, range_, step_;
  const Which which_;
};

using Halves = std::vector<std::unique_ptr<Half>>;  // operations that the queues refer to

absl::Status QueueRange(World& world, ExchangeProtocol& protocol, uint32_t rank, uint32_t range, uint32_t step,
                        Halves& halves) {
  world.QueueWork(rank, kMain,
                  [&world, rank, range, step] { world.of(rank).data[range].assign(world.size(), Addend(step)); });
  halves.push_back(std::make_unique<Half>(world, rank, range, step, Half::Which::kGather));
  RETURN_IF_ERROR(protocol.Sum(*halves.back(), {.small = false}));
  if (world.fault() != Fault::kSpreadBeforeResult) {
    world.Follow(rank, kThen, kAdding);
  }
  if (!world.IsSpread(range)) {
    return absl::OkStatus();
  }
  halves.push_back(std::make_unique<Half>(world, rank, range, step, Half::Which::kSpread));
  return protocol.Sum(*halves.back(), {.small = false});
}

// Queues a rank's steps, like the replays of a captured graph. The next step begins after the sums of the last one.
absl::Status QueueSteps(World& world, uint32_t rank, Halves& halves) {
  ExchangeProtocol protocol(rank, world.size());
  for (uint32_t step = 1; step <= kSteps; ++step) {
    for (uint32_t range = 0; range < kRanges; ++range) {
      RETURN_IF_ERROR(QueueRange(world, protocol, rank, range, step, halves));
    }
    RETURN_IF_ERROR(protocol.EndStep(*halves.back()));
    world.Follow(rank, kMain, kThen);
  }
  return absl::OkStatus();
}

// Returns the first failure in `orders` random orders, or an empty text.
std::string FirstWrong(uint32_t ranks, Fault fault, int orders, Spread spread = Spread::kAll) {
  std::mt19937 random(ranks);
  for (int order = 0; order < orders; ++order) {
    World world(ranks, fault, spread);
    Halves halves;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_THAT(QueueSteps(world, rank, halves), IsOk());
    }
    if (std::string wrong = world.Run(random); !wrong.empty()) {
      return wrong;
    }
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      for (uint32_t range = 0; range < kRanges; ++range) {
        Shares expected(ranks, world.IsSpread(range) ? Result(kSteps) : Addend(kSteps));
        expected[rank] = Result(kSteps);
        EXPECT_EQ(world.of(rank).data[range], expected);
      }
    }
  }
  return "";
}

TEST(ShareExchangeTest, InAnyOrderEachRankAddsAndReadsWhatIsOfItsStep) {
  for (const Spread spread : {Spread::kAll, Spread::kFirst}) {
    EXPECT_EQ(FirstWrong(1, Fault::kNone, 10, spread), "");
    EXPECT_EQ(FirstWrong(2, Fault::kNone, 300, spread), "");
    EXPECT_EQ(FirstWrong(3, Fault::kNone, 100, spread), "");
    EXPECT_EQ(FirstWrong(8, Fault::kNone, 10, spread), "");
  }
}

// Planted faults must be found.
TEST(ShareExchangeTest, WhatIsLeftOutIsFound) {
  EXPECT_THAT(FirstWrong(2, Fault::kSpreadBeforeResult, 1000), HasSubstr("instead of"));
  EXPECT_THAT(FirstWrong(2, Fault::kSpreadOverAddends, 1000), HasSubstr("instead of"));
  EXPECT_THAT(FirstWrong(2, Fault::kNoWaitForOthers, 1000), HasSubstr("read"));
  // Needs a last range that is not spread: the flags of the second half also confirm that the addends have been read.
  EXPECT_THAT(FirstWrong(2, Fault::kNoWaitForReaders, 1000, Spread::kFirst), HasSubstr("added"));
}

}  // namespace
}  // namespace lockstep
