// What a point of a scaling run is called, wherever it is spoken of.
#ifndef LOCKSTEP_LIB_SCALING_POINT_NAME_H_
#define LOCKSTEP_LIB_SCALING_POINT_NAME_H_

#include <string>

#include "lib/proto/scale.pb.h"

namespace lockstep {

// "2 ranks, batch 32 per device, all-reduce"; of an experiment "8192, LARS, seed 1: 1 rank, ...".
std::string PointName(const proto::ScalePoint& point);

// As PointName, and how it is trained: "2 ranks, batch 32 per device, all-reduce, DDP, lab preset". `spec` is that of its
// record.
std::string PointTitle(const proto::ScaleSpec& spec, const proto::ScalePoint& point);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_POINT_NAME_H_
