#include "lib/train/batch_sweep.h"

#include <map>

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

BatchSweepOptions Options(uint32_t min, uint32_t factor, uint32_t max) {
  BatchSweepOptions options;
  options.min_batch = min;
  options.factor = factor;
  options.max_batch = max;
  return options;
}

TEST(PlanBatchSweepTest, TheLabsSweepEndsBelowTheDataSet) {
  const auto sweep = PlanBatchSweep(BatchSweepOptions(), 50000);
  ASSERT_THAT(sweep, IsOk());
  EXPECT_THAT(sweep->batch_sizes, ElementsAre(32, 128, 512, 2048, 8192, 32768));
  EXPECT_EQ(sweep->exceeding, 131072);
}

TEST(PlanBatchSweepTest, ABatchAsLargeAsTheDataSetIsReal) {
  EXPECT_THAT(PlanBatchSweep(Options(10, 2, 0), 40)->batch_sizes, ElementsAre(10, 20, 40));
  EXPECT_EQ(PlanBatchSweep(Options(10, 2, 0), 40)->exceeding, 80);
  EXPECT_THAT(PlanBatchSweep(Options(10, 2, 0), 39)->batch_sizes, ElementsAre(10, 20));
  EXPECT_EQ(PlanBatchSweep(Options(10, 2, 0), 39)->exceeding, 40);
}

TEST(PlanBatchSweepTest, StopsAtMaxBatch) {
  EXPECT_THAT(PlanBatchSweep(Options(32, 4, 512), 50000)->batch_sizes, ElementsAre(32, 128, 512));
  EXPECT_EQ(PlanBatchSweep(Options(32, 4, 512), 50000)->exceeding, 0);
  EXPECT_THAT(PlanBatchSweep(Options(32, 4, 511), 50000)->batch_sizes, ElementsAre(32, 128));
  EXPECT_THAT(PlanBatchSweep(Options(32, 4, 32), 50000)->batch_sizes, ElementsAre(32));
}

TEST(PlanBatchSweepTest, TheFirstBatchMayExceedAlready) {
  EXPECT_THAT(PlanBatchSweep(Options(32, 4, 0), 20)->batch_sizes, IsEmpty());
  EXPECT_EQ(PlanBatchSweep(Options(32, 4, 0), 20)->exceeding, 32);
}

