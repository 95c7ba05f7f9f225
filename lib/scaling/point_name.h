// Names of the points of a scaling run, for all messages and tables.
#ifndef LOCKSTEP_LIB_SCALING_POINT_NAME_H_
#define LOCKSTEP_LIB_SCALING_POINT_NAME_H_

#include <string>

#include "lib/proto/scale.pb.h"

namespace lockstep {

// Returns for example "2 ranks, batch 32 per device, all-reduce"; for an experiment "8192, LARS, seed 1: 1 rank, ...".
std::string PointName(const proto::ScalePoint& point);

// Returns PointName and the settings: "2 ranks, batch 32 per device, all-reduce, DDP, lab preset". `spec` must be that
// of the point's record.
std::string PointTitle(const proto::ScaleSpec& spec, const proto::ScalePoint& point);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_POINT_NAME_H_
