// Adds up a few numbers over the ranks of a point, from the bytes that the ranks exchange.
#ifndef LOCKSTEP_LIB_SCALE_RUN_SUM_RANK_NUMBERS_H_
#define LOCKSTEP_LIB_SCALE_RUN_SUM_RANK_NUMBERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/train/rank_number.h"

namespace lockstep {

// Returns this rank's values as bytes for the other ranks.
std::string EncodeRankNumbers(const std::vector<RankNumber>& numbers);

// Returns each number's sum over the ranks, added in rank order, so that all ranks get the same bits. `of_rank[r]` must
// be the bytes that rank r encoded; `numbers` gives the valid range of each value. Returns InternalError with the
// rank's number if its bytes do not hold that many values, or one of its values is out of range.
absl::StatusOr<std::vector<double>> SumRankNumbers(const std::vector<RankNumber>& numbers,
                                                   const std::vector<std::string>& of_rank);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_SUM_RANK_NUMBERS_H_
