// Presets for the computation of a training step, and the switches that turn its pieces on and off.
//
// A new switch is an `optional bool` of TrainingSpec (lib/proto/sweep.proto), a row of the table in step_switches.cc,
// and a flag of train_sweep. It is read where the step is made (fused_trainer.cc, autograd_trainer.cc). Does not depend
// on LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_STEP_SWITCHES_H_
#define LOCKSTEP_LIB_TRAIN_STEP_SWITCHES_H_

#include <string>

#include "absl/status/status.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns InvalidArgumentError if there is no preset of this name.
absl::Status CheckPreset(const std::string& preset);

// Returns `asked` with all switches set. Each setting comes from the first of these that has it:
// 1. `asked`;
// 2. the preset, which must have passed CheckPreset;
// 3. the kind of step, in its precision, with all pieces that it can have.
// The fused step of the preset "fast" also evaluates. With all other steps, an evaluation by LibTorch is left unset.
proto::TrainingSpec SettleStep(const std::string& preset, const proto::TrainingSpec& asked);

// Returns InvalidArgumentError naming the flag if a switch is on but has no effect: in this kind of step, in this
// precision, or without the other switch that it requires. `spec` must be settled.
absl::Status CheckSwitches(const proto::TrainingSpec& spec);

// Returns the kind of step and its pieces: "step: fused in bf16, channels-last, CUDA graph; evaluation by its forward
// pass". `spec` must be settled.
std::string StepText(const proto::TrainingSpec& spec);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_STEP_SWITCHES_H_
