// Joins scale records of one machine, such as a run on two GPUs and a later run on four, so that they are explained as
// one run.
#ifndef LOCKSTEP_LIB_SCALING_JOIN_RECORDS_H_
#define LOCKSTEP_LIB_SCALING_JOIN_RECORDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

struct JoinedScale {
  ScaleRecords scale;
  // Points of several records, with the times that are used: "1 rank, batch 32 per device, plain: epochs of two.rec and
  // four.rec".
  std::vector<std::string> repeated;
};

// Returns one record with the points of all. `records` must not be empty; a single record is returned unchanged. The
// header is that of the record with the most devices, with the inputs of all; `input` names all files, without digest.
//
// A point of several records has the timed epochs of all; its `pooled_file` names the files, and
// everything else is that of the first record. Not pooled are a point that did not complete, if another record has it
// completed, and equal times, because they are a copy.
//
// Returns FailedPreconditionError, with both files, the difference and the commands that show both, in these cases:
// - a record has no ScaleSpec;
// - it differs from the first in machine, libraries, images, model, training, backend, buckets or overlap;
// - epochs of a point of both have other steps or images.
absl::StatusOr<JoinedScale> JoinScaleRecords(std::vector<ScaleRecords> records);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_JOIN_RECORDS_H_
