#include "lib/train/resident_batches.h"

namespace lockstep {

absl::StatusOr<std::unique_ptr<ResidentBatches>> ResidentBatches::Make(const ImageSet&, const LoaderOptions&,
                                                                       c10::Device) {
  return absl::UnimplementedError(
      "--resident_images=true: this program was built without CUDA, or with a LibTorch without it");
}

}  // namespace lockstep
