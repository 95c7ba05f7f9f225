// Which batch of a sweep trains an epoch fastest, in the words of both the answer to Q1 and the summary.
#ifndef LOCKSTEP_LIB_REPORT_BEST_BATCH_H_
#define LOCKSTEP_LIB_REPORT_BEST_BATCH_H_

#include <string>
#include <vector>

#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns the point with the least mean time without data loading. `points` have times and are not empty.
const proto::SweepPoint& FastestPoint(const std::vector<const proto::SweepPoint*>& points);

// Returns sentences such as "The best batch is 512: 1.575 [1.573, 1.576] times as fast as 32. 256 and 1,024 are not told apart
// from it." Two batches are told apart if no epoch of the one is as fast as one of the other. Points that were timed once are
// not compared. Empty: there is one point.
std::string BestBatchText(const std::vector<const proto::SweepPoint*>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_BEST_BATCH_H_
