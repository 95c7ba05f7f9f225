// Run that measured a point. A record that was resumed after a stop, or that grew, has points of several runs.
#ifndef LOCKSTEP_LIB_SCALING_POINT_RUN_H_
#define LOCKSTEP_LIB_SCALING_POINT_RUN_H_

#include <string>
#include <vector>

#include "lib/proto/header.pb.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Returns the start of the run that measured the point of a record with this header, RFC 3339. Empty if the record does
// not have it, or if the point has the epochs of several files (pool_point.h).
std::string RunStartOf(const proto::Header& header, const proto::ScalePoint& point);

// Returns true if the two starts are known and are those of two runs.
bool AreTwoRuns(const std::string& run_start, const std::string& other_start);

// Returns "the times of 1 and 4 ranks were measured in different runs (begun at 2026-11-28T09:00:00Z and
// 2026-11-29T09:00:00Z)".
std::string DifferentRunsText(const std::string& ranks, const std::string& base_start, const std::string& run_start);

// Returns DifferentRunsText for the training points of a scale record that have a base case of another run: the point
// of one rank at their batch per device, or at their global batch. Empty if there are none. Rows of an experiment are
// not compared with one rank.
std::string DifferentRunsOf(const proto::Header& header, const std::vector<proto::ScalePoint>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_POINT_RUN_H_
