// Doubts about measured speed-ups: times of two runs, and speed-ups above the number of ranks.
#ifndef LOCKSTEP_LIB_SCALING_SPEEDUP_DOUBTS_H_
#define LOCKSTEP_LIB_SCALING_SPEEDUP_DOUBTS_H_

#include <string>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Share by which a speed-up must exceed N to be named: two processes of one program on one GPU differed by 2.5 %, and
// devices of one kind by up to 3 % (benchmarks/results/README.md).
inline constexpr double kSpeedupSlack = 0.03;

// Returns the name and the value of the first of the row's speed-ups (epoch, weak, strong) that is significantly above
// the number of ranks, "epoch speed-up 2.4 (2.2 to 2.6)"; empty if there is none. Significant: the whole interval is
// above N, and the value by kSpeedupSlack. A speed-up without an interval is never named.
std::string SpeedupAboveRanks(const proto::ScalingRow& row);

// Returns the probable cause of such a speed-up, in words: the times are of two runs, the base case is of a sweep, or
// one rank was slower than usual.
std::string CauseOfSpeedupAboveRanks(const proto::ScalingRow& row);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_SPEEDUP_DOUBTS_H_
