// Training settings of each point: the user's, completed by preset, model and device.
#ifndef LOCKSTEP_LIB_TRAIN_TRAINING_SPEC_H_
#define LOCKSTEP_LIB_TRAIN_TRAINING_SPEC_H_

#include <c10/core/Device.h>

#include <string>

#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns complete settings for training on `device`. `preset` must have passed CheckPreset.
proto::TrainingSpec SettleTraining(const std::string& preset, const proto::TrainingSpec& asked, c10::Device device);

// Returns the recipe of a settled spec as text: "learning rate 0.1, cosine; momentum 0.9, ...".
std::string RecipeText(const proto::TrainingSpec& training);

// Returns the line of a plan about held-out images, with its newline; empty if there are none.
std::string HeldOutText(const proto::TrainingSpec& training);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TRAINING_SPEC_H_
