// Sums of a few numbers over the ranks of a point, from the bytes that the ranks exchange.
#ifndef LOCKSTEP_LIB_DIST_SUM_RANK_NUMBERS_H_
#define LOCKSTEP_LIB_DIST_SUM_RANK_NUMBERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/train/rank_number.h"

namespace lockstep {

// Returns this rank's values as bytes, for the others.
std::string EncodeRankNumbers(const std::vector<RankNumber>& numbers);

// Returns each number's sum over the ranks, in rank order, so that all ranks get the same bits. `of_rank[r]` is what rank r
// encoded; `numbers` says what a value may be. InternalError names the rank whose bytes are not as many values, or one of
// whose values cannot be.
absl::StatusOr<std::vector<double>> SumRankNumbers(const std::vector<RankNumber>& numbers,
                                                   const std::vector<std::string>& of_rank);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SUM_RANK_NUMBERS_H_
