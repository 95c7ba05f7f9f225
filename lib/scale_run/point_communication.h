// Adds the communication times of a trained point to a rank's record.
#ifndef LOCKSTEP_LIB_SCALE_RUN_POINT_COMMUNICATION_H_
#define LOCKSTEP_LIB_SCALE_RUN_POINT_COMMUNICATION_H_

#include <vector>

#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/scale_run/point_group.h"
#include "lib/train/exchange_steps.h"

namespace lockstep {

// Returns the reason why a point sends nothing. Must not be called for a point that sends.
const char* NothingSent(const PointGroup& group, const proto::ScalePoint& point);

// Sets exposed_seconds, collective_busy_seconds, buckets, step_figures (source and perturbation) and step_trace, and
// the rank's step_means. The source is `instrumented`, the steps of one more epoch, if the fused step exchanged
// its gradients; else the timed epochs, if a reducer recorded them. `trained` must be this rank's measurements.
void AddCommunication(PointGroup& group, const proto::SweepPoint& trained,
                      const std::vector<ExchangeStep>& instrumented, proto::ScalePoint& point, proto::RankFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_POINT_COMMUNICATION_H_
