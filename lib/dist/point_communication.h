// What a rank says of the communication of its point, once it has trained.
#ifndef LOCKSTEP_LIB_DIST_POINT_COMMUNICATION_H_
#define LOCKSTEP_LIB_DIST_POINT_COMMUNICATION_H_

#include <vector>

#include "lib/dist/point_group.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/exchange_steps.h"

namespace lockstep {

// Why a point sends nothing; for a point that does send, not to be asked.
const char* NothingSent(const PointGroup& group, const proto::ScalePoint& point);

// Sets exposed_seconds, collective_busy_seconds, buckets, step_figures (source and perturbation) and step_trace, and the
// rank's step_means: of the timed epochs where a reducer marked them, and of `marked`, the steps of one more epoch, where
// the hand-written step exchanged its gradients. `trained`: what the rank measured.
void AddCommunication(PointGroup& group, const proto::SweepPoint& trained, const std::vector<ExchangeStep>& marked,
                      proto::ScalePoint& point, proto::RankFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_POINT_COMMUNICATION_H_
