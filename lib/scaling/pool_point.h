// Pools the times of one point that several runs measured. Only these functions write and read ScalePoint.pooled_file.
#ifndef LOCKSTEP_LIB_SCALING_POOL_POINT_H_
#define LOCKSTEP_LIB_SCALING_POOL_POINT_H_

#include <string>

#include "lib/proto/scale.pb.h"

namespace lockstep {

// Appends the timed epochs of `more`, the same point of the file `more_file`, to those of `point`, whose first epochs
// are of `first_file`: all Samples, the phases of DataParallel, and the operations of the probe if its size is the
// same. Samples without values become those of `more`. Names the files in pooled_file. Every other field stays that
// of `point`.
void PoolPoint(const proto::ScalePoint& more, const std::string& more_file, const std::string& first_file,
               proto::ScalePoint& point);

// Returns the files whose epochs the point has, "two.rec and four.rec"; empty if they are those of one file.
std::string PooledFiles(const proto::ScalePoint& point);

// Returns true if the epochs of `point` include those of `other` in all digits. Then `other` is a copy, because no two
// runs take equally long in all digits.
bool HasEpochsOf(const proto::ScalePoint& point, const proto::ScalePoint& other);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_POOL_POINT_H_
