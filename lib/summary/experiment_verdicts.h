// Verdicts on Q4 to Q7, the experiments of several seeds: large batches, the sampler's epoch, and what is sent.
#ifndef LOCKSTEP_LIB_SUMMARY_EXPERIMENT_VERDICTS_H_
#define LOCKSTEP_LIB_SUMMARY_EXPERIMENT_VERDICTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/lab_records/seed_difference.h"
#include "lib/summary/verdict_table.h"

namespace lockstep {

// Q4: the largest batch without a remedy, compared with the base batch after as many epochs.
struct LargeBatchFacts {
  uint32_t batch = 0;
  uint32_t base_batch = 0;
  std::optional<SeedDifference> loss;  // accuracy of the base batch minus that of the batch; unset: no base row
  size_t tried = 0;                    // number of single remedies
  std::string remedy;                  // best single remedy by held-out accuracy; empty: none is named
  std::string no_remedy;               // reason why none is named
  bool base_has_not_learned = false;   // the base batch is less than twice as accurate as chance
  // Accuracies of the base batch and of this one after as many epochs, in the rows "longer"; the loss is unset if the
  // record lacks these rows, or if its seeds do not show a loss.
  std::optional<SeedDifference> longer_loss;
  uint64_t epochs = 0;
  uint64_t longer_epochs = 0;
  bool held_out = false;                // the remedies have accuracies on held-out images
  std::optional<double> gain;           // accuracy of `remedy` minus that without a remedy; unset: not significant
  std::vector<std::string> equal_ones;  // remedies whose held-out accuracy does not differ significantly
};
CardVerdict JudgeLargeBatch(const LargeBatchFacts& facts);

// Q5: the order of images on rank 0, with and without the epoch number in the sampler.
struct SamplerFacts {
  size_t epochs = 0;
  size_t orders_with = 0;  // number of different orders
  size_t orders_without = 0;
  uint64_t images = 0;     // training images
  uint64_t seen_with = 0;  // different images that rank 0 saw in all epochs
  uint64_t seen_without = 0;
};
CardVerdict JudgeSampler(const SamplerFacts& facts);

// Q6: bytes of a step.
struct SentFacts {
  double gradient_bytes = 0;
  double other_bytes = 0;           // everything else that is sent in steps, in the row that sends most
  bool statistics_counted = false;  // a row sends batch norm's statistics, or the network has no batch norm
};
CardVerdict JudgeSent(const SentFacts& facts);

// Q7: test accuracy of each way to treat batch norm's buffers, minus that of gradients alone.
struct OtherWay {
  std::string name;  // "buffers broadcast"
  SeedDifference difference;
};
struct GradientsOnlyFacts {
  std::vector<OtherWay> ways;
};
CardVerdict JudgeGradientsOnly(const GradientsOnlyFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_EXPERIMENT_VERDICTS_H_
