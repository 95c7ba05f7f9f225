#include "lib/train/fused_point.h"

namespace lockstep {

absl::Status TrainFusedEpochs(const proto::TrainingSpec&, const LoaderOptions&, const ImageSet&, Model&, FusedMemory&,
                              const std::function<absl::Status(uint32_t, const EpochTimes&)>&) {
  return absl::UnimplementedError("--step=fused: this program was built without CUDA or without cuDNN");
}

}  // namespace lockstep
