#include "lib/train/group_state.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/strings/str_cat.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

// Collective communication between threads, one per rank: each waits for the bytes of all others.
class Board {
 public:
  explicit Board(uint32_t size) : size_(size) {}
  uint32_t size() const { return size_; }
  uint64_t bytes() const { return bytes_; }

  std::vector<std::string> AllGather(uint32_t rank, absl::string_view bytes) {
    std::unique_lock<std::mutex> lock(mutex_);
    const uint64_t round = round_;
    bytes_ += bytes.size();
    laid_.resize(size_);
    laid_[rank] = std::string(bytes);
    if (++present_ == size_) {
      all_ = std::move(laid_);
      laid_.clear();
      present_ = 0;
      ++round_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return round_ != round; });
    return all_;
  }

 private:
  const uint32_t size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> laid_, all_;
  uint32_t present_ = 0;
  uint64_t round_ = 0;
  uint64_t bytes_ = 0;  // bytes contributed so far
};

class BoardGroup : public RankGroup {
 public:
  BoardGroup(Board& board, uint32_t rank) : board_(board), rank_(rank) {}
  uint32_t rank() const override { return rank_; }
  uint32_t size() const override { return board_.size(); }
  absl::Status ShareModel(Model&) override { return absl::OkStatus(); }
  absl::Status ShareBuffers(Model&) override { return absl::OkStatus(); }
  absl::StatusOr<GradientHook*> MakeHook(Model&) override { return nullptr; }
  GradientExchange* exchange() override { return nullptr; }
  absl::Status BeginEpoch(uint32_t) override { return absl::OkStatus(); }
  absl::Status EndEpoch(uint32_t) override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<double>> Sum(const std::vector<RankNumber>&) override {
    return absl::UnimplementedError("states are no numbers");
  }
  absl::StatusOr<std::vector<std::string>> GatherState(absl::string_view bytes) override {
    return board_.AllGather(rank_, bytes);
  }
  absl::Status ShareState(std::string& bytes) override {
    bytes = board_.AllGather(rank_, bytes)[0];
    return absl::OkStatus();
  }

 private:
  Board& board_;
  const uint32_t rank_;
};

void OnEachRank(Board& board, const std::function<void(BoardGroup& group)>& work) {
  std::vector<std::thread> ranks;
  for (uint32_t rank = 0; rank < board.size(); ++rank) {
    ranks.emplace_back([&, rank] {
      BoardGroup group(board, rank);
      work(group);
    });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
}

// Returns a state with the same weights as all ranks and statistics of its own; one of rank 1's two arrays equals rank
// 0's.
TrainingState StateOf(uint32_t rank, size_t weights = 100'000) {
  TrainingState state;
  state.point.add_epoch()->set_mean_loss(rank);
  state.measured = absl::StrCat("measured by ", rank);
  state.arrays = {{"mean", absl::StrCat(rank / 2)},
                  {"variance", absl::StrCat("variance of ", rank)},
                  {"weights", std::string(weights, 'w')}};
  return state;
}

TEST(GroupStateTest, WhatIsAlikeIsKeptOnceAndEveryRankGetsItsOwnBack) {
  Board board(3);
  TrainingStates kept;
  OnEachRank(board, [&](BoardGroup& group) {
    auto states = GatherStates(&group, StateOf(group.rank()));
    ASSERT_THAT(states.status(), IsOk());  // LibTorch cannot print a vector of states
    if (group.rank() == 0) {
      kept = *std::move(states);
    }
  });
  EXPECT_LT(board.bytes(), 10'000u);  // no weights were sent
  ASSERT_THAT(kept, SizeIs(3));
  EXPECT_EQ(kept[0].arrays, StateOf(0).arrays);
  EXPECT_THAT(kept[1].arrays, ElementsAre(Pair("variance", "variance of 1")));
  EXPECT_THAT(kept[2].arrays, ElementsAre(Pair("mean", "1"), Pair("variance", "variance of 2")));

  OnEachRank(board, [&](BoardGroup& group) {
    const auto own = HandOutStates(&group, group.rank() == 0 ? std::optional<TrainingStates>(kept) : std::nullopt);
    ASSERT_THAT(own, IsOk());
    ASSERT_TRUE(own->has_value());
    const TrainingState expected = StateOf(group.rank());
    EXPECT_EQ((*own)->arrays, expected.arrays);
    EXPECT_EQ((*own)->measured, expected.measured);
    EXPECT_EQ((*own)->point.SerializeAsString(), expected.point.SerializeAsString());
  });
}

TEST(GroupStateTest, NoStateIsNoneOnAllRanks) {
  Board board(2);
  OnEachRank(board, [&](BoardGroup& group) {
    const auto own = HandOutStates(&group, std::nullopt);
    ASSERT_THAT(own, IsOk());
    EXPECT_FALSE(own->has_value());
  });
}

TEST(GroupStateTest, StatesOfAnotherNumberOfRanksAreRefusedByAll) {
  Board board(2);
  OnEachRank(board, [&](BoardGroup& group) {
    EXPECT_THAT(HandOutStates(&group, TrainingStates(3)),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("of 3 ranks, expected 2")));
  });
}

TEST(GroupStateTest, OneRankKeepsItsOwn) {
  const auto states = GatherStates(nullptr, StateOf(0));
  ASSERT_THAT(states.status(), IsOk());
  const auto own = HandOutStates(nullptr, *states);
  ASSERT_THAT(own, IsOk());
  EXPECT_EQ((*own)->arrays, StateOf(0).arrays);
}

// Rank 1 returns before the second exchange. Here no other rank waits for it.
TEST(GroupStateTest, OtherWeightsAreAFault) {
  class TwoDigests : public BoardGroup {
   public:
    using BoardGroup::BoardGroup;
    absl::StatusOr<std::vector<std::string>> GatherState(absl::string_view bytes) override {
      return std::vector<std::string>{std::string(bytes.size(), '0'), std::string(bytes)};
    }
  };
  Board board(2);
  TwoDigests group(board, 1);
  EXPECT_THAT(GatherStates(&group, StateOf(1, 5 << 20)).status(),
              StatusIs(absl::StatusCode::kAborted, HasSubstr("its weights differ")));
}

}  // namespace
}  // namespace lockstep
