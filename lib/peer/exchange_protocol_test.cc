// Simulation of the protocol: the operations of all ranks' streams run in any order that their waits allow.
#include "lib/peer/exchange_protocol.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/peer/simulated_streams_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SimulatedStreams;
using ::testing::HasSubstr;

constexpr uint32_t kRanges = 3;
constexpr uint32_t kSteps = 6;

// Faults that are planted in the protocol and that the test must find.
enum class Fault {
  kNone,
  kNoWaitForReaders,
  kFlagBeforeCopy,
  kWrongEpoch,
  kNoEnd,
  kNoWaitForWeights,
  kWeightsTooEarly,
};

// Kinds of a step's ranges:
//   kLarge               all large
//   kSmallLast           last one small
//   kSharedButLast       last one small and queued after the writing of the weights; the others with a sharded update
//   kSharedAndOneConcurrent  the same, but the small range is not queued after the writing of the weights
enum class Ranges { kLarge, kSmallLast, kSharedButLast, kSharedAndOneConcurrent };

// Buffer that is written in two halves, so that a half-finished copy is visible.
struct Slot {
  uint32_t epoch[2] = {0, 0};
};

constexpr int kSending = 0, kAdding = 1, kMain = 2, kUpdate = 3, kStreams = 4;

// State of a rank's GPU: memory for flags and buffers, epoch.
struct Rank {
  uint32_t epoch = 1;                        // epoch on the device
  std::vector<std::vector<uint32_t>> flags;  // [row][raising rank]
  std::vector<std::vector<Slot>> slots;      // [range][sending rank]
  std::vector<std::vector<Slot>> weights;    // [range][updating rank]: step of the weights
  uint32_t sums = 0;
};

class World : public SimulatedStreams {
 public:
  World(uint32_t ranks, Fault fault, Ranges ranges)
      : SimulatedStreams(ranks, kStreams), fault_(fault), ranges_(ranges), ranks_(ranks) {
    for (Rank& rank : ranks_) {
      rank.flags.assign(1 + 2 * kRanges, std::vector<uint32_t>(ranks, 0));
      rank.slots.assign(kRanges, std::vector<Slot>(ranks));
      rank.weights.assign(kRanges, std::vector<Slot>(ranks));
    }
  }

  // Queues a rank's steps through the protocol, like the replays of a captured graph.
  absl::Status QueueSteps(uint32_t rank);

  uint32_t sums(uint32_t rank) const { return ranks_[rank].sums; }

 private:
  friend class Operations;

  bool IsShared(uint32_t range) const {
    return range + 1 < kRanges && (ranges_ == Ranges::kSharedButLast || ranges_ == Ranges::kSharedAndOneConcurrent);
  }

  const Fault fault_;
  const Ranges ranges_;
  std::vector<Rank> ranks_;
  std::vector<std::unique_ptr<PeerOperations>> operations_;  // operations that the queues refer to
};

class Operations : public PeerOperations {
 public:
  Operations(World& world, uint32_t rank) : world_(world), rank_(rank) {}

  absl::Status SendWhenReady() override { return MakeReady(kSending); }
  absl::Status AddWhenReady() override { return MakeReady(kAdding); }

  absl::Status CopyTo(uint32_t rank) override { return Copy(rank, kSending); }

  absl::Status SendAndAdd(uint32_t row) override {
    for (uint32_t other = 0; other < world_.ranks_.size(); ++other) {
      RETURN_IF_ERROR(other == rank_ ? absl::OkStatus() : Copy(other, kAdding));
    }
    RETURN_IF_ERROR(Raise(PeerStream::kAdding, row, PeerEpoch::kSame));
    RETURN_IF_ERROR(Await(PeerStream::kAdding, row, 0));
    return Add();
  }

  absl::Status AddWhenSent() override {
    world_.Follow(rank_, kAdding, kSending);
    return absl::OkStatus();
  }

  absl::Status Add() override {
    for (const int half : {0, 1}) {
      world_.Queue(
          rank_, kAdding, [] { return true; },
          [this, half, range = range_] {
            const Rank& own = world_.ranks_[rank_];
            for (uint32_t other = 0; other < own.flags[0].size(); ++other) {
              const uint32_t found = own.slots[range][other].epoch[half];
              if (other != rank_ && found != own.epoch) {
                world_.Fail(absl::StrCat("rank ", rank_, " adds rank ", other, "'s range of step ", found, " in step ",
                                         own.epoch));
              }
            }
            world_.ranks_[rank_].sums += half;
          });
    }
    range_ = (range_ + 1) % kRanges;
    return absl::OkStatus();
  }

