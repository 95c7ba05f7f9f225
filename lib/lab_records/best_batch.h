// The batch of a sweep that trains an epoch fastest, in words that both the answer to Q1 and the summary use.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_BEST_BATCH_H_
#define LOCKSTEP_LIB_LAB_RECORDS_BEST_BATCH_H_

#include <string>
#include <vector>

#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns the point with the smallest mean time without data loading. `points` must not be empty, and each point must
// have times.
const proto::SweepPoint& FastestPoint(const std::vector<const proto::SweepPoint*>& points);

// Returns "The best batch is 512: 1.575 [1.573, 1.576] times as fast as 32.", in which 32 is the first batch. If an
// epoch of another batch is as fast as an epoch of the best one, returns "The times are too noisy to name a fastest
// batch: the epochs of batches 512, 256 and 1024 overlap. Batch 512 is 1.575 [1.573, 1.576] times as fast as 32." If a
// point was timed only once, the batches are not compared. Returns an empty string if there is only one point.
std::string BestBatchText(const std::vector<const proto::SweepPoint*>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_BEST_BATCH_H_
