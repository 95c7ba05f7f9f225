// Verdicts on Q1 to Q3: the fastest batch, scaling, and the time of communication. verdict_table.h has the thresholds.
#ifndef LOCKSTEP_LIB_SUMMARY_SCALING_VERDICTS_H_
#define LOCKSTEP_LIB_SUMMARY_SCALING_VERDICTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/statistics/spread.h"
#include "lib/summary/verdict_table.h"

namespace lockstep {

// A number at one batch size; low and high are the extremes of single epochs.
struct AtBatch {
  uint32_t batch = 0;
  Spread value;
};

// Q1: seconds of an epoch on one device without data loading.
struct BatchFacts {
  std::vector<AtBatch> seconds;

  std::vector<AtBatch> Repeated() const;  // batches that were timed more than once
  // Returns the repeated batches that no other one beats: the one with the smallest mean first, then those whose
  // epochs overlap with its epochs.
  std::vector<uint32_t> Fastest() const;
  bool SomeFaster() const;  // true if the epochs of a repeated batch are all slower than the fastest one's
  const Spread& At(uint32_t batch) const;  // seconds at a batch that the facts have
};
CardVerdict JudgeBatches(const BatchFacts& facts);

// Q2: efficiency (speed-up of an epoch divided by the number of devices) at each batch per device.
struct ScalingFacts {
  uint32_t ranks = 0;         // at least 2
  bool shared_cpu = false;    // the ranks share one CPU
  bool unknown_base = false;  // the time of one device may be from another machine
  std::vector<AtBatch> efficiency;
};
CardVerdict JudgeScaling(const ScalingFacts& facts);

// Q3: share of an epoch in which computing waits for communication, measured by events, at each batch per device.
struct WaitingFacts {
  std::vector<AtBatch> share;
  uint32_t ranks = 0;                           // at least 2; may be 0 if `negative_batches` is empty
  std::vector<uint32_t> negative_batches = {};  // batches at which the lab's subtraction gives a time below 0
};

// Returns "a step on 2 devices took less time than on one at batch 128". There must be negative batches.
std::string NegativeBatchesText(const WaitingFacts& facts);

// Timed epochs of which a share is stated. One epoch per batch shows no spread, so "at most" must not be said of it.
enum class TimedEpochs { kOne, kSeveral };

struct WaitingVerdict : CardVerdict {
  TimedEpochs epochs = TimedEpochs::kOne;  // kSeveral: the share of at least one batch is of repeated epochs
};

// Returns "3.9 % of one timed epoch" or "at most 4 % of an epoch"; `percent` is the number with its sign.
std::string WaitingShareText(const std::string& percent, TimedEpochs epochs);

WaitingVerdict JudgeWaiting(const WaitingFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_SCALING_VERDICTS_H_
