// The epochs of a sweep point by the hand-written step (lib/fused) instead of LibTorch's autograd.
#ifndef LOCKSTEP_LIB_TRAIN_FUSED_POINT_H_
#define LOCKSTEP_LIB_TRAIN_FUSED_POINT_H_

#include <functional>

#include "absl/status/status.h"
#include "lib/cifar/batch_loader.h"
#include "lib/cifar/dataset.h"
#include "lib/nn/model.h"
#include "lib/proto/sweep.pb.h"
#include "lib/train/epoch_runner.h"

namespace lockstep {

// What a fused run tells of itself beside its epochs.
struct FusedMemory {
  uint64_t predicted_bytes = 0;  // before anything was taken
  uint64_t taken_bytes = 0;      // on the device: all of it for the whole run
};

// Trains `spec`'s epochs from the model's values and leaves the trained ones in the model, which stays on the CPU.
// `loader` says batch size, augmentation, tail and normalisation. After each epoch calls `keep` with its times; forward,
// backward and optimizer are 0: a replayed graph has no seams to time. ResourceExhausted: it does not fit. Unavailable: no
// CUDA device. Unimplemented: built without CUDA or cuDNN. Cancelled: a stop signal.
absl::Status TrainFusedEpochs(const proto::TrainingSpec& spec, const LoaderOptions& loader, const ImageSet& images,
                              Model& model, FusedMemory& memory,
                              const std::function<absl::Status(uint32_t epoch, const EpochTimes&)>& keep);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_FUSED_POINT_H_
