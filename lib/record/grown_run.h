// Measured runs that grow: a command with more points than the record at its output keeps the points of that record.
#ifndef LOCKSTEP_LIB_RECORD_GROWN_RUN_H_
#define LOCKSTEP_LIB_RECORD_GROWN_RUN_H_

#include "lib/proto/header.pb.h"

namespace lockstep {

// Returns true if a run with the header `planned` measures all points that the run of `then` planned, and more, under
// the same conditions: both headers have the same points_key (header.proto).
bool IsGrownFrom(const proto::Header& then, const proto::Header& planned);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_GROWN_RUN_H_
