// Warnings that a point's times may come from a machine that was busy with other work or too hot.
#ifndef LOCKSTEP_LIB_TRAIN_NOISE_H_
#define LOCKSTEP_LIB_TRAIN_NOISE_H_

#include <string>
#include <vector>

#include "lib/proto/quantity.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Limit of (slowest - fastest) / median over the timed epochs.
constexpr double kMaxEpochSpread = 0.10;

// Other processes count as busy if they exceed both limits: their share of the time of the cores that a process may
// use, and the rate at which its threads are preempted. The share alone is harmless if enough cores are left. The rate
// alone can come from a process with more threads than cores. On two cores, an idle machine preempts 3 times a second,
// one spinning process some hundred times.
constexpr double kMaxOthersShare = 0.10;
constexpr double kMaxForcedSwitchesPerSecond = 10;

// Returns one warning for each of the following:
// - a spread above kMaxEpochSpread;
// - busy other processes;
// - other processes on the GPU;
// - each reason of heat or power supply for which the GPU lowered its clocks.
//
// Samples with fewer than two values and unset messages give no warning.
std::vector<std::string> NoiseWarnings(const proto::Samples& epoch_seconds, const proto::Neighbours& neighbours,
                                       const proto::DeviceWatch& watch);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_NOISE_H_
