// Trainer that computes its epochs by the fused step (lib/fused) instead of LibTorch's autograd.
#ifndef LOCKSTEP_LIB_TRAIN_FUSED_TRAINER_H_
#define LOCKSTEP_LIB_TRAIN_FUSED_TRAINER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "lib/train/epoch_trainer.h"

namespace lockstep {

// Allocates all device memory and chooses the convolution engines. The model must be on the CPU. Epochs have no times
// for forward, backward and optimizer, because a replayed graph has no phase boundaries to time; TrainInstrumented()
// measures them. Returns ResourceExhaustedError if the training does not fit, UnavailableError without a CUDA device,
// and UnimplementedError if built without CUDA or cuDNN.
absl::StatusOr<std::unique_ptr<EpochTrainer>> MakeFusedTrainer(const TrainerInput& input);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_FUSED_TRAINER_H_
