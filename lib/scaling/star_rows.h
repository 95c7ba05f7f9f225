// DataParallel's star: the formula (lib/collectives/data_parallel_star.h) compared with the counts and times of a run.
//
// The formula's link is alpha + beta * bytes for each message, fitted to the five phases of the record's other points,
// so that no point predicts itself. If there are no other points, the nominal link is used.
#ifndef LOCKSTEP_LIB_SCALING_STAR_ROWS_H_
#define LOCKSTEP_LIB_SCALING_STAR_ROWS_H_

#include <vector>

#include "lib/collectives/data_parallel_star.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

// Returns the bytes that a step of `point` moves, as the mean over an epoch, without batch norm's buffers, whose size
// no record states.
DataParallelStep StarStepOf(const proto::ModelFacts& model, const proto::ScalePoint& point);

// Returns one row for each completed STAR point of several devices, in the record's order. `spec` must have the nominal
// link.
std::vector<proto::StarRow> ExplainStar(const ScaleRecords& scale, const proto::CommModelSpec& spec);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_STAR_ROWS_H_
