// Epochs by the hand-written step (lib/fused) instead of LibTorch's autograd.
#ifndef LOCKSTEP_LIB_TRAIN_FUSED_TRAINER_H_
#define LOCKSTEP_LIB_TRAIN_FUSED_TRAINER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "lib/train/epoch_trainer.h"

namespace lockstep {

// Takes all device memory and chooses the convolutions' engines, for a model that is on the CPU. Its epochs have no
// times for forward, backward and optimizer, since a replayed graph has no seams to time; its TrainMarked has.
// ResourceExhausted: it does not fit. Unavailable: no CUDA device. Unimplemented: built without CUDA or cuDNN.
absl::StatusOr<std::unique_ptr<EpochTrainer>> MakeFusedTrainer(const TrainerInput& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_FUSED_TRAINER_H_