  absl::Status Raise(PeerStream stream, uint32_t row, PeerEpoch epoch) override {
    RaiseNow(Of(stream), row, epoch);
    return absl::OkStatus();
  }

  absl::Status Await(PeerStream stream, uint32_t row, uint32_t behind) override {
    const bool weights = stream == PeerStream::kAdding && ending_;
    if ((row == ExchangeProtocol::kReadRow && world_.fault_ == Fault::kNoWaitForReaders) ||
        (weights && world_.fault_ == Fault::kNoWaitForWeights)) {
      return absl::OkStatus();
    }
    behind += world_.fault_ == Fault::kWrongEpoch && row != ExchangeProtocol::kReadRow ? 1 : 0;
    const auto raised = [this, row, behind] {
      const Rank& own = world_.ranks_[rank_];
      for (uint32_t other = 0; other < own.flags[row].size(); ++other) {
        if (other != rank_ && static_cast<int32_t>(own.flags[row][other] - (own.epoch - behind)) < 0) {
          return false;
        }
      }
      return true;
    };
    world_.Queue(rank_, Of(stream), raised, [] {});
    return absl::OkStatus();
  }

  // Queues SGD of this rank's share of the last summed range, which writes into all ranks' weights.
  void UpdateShare() {
    const uint32_t range = (range_ + kRanges - 1) % kRanges;
    const int stream = world_.fault_ == Fault::kWeightsTooEarly ? kMain : BehindSums();
    for (const int half : {0, 1}) {
      world_.Queue(
          rank_, stream, [] { return true; },
          [this, half, range, step = step_] {
            for (Rank& rank : world_.ranks_) {
              rank.weights[range][rank_].epoch[half] = step;
            }
          });
    }
  }

  // Makes the main stream wait for the update, so that the whole next step runs after it.
  void JoinMain() {
    world_.Follow(rank_, kMain, BehindSums());
    ++step_;
  }

  // Makes the update stream wait for the sum.
  void UpdateBehindSum() { world_.Follow(rank_, kUpdate, kAdding); }

  void SetEnding(bool ending) { ending_ = ending; }

 private:
  // Returns the stream on which weights are updated and the step ends.
  int BehindSums() const { return world_.ranges_ == Ranges::kSharedAndOneConcurrent ? kUpdate : kAdding; }
  int Of(PeerStream stream) const {
    return stream == PeerStream::kSending ? kSending : ending_ ? BehindSums() : kAdding;
  }

  // Queues the backward pass of the range on the main stream. It reads the range's weights, which must be those of the
  // last step.
  absl::Status MakeReady(int stream) {
    const bool shared = world_.IsShared(range_);
    for (const int half : {0, 1}) {
      world_.Queue(
          rank_, kMain, [] { return true; },
          [this, shared, half, range = range_, step = step_] {
            const Rank& own = world_.ranks_[rank_];
            for (uint32_t whose = 0; shared && whose < own.flags[0].size(); ++whose) {
              const uint32_t found = own.weights[range][whose].epoch[half];
              if (found + 1 != step) {
                world_.Fail(absl::StrCat("rank ", rank_, " reads weights of step ", found, " in step ", step));
              }
            }
          });
    }
    world_.Follow(rank_, stream, kMain);
    return absl::OkStatus();
  }

  absl::Status Copy(uint32_t rank, int stream) {
    if (world_.fault_ == Fault::kFlagBeforeCopy) {
      RaiseNow(stream, range_ + 1, PeerEpoch::kSame);
    }
    for (const int half : {0, 1}) {
      world_.Queue(
          rank_, stream, [] { return true; },
          [this, rank, half, range = range_] {
            world_.ranks_[rank].slots[range][rank_].epoch[half] = world_.ranks_[rank_].epoch;
          });
    }
    return absl::OkStatus();
  }

  void RaiseNow(int stream, uint32_t row, PeerEpoch epoch) {
    world_.Queue(
        rank_, stream, [] { return true; },
        [this, row, epoch] {
          const bool raises = epoch == PeerEpoch::kSame || world_.fault_ != Fault::kNoEnd;
          for (uint32_t other = 0; raises && other < world_.ranks_.size(); ++other) {
            world_.ranks_[other].flags[row][rank_] = world_.ranks_[rank_].epoch;
          }
          world_.ranks_[rank_].epoch += epoch == PeerEpoch::kNext ? 1 : 0;
        });
  }

