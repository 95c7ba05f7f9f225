// Whether the times of a point may be those of a machine that was busy with something else, or too hot, in words.
#ifndef LOCKSTEP_LIB_TRAIN_NOISE_H_
#define LOCKSTEP_LIB_TRAIN_NOISE_H_

#include <string>
#include <vector>

#include "lib/proto/quantity.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// From the slowest to the fastest timed epoch, as a share of the median: more is a warning.
constexpr double kMaxEpochSpread = 0.10;

// Other processes are busy when they take more than this share of the time of the cores that a process may use, and send its
// threads from them more often than this. The first alone is nothing where enough cores are left; the second alone is a
// process with more threads than cores. On two cores an idle machine does it 3 times a second, one spinning neighbour some
// hundred times.
constexpr double kMaxOthersShare = 0.10;
constexpr double kMaxForcedSwitchesPerSecond = 10;

// A line for each of: a spread above kMaxEpochSpread, busy processes beside this one, processes on its GPU, and each reason
// of heat or power supply for which its clocks went down. Samples without two values, unset neighbours and an unset watch
// give none.
std::vector<std::string> NoiseWarnings(const proto::Samples& epoch_seconds, const proto::Neighbours& neighbours,
                                       const proto::DeviceWatch& watch);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_NOISE_H_
