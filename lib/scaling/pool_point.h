// Pools the times of one point that several runs measured.
#ifndef LOCKSTEP_LIB_SCALING_POOL_POINT_H_
#define LOCKSTEP_LIB_SCALING_POOL_POINT_H_

#include "lib/proto/scale.pb.h"

namespace lockstep {

// Appends the timed epochs of `more`, another run of the same point, to those of `point`: all Samples, the phases of
// DataParallel, and the operations of the probe if its size is the same. Samples without values become those of `more`.
// Every other field stays that of `point`.
void PoolPoint(const proto::ScalePoint& more, proto::ScalePoint& point);

// Returns true if the epochs of `point` include those of `other` in all digits. Then `other` is a copy, because no two
// runs take equally long in all digits.
bool HasEpochsOf(const proto::ScalePoint& point, const proto::ScalePoint& other);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_POOL_POINT_H_
