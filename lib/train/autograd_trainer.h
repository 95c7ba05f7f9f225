// Epochs by LibTorch's autograd: batches from the loader into training steps (train_step.h).
#ifndef LOCKSTEP_LIB_TRAIN_AUTOGRAD_TRAINER_H_
#define LOCKSTEP_LIB_TRAIN_AUTOGRAD_TRAINER_H_

#include <memory>

#include "lib/train/epoch_trainer.h"

namespace lockstep {

// Throws c10::Error when the device has no room for the model.
std::unique_ptr<EpochTrainer> MakeAutogradTrainer(const TrainerInput& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_AUTOGRAD_TRAINER_H_
