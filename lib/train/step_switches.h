// How a training step is computed: what the presets choose, and the switches that turn its pieces on and off.
//
// A new switch is an `optional bool` of TrainingSpec (lib/proto/sweep.proto), a row of the table in step_switches.cc, and
// a flag of train_sweep; it is read where the step is made (fused_trainer.cc, autograd_trainer.cc). Knows nothing of
// LibTorch.
#ifndef LOCKSTEP_LIB_TRAIN_STEP_SWITCHES_H_
#define LOCKSTEP_LIB_TRAIN_STEP_SWITCHES_H_

#include <string>

#include "absl/status/status.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// InvalidArgument: no preset of this name.
absl::Status CheckPreset(const std::string& preset);

// What is asked for, and where it leaves the step unset, what the preset has; what that leaves unset too, a step of its
// kind does in its precision with all pieces that it can have. All switches of the result are set. `preset` has passed
// CheckPreset.
proto::TrainingSpec SettleStep(const std::string& preset, const proto::TrainingSpec& asked);

// InvalidArgument names the flag: a switch is on, and a step of this kind, in this precision, and without the other
// switch that it builds on, would not do what it says. `spec` is settled.
absl::Status CheckSwitches(const proto::TrainingSpec& spec);

// Who computes a step, and with which of its pieces: "step: fused in bf16, channels-last, CUDA graph". `spec` is settled.
std::string StepText(const proto::TrainingSpec& spec);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_STEP_SWITCHES_H_