TEST(PlanBatchSweepTest, RefusesSweepsThatDoNotGrow) {
  EXPECT_THAT(PlanBatchSweep(Options(0, 4, 0), 10),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--min_batch=0")));
  EXPECT_THAT(PlanBatchSweep(Options(1, 1, 0), 10),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--factor=1")));
  EXPECT_THAT(PlanBatchSweep(Options(8, 2, 4), 10),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--max_batch=4")));
}

TEST(PlanBatchSweepTest, TakesBatchesByHandInTheirOrder) {
  EXPECT_THAT(PlanByHand({128, 32, 50000}, 50000)->batch_sizes, ElementsAre(128, 32, 50000));
  EXPECT_THAT(PlanByHand({32, 0}, 100), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("found 0")));
  EXPECT_THAT(PlanByHand({32, 32}, 100), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("32 twice")));
  EXPECT_THAT(PlanByHand({1000}, 80), StatusIs(absl::StatusCode::kInvalidArgument,
                                               HasSubstr("--batch_size=1000 is larger than the training set of 80")));
}

// Runs the batch sweep with the given outcomes (COMPLETED by default) and stores the points that were kept.
struct SweepRun {
  explicit SweepRun(const BatchSweep& sweep, const std::map<uint32_t, proto::Outcome>& outcomes = {}) {
    end = RunBatchSweep(
        sweep,
        [&](uint32_t batch) -> absl::StatusOr<proto::SweepPoint> {
          tried.push_back(batch);
          proto::SweepPoint point;
          point.set_batch_size(batch);
          point.set_outcome(outcomes.count(batch) != 0 ? outcomes.at(batch) : proto::COMPLETED);
          point.set_detail("because");
          return point;
        },
        [&](const proto::SweepPoint& point) {
          kept.push_back(point);
          return absl::OkStatus();
        });
  }
  std::vector<uint32_t> tried;
  std::vector<proto::SweepPoint> kept;
  absl::StatusOr<proto::SweepEnd> end;
};

TEST(RunBatchSweepTest, EndsWhereTheDataSetEnds) {
  const SweepRun run(*PlanBatchSweep(Options(10, 2, 0), 25));
  EXPECT_THAT(run.tried, ElementsAre(10, 20));
  ASSERT_EQ(run.kept.size(), 3);
  EXPECT_THAT(run.kept[2],
              EqualsProto("batch_size: 40 outcome: EXCEEDS_DATASET detail: 'the training set has 25 images'"));
  EXPECT_THAT(*run.end, EqualsProto("reason: END_EXCEEDS_DATASET largest_completed_batch: 20 "
                                    "detail: 'batch 40: the training set has 25 images'"));
}

TEST(RunBatchSweepTest, EndsAtMaxBatch) {
  const SweepRun run(*PlanBatchSweep(Options(10, 2, 20), 25));
  EXPECT_THAT(*run.end,
              EqualsProto("reason: END_MAX_BATCH largest_completed_batch: 20 detail: '--max_batch was reached'"));
}

TEST(RunBatchSweepTest, EndsAtTheFirstBatchThatDoesNotComplete) {
  const BatchSweep sweep = *PlanBatchSweep(Options(10, 2, 0), 1000);
  for (const auto& [outcome, reason] :
       std::map<proto::Outcome, proto::EndReason>{{proto::OUT_OF_MEMORY, proto::END_OUT_OF_MEMORY},
                                                  {proto::KILLED, proto::END_KILLED},
                                                  {proto::FAILED, proto::END_FAILED}}) {
    const SweepRun run(sweep, {{40, outcome}});
    EXPECT_THAT(run.tried, ElementsAre(10, 20, 40));
    EXPECT_EQ(run.kept.size(), 3);
    EXPECT_EQ(run.end->reason(), reason);
    EXPECT_EQ(run.end->largest_completed_batch(), 20);
    EXPECT_EQ(run.end->detail(), "batch 40: because");
  }
}

TEST(RunBatchSweepTest, NothingCompleted) {
  EXPECT_EQ(
      SweepRun(*PlanBatchSweep(Options(10, 2, 0), 1000), {{10, proto::OUT_OF_MEMORY}}).end->largest_completed_batch(),
      0);
  EXPECT_EQ(SweepRun(*PlanBatchSweep(Options(10, 2, 0), 5)).end->largest_completed_batch(), 0);
}

TEST(RunBatchSweepTest, TriesAllBatchesGivenByHand) {
  const SweepRun run(*PlanByHand({512, 32, 128}, 1000), {{512, proto::OUT_OF_MEMORY}});
  EXPECT_THAT(run.tried, ElementsAre(512, 32, 128));
  EXPECT_EQ(run.end->reason(), proto::END_MAX_BATCH);
  EXPECT_EQ(run.end->largest_completed_batch(), 128);
}

// Searches for the bound if exactly the batches up to `largest` fit, and stores the batches that were tried.
struct Search {
  Search(BatchBounds known, uint32_t limit, uint32_t largest, uint32_t guess = 0) {
    bounds = *FindLargestBatch(known, limit, guess, [&](uint32_t batch) -> absl::StatusOr<proto::Outcome> {
      tried.push_back(batch);
      return batch <= largest ? proto::COMPLETED : batch % 2 == 0 ? proto::OUT_OF_MEMORY : proto::KILLED;
    });
  }
  std::vector<uint32_t> tried;
  BatchBounds bounds;
};

TEST(FindLargestBatchTest, HalvesTheDistance) {
  const Search search({128, 512}, 50000, 300);
  EXPECT_THAT(search.tried, ElementsAre(320, 224, 272, 296, 308, 302, 299, 300, 301));
  EXPECT_EQ(search.bounds.fits, 300);
  EXPECT_EQ(search.bounds.fails, 301);
}

TEST(FindLargestBatchTest, EveryAnswerIsFound) {
  for (uint32_t largest = 0; largest <= 40; ++largest) {
    const Search search({0, 0}, 40, largest);
    EXPECT_EQ(search.bounds.fits, largest);
    EXPECT_EQ(search.bounds.fails, largest == 40 ? 0 : largest + 1);
    EXPECT_LE(search.tried.size(), 7u);  // the limit, and ceil(log2(40)) halvings
  }
}

// Bisection from 8192 to 32768 takes 15 steps.
TEST(FindLargestBatchTest, AGoodGuessSparesHalvings) {
  EXPECT_THAT(Search({8192, 32768}, 50000, 24000, 24000).tried,
              ElementsAre(24000, 24094, 24047, 24023, 24011, 24005, 24002, 24001));
  EXPECT_THAT(Search({8192, 32768}, 50000, 23999, 24000).tried,
              ElementsAre(24000, 23906, 23953, 23976, 23988, 23994, 23997, 23998, 23999));
  EXPECT_THAT(Search({32768, 0}, 50000, 47890, 47900).tried,
              ElementsAre(47900, 47712, 47806, 47853, 47876, 47888, 47894, 47891, 47889, 47890));
}

TEST(FindLargestBatchTest, ABadGuessIsLeftInStepsThatDouble) {
  EXPECT_THAT(Search({0, 0}, 1000, 3, 512).tried,
              ElementsAre(512, 509, 503, 491, 467, 419, 323, 131, 1, 66, 33, 17, 9, 5, 3, 4));
  EXPECT_THAT(Search({0, 0}, 1000, 1000, 512).tried, ElementsAre(512, 515, 521, 533, 557, 605, 701, 893, 1000));
}

TEST(FindLargestBatchTest, EveryAnswerIsFoundFromEveryGuess) {
  for (uint32_t largest = 0; largest <= 40; ++largest) {
    for (uint32_t guess = 1; guess <= 60; ++guess) {
      for (const BatchBounds known :
           {BatchBounds{0, 0}, BatchBounds{largest / 2, 0}, BatchBounds{largest / 2, largest + 3}}) {
        const Search search(known, 40, largest, guess);
        EXPECT_EQ(search.bounds.fits, largest);
        EXPECT_EQ(search.bounds.fails, largest == 40 && known.fails == 0 ? 0
                                       : largest == 40                   ? known.fails
                                                                         : largest + 1);
        for (const uint32_t tried : search.tried) {
          EXPECT_TRUE(tried > known.fits && tried <= 40) << tried;
        }
      }
    }
  }
}

TEST(FindLargestBatchTest, ALargerOneThatFitsIsBelieved) {
  const Search search({16, 8}, 20, 18);
  EXPECT_THAT(search.tried, ElementsAre(20, 18, 19));
  EXPECT_EQ(search.bounds.fits, 18);
}

TEST(FindLargestBatchTest, NothingIsTriedWhenAllIsKnown) {
  EXPECT_THAT(Search({40, 0}, 40, 40).tried, IsEmpty());
  EXPECT_THAT(Search({8, 9}, 40, 8).tried, IsEmpty());
  EXPECT_THAT(Search({0, 1}, 40, 0).tried, IsEmpty());
}

TEST(FindLargestBatchTest, PassesErrorsOn) {
  EXPECT_THAT(FindLargestBatch({1, 9}, 40, 0, [](uint32_t) { return absl::InternalError("batch 5 failed"); }).status(),
              StatusIs(absl::StatusCode::kInternal, "batch 5 failed"));
}

TEST(RunBatchSweepTest, PassesErrorsOn) {
  const BatchSweep sweep = *PlanBatchSweep(Options(10, 2, 0), 1000);
  const auto ok = [](uint32_t) -> absl::StatusOr<proto::SweepPoint> { return proto::SweepPoint(); };
  EXPECT_THAT(RunBatchSweep(
                  sweep, [](uint32_t) { return absl::CancelledError("stopped"); },
                  [](const proto::SweepPoint&) { return absl::OkStatus(); }),
              StatusIs(absl::StatusCode::kCancelled, "stopped"));
  EXPECT_THAT(RunBatchSweep(sweep, ok, [](const proto::SweepPoint&) { return absl::DataLossError("disk"); }),
              StatusIs(absl::StatusCode::kDataLoss, "disk"));
}

}  // namespace
}  // namespace lockstep
