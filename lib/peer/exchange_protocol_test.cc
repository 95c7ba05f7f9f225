// The protocol run message by message: ranks whose streams go on in any order that their waits allow.
#include "lib/peer/exchange_protocol.h"

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::HasSubstr;

constexpr uint32_t kRanges = 3;
constexpr uint32_t kSteps = 6;

// What is wrong with a protocol, for tests that find it.
enum class Fault { kNone, kNoWaitForReaders, kFlagBeforeCopy, kWrongEpoch, kNoEnd };

struct Operation {
  std::function<bool()> may_run;
  std::function<void()> run;
};

// A place has two halves, so that half a copy is seen.
struct Place {
  uint32_t epoch[2] = {0, 0};
};

// A rank as its GPU sees it: two streams and a main one, memory for flags and places, an epoch.
struct Rank {
  std::deque<Operation> stream[3];           // sending, adding, main
  uint32_t done[3] = {0, 0, 0};              // operations of each
  uint32_t queued[3] = {0, 0, 0};            // and queued
  uint32_t epoch = 1;                        // as the device knows it
  std::vector<std::vector<uint32_t>> flags;  // [row][who raised]
  std::vector<std::vector<Place>> places;    // [range][of whom]
  uint32_t sums = 0;
};

constexpr int kMain = 2;

class World {
 public:
  World(uint32_t ranks, Fault fault, bool small_last) : fault_(fault), small_last_(small_last), ranks_(ranks) {
    for (Rank& rank : ranks_) {
      rank.flags.assign(1 + kRanges, std::vector<uint32_t>(ranks, 0));
      rank.places.assign(kRanges, std::vector<Place>(ranks));
    }
  }

  // Queues a rank's steps through the protocol, as a captured graph that is replayed would be.
  absl::Status QueueSteps(uint32_t rank);

  // Runs everything, whose turn it is being random. What went wrong, or "".
  std::string Run(std::mt19937& random) {
    for (;;) {
      std::vector<std::pair<Rank*, int>> able;
      bool left = false;
      for (Rank& rank : ranks_) {
        for (int s = 0; s < 3; ++s) {
          left |= !rank.stream[s].empty();
          if (!rank.stream[s].empty() && rank.stream[s].front().may_run()) {
            able.emplace_back(&rank, s);
          }
        }
      }
      if (able.empty() || !wrong_.empty()) {
        return !wrong_.empty() ? wrong_ : left ? "all wait for each other" : "";
      }
      auto& [rank, s] = able[std::uniform_int_distribution<size_t>(0, able.size() - 1)(random)];
      const Operation operation = std::move(rank->stream[s].front());
      rank->stream[s].pop_front();
      operation.run();
      ++rank->done[s];
    }
  }

  uint32_t sums(uint32_t rank) const { return ranks_[rank].sums; }

 private:
  friend class Operations;

  void Queue(uint32_t rank, int stream, std::function<bool()> may_run, std::function<void()> run) {
    ranks_[rank].stream[stream].push_back({std::move(may_run), std::move(run)});
    ++ranks_[rank].queued[stream];
  }

  // `stream` goes on when what is queued on `other` by now is done.
  void Follow(uint32_t rank, int stream, int other) {
    const uint32_t until = ranks_[rank].queued[other];
    Queue(
        rank, stream, [this, rank, other, until] { return ranks_[rank].done[other] >= until; }, [] {});
  }

  const Fault fault_;
  const bool small_last_;  // of a step's ranges
  std::vector<Rank> ranks_;
  std::vector<std::unique_ptr<PeerOperations>> operations_;  // which the queues name
  std::string wrong_;
};

class Operations : public PeerOperations {
 public:
  Operations(World& world, uint32_t rank) : world_(world), rank_(rank) {}

  absl::Status SendWhenReady() override { return MakeReady(0); }
  absl::Status AddWhenReady() override { return MakeReady(1); }

  absl::Status CopyTo(uint32_t rank) override { return Copy(rank, 0); }

  absl::Status SendAndAdd(uint32_t row) override {
    for (uint32_t other = 0; other < world_.ranks_.size(); ++other) {
      RETURN_IF_ERROR(other == rank_ ? absl::OkStatus() : Copy(other, 1));
    }
    RETURN_IF_ERROR(Raise(PeerStream::kAdding, row, false));
    RETURN_IF_ERROR(Await(PeerStream::kAdding, row, 0));
    return Add();
  }

  absl::Status AddWhenSent() override {
    world_.Follow(rank_, 1, 0);
    return absl::OkStatus();
  }

