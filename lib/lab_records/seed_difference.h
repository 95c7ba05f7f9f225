// Significance of the difference between two rows, from their seeds: Welch's t-test at 95 %, with Holm's correction for
// the number of differences that are shown together (lib/statistics/mean_difference.h).
#ifndef LOCKSTEP_LIB_LAB_RECORDS_SEED_DIFFERENCE_H_
#define LOCKSTEP_LIB_LAB_RECORDS_SEED_DIFFERENCE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/proto/quantity.pb.h"

namespace lockstep {

// Samples of two rows, one value for each seed.
struct SeedPair {
  proto::Samples first;
  proto::Samples second;
};

struct SeedDifference {
  double mean = 0;         // mean of the first minus mean of the second; 0 if either has no value
  double adjusted_p = 1;   // p-value after Holm's correction; 1 if there is no test
  size_t seeds = 0;        // number of seeds of the row that has fewer
  size_t comparisons = 1;  // number of tests that were made together
  std::string untested;    // reason why there is no test; empty: there is one

  bool significant() const { return adjusted_p < 0.05; }
  bool above() const { return significant() && mean > 0; }
  bool below() const { return significant() && mean < 0; }

  // Returns the reason why a difference that is not significant is not shown: "within the spread of 3 seeds, p = 0.31
  // after Holm's correction for 7 comparisons", "one seed has no spread".
  std::string Reason() const;
};

// Compares each pair. The result has one element for each, in the order given.
std::vector<SeedDifference> CompareSeeds(const std::vector<SeedPair>& pairs);
SeedDifference CompareSeeds(const proto::Samples& first, const proto::Samples& second);

// Returns "p = 0.031", "p < 0.001".
std::string FormatPValue(double p);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_SEED_DIFFERENCE_H_