  World& world_;
  const uint32_t rank_;
  uint32_t range_ = 0;
  uint32_t step_ = 1;
  bool ending_ = false;  // true while the protocol ends a step
};

absl::Status World::QueueSteps(uint32_t rank) {
  auto* const operations = new Operations(*this, rank);
  operations_.emplace_back(operations);
  ExchangeProtocol protocol(rank, static_cast<uint32_t>(ranks_.size()));
  for (uint32_t step = 0; step < kSteps; ++step) {
    for (uint32_t range = 0; range < kRanges; ++range) {
      const bool last = range + 1 == kRanges;
      RETURN_IF_ERROR(protocol.Sum(*operations, {.small = last && ranges_ != Ranges::kLarge,
                                                 .behind_weights = ranges_ == Ranges::kSharedButLast}));
      operations->UpdateBehindSum();
      if (IsShared(range)) {
        operations->UpdateShare();
        protocol.WeightsWritten();
      }
    }
    operations->SetEnding(true);
    RETURN_IF_ERROR(protocol.EndStep(*operations));
    operations->SetEnding(false);
    operations->JoinMain();
  }
  return absl::OkStatus();
}

// Returns the first failure in `orders` random orders, or an empty text.
std::string FirstWrong(uint32_t ranks, Fault fault, int orders, Ranges of_step = Ranges::kSmallLast) {
  std::mt19937 random(ranks);
  for (int order = 0; order < orders; ++order) {
    World world(ranks, fault, of_step);
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_THAT(world.QueueSteps(rank), IsOk());
    }
    if (const std::string wrong = world.Run(random); !wrong.empty()) {
      return wrong;
    }
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(world.sums(rank), kSteps * kRanges);
    }
  }
  return "";
}

TEST(ExchangeProtocolTest, InAnyOrderAllAddWhatIsOfTheirStep) {
  EXPECT_EQ(FirstWrong(1, Fault::kNone, 10), "");
  EXPECT_EQ(FirstWrong(2, Fault::kNone, 2000), "");
  EXPECT_EQ(FirstWrong(3, Fault::kNone, 500), "");
  EXPECT_EQ(FirstWrong(8, Fault::kNone, 50), "");
  EXPECT_EQ(FirstWrong(2, Fault::kNone, 2000, Ranges::kLarge), "");
  EXPECT_EQ(FirstWrong(4, Fault::kNone, 200, Ranges::kLarge), "");
}

TEST(ExchangeProtocolTest, InAnyOrderAllReadTheWeightsOfTheLastStep) {
  for (const Ranges of_step : {Ranges::kSharedButLast, Ranges::kSharedAndOneConcurrent}) {
    EXPECT_EQ(FirstWrong(1, Fault::kNone, 10, of_step), "");
    EXPECT_EQ(FirstWrong(2, Fault::kNone, 2000, of_step), "");
    EXPECT_EQ(FirstWrong(3, Fault::kNone, 500, of_step), "");
    EXPECT_EQ(FirstWrong(8, Fault::kNone, 50, of_step), "");
  }
}

// Planted faults must be found.
TEST(ExchangeProtocolTest, WhatIsLeftOutIsFound) {
  // Needs large ranges: a small last range is sent after the sums of the earlier ranges, so that its flag alone would
  // confirm that these have been read.
  EXPECT_THAT(FirstWrong(2, Fault::kNoWaitForReaders, 2000, Ranges::kLarge), HasSubstr("adds rank"));
  EXPECT_THAT(FirstWrong(2, Fault::kFlagBeforeCopy, 2000), HasSubstr("adds rank"));
  EXPECT_THAT(FirstWrong(2, Fault::kWrongEpoch, 2000), HasSubstr("adds rank"));
  EXPECT_EQ(FirstWrong(2, Fault::kNoEnd, 10), "all wait for each other");
  for (const Fault fault : {Fault::kNoWaitForWeights, Fault::kWeightsTooEarly}) {
    EXPECT_THAT(FirstWrong(2, fault, 2000, Ranges::kSharedAndOneConcurrent), HasSubstr("reads weights of step"));
  }
}

}  // namespace
}  // namespace lockstep
