// Trainer that computes its epochs by LibTorch's autograd: the loader feeds batches to training steps (train_step.h).
#ifndef LOCKSTEP_LIB_TRAIN_AUTOGRAD_TRAINER_H_
#define LOCKSTEP_LIB_TRAIN_AUTOGRAD_TRAINER_H_

#include <memory>

#include "lib/train/epoch_trainer.h"

namespace lockstep {

// Returns the trainer. Throws c10::Error if the model does not fit into the device's memory.
std::unique_ptr<EpochTrainer> MakeAutogradTrainer(const TrainerInput& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_AUTOGRAD_TRAINER_H_
