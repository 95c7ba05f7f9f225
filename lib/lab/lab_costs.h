// Costs: predicted durations of the lab's steps, from measured times. The predictions decide what fits into the budget;
// no result depends on them.
#ifndef LOCKSTEP_LIB_LAB_LAB_COSTS_H_
#define LOCKSTEP_LIB_LAB_LAB_COSTS_H_

#include <cstdint>
#include <string>

#include "lib/lab/lab_request.h"

namespace lockstep {

// Training images per second of one core on the CPU in the table: LeNet-5 at batch 32. The quotient of a probe's rate
// and this one is LabFacts::cpu_speed.
inline constexpr double kProbeImagesPerSecond = 8040;
inline constexpr uint32_t kProbeBatch = 32;

// Returns the seconds that one rank takes for an epoch of `images` images. `preset` is "lab" or "fast". The time per
// image grows with its pixels, as the work of the convolutions does.
double EpochSeconds(const LabFacts& facts, const std::string& model, const std::string& preset, double images,
                    uint32_t batch);

// Returns the seconds for start and end of a measured point: processes, LibTorch, the data set, the first step.
double PointSeconds(const LabFacts& facts);

// Seconds of steps that do not train, upper bounds.
inline constexpr double kCommModelSeconds = 1;
inline constexpr double kReportSeconds = 2;

// Returns the seconds that quantize takes for LeNet-5 with and without biases.
double QuantizeSeconds(const LabFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_LAB_COSTS_H_
