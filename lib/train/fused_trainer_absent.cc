#include "lib/train/fused_trainer.h"

namespace lockstep {

absl::StatusOr<std::unique_ptr<EpochTrainer>> MakeFusedTrainer(const TrainerInput&) {
  return absl::UnimplementedError("--step=fused: this program was built without CUDA or without cuDNN");
}

}  // namespace lockstep