  absl::Status Add() override {
    for (const int half : {0, 1}) {
      world_.Queue(
          rank_, 1, [] { return true; },
          [this, half, range = range_] {
            const Rank& own = world_.ranks_[rank_];
            for (uint32_t other = 0; other < own.flags[0].size(); ++other) {
              const uint32_t found = own.places[range][other].epoch[half];
              if (other != rank_ && found != own.epoch) {
                world_.wrong_ = absl::StrCat("rank ", rank_, " adds rank ", other, "'s range of step ", found,
                                             " in step ", own.epoch);
              }
            }
            world_.ranks_[rank_].sums += half;
          });
    }
    range_ = (range_ + 1) % kRanges;
    return absl::OkStatus();
  }

  absl::Status Raise(PeerStream stream, uint32_t row, bool next_epoch) override {
    RaiseNow(stream == PeerStream::kSending ? 0 : 1, row, next_epoch);
    return absl::OkStatus();
  }

  absl::Status Await(PeerStream stream, uint32_t row, uint32_t behind) override {
    if (row == ExchangeProtocol::kReadRow && world_.fault_ == Fault::kNoWaitForReaders) {
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
    world_.Queue(rank_, stream == PeerStream::kSending ? 0 : 1, raised, [] {});
    return absl::OkStatus();
  }

  // SGD, and then the next step's forward: all of the next step is behind it.
  void JoinMain() { world_.Follow(rank_, kMain, 1); }

 private:
  // Backward makes the range on the main stream.
  absl::Status MakeReady(int stream) {
    world_.Queue(
        rank_, kMain, [] { return true; }, [] {});
    world_.Follow(rank_, stream, kMain);
    return absl::OkStatus();
  }

  absl::Status Copy(uint32_t rank, int stream) {
    if (world_.fault_ == Fault::kFlagBeforeCopy) {
      RaiseNow(stream, range_ + 1, false);
    }
    for (const int half : {0, 1}) {
      world_.Queue(
          rank_, stream, [] { return true; },
          [this, rank, half, range = range_] {
            world_.ranks_[rank].places[range][rank_].epoch[half] = world_.ranks_[rank_].epoch;
          });
    }
    return absl::OkStatus();
  }

  void RaiseNow(int stream, uint32_t row, bool next_epoch) {
    world_.Queue(
        rank_, stream, [] { return true; },
        [this, row, next_epoch] {
          const bool told = !next_epoch || world_.fault_ != Fault::kNoEnd;
          for (uint32_t other = 0; told && other < world_.ranks_.size(); ++other) {
            world_.ranks_[other].flags[row][rank_] = world_.ranks_[rank_].epoch;
          }
          world_.ranks_[rank_].epoch += next_epoch ? 1 : 0;
        });
  }

  World& world_;
  const uint32_t rank_;
  uint32_t range_ = 0;
};

absl::Status World::QueueSteps(uint32_t rank) {
  auto* const operations = new Operations(*this, rank);
  operations_.emplace_back(operations);
  ExchangeProtocol protocol(rank, static_cast<uint32_t>(ranks_.size()));
  for (uint32_t step = 0; step < kSteps; ++step) {
    for (uint32_t range = 0; range < kRanges; ++range) {
      RETURN_IF_ERROR(protocol.Sum(*operations, /*small=*/small_last_ && range + 1 == kRanges));
    }
    RETURN_IF_ERROR(protocol.EndStep(*operations));
    operations->JoinMain();
  }
  return absl::OkStatus();
}

// The first thing that goes wrong in so many random orders, or "".
std::string FirstWrong(uint32_t ranks, Fault fault, int orders, bool small_last = true) {
  std::mt19937 random(ranks);
  for (int order = 0; order < orders; ++order) {
    World world(ranks, fault, small_last);
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
  EXPECT_EQ(FirstWrong(2, Fault::kNone, 2000, /*small_last=*/false), "");
  EXPECT_EQ(FirstWrong(4, Fault::kNone, 200, /*small_last=*/false), "");
}

// The faults that it must find.
TEST(ExchangeProtocolTest, WhatIsLeftOutIsFound) {
  // A small last range, sent behind the sums of those before it, would be word enough that these are read.
  EXPECT_THAT(FirstWrong(2, Fault::kNoWaitForReaders, 2000, /*small_last=*/false), HasSubstr("adds rank"));
  EXPECT_THAT(FirstWrong(2, Fault::kFlagBeforeCopy, 2000), HasSubstr("adds rank"));
  EXPECT_THAT(FirstWrong(2, Fault::kWrongEpoch, 2000), HasSubstr("adds rank"));
  EXPECT_EQ(FirstWrong(2, Fault::kNoEnd, 10), "all wait for each other");
}

}  // namespace
}  // namespace lockstep
