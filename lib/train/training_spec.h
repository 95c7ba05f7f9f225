// How each point of a run is trained: what is asked for, completed by what the preset, the model and the device decide.
#ifndef LOCKSTEP_LIB_TRAIN_TRAINING_SPEC_H_
#define LOCKSTEP_LIB_TRAIN_TRAINING_SPEC_H_

#include <c10/core/Device.h>

#include <string>

#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Complete, for training on `device`. `preset` has passed CheckPreset.
proto::TrainingSpec SettleTraining(const std::string& preset, const proto::TrainingSpec& asked, c10::Device device);

// The recipe of a settled spec in words: "learning rate 0.1, cosine; momentum 0.9, ...".
std::string RecipeText(const proto::TrainingSpec& training);

// Returns the line of a plan about held-out images, ended; empty if there are none.
std::string HeldOutText(const proto::TrainingSpec& training);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAINING_SPEC_H_
