// Batches of a selection's images, in the layout of LibTorch's networks.
#ifndef LOCKSTEP_LIB_QUANTIZE_IMAGE_BATCHES_H_
#define LOCKSTEP_LIB_QUANTIZE_IMAGE_BATCHES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/progress.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/calibration.h"

namespace lockstep {

struct ImageBatch {
  size_t first = 0;              // position of its first image in the selection
  std::vector<float> images;     // fp32 (size, 3, 32, 32), normalised
  std::vector<uint16_t> labels;  // (size)

  size_t size() const { return labels.size(); }
};

// Returns a selection of all images of a split, in its order.
ImageSelection AllImages(const ImageSet& set, const NormalizationTable& normalization);

// Passes the selection's images to `see` in their order, `batch_size` at a time; the last batch may be smaller. Shows
// progress on stderr as `part`. Stops at the first error of `see` and returns it; returns CancelledError if a stop
// was requested.
absl::Status ForEachBatch(const ImageSelection& selection, size_t batch_size, const ProgressPart& part,
                          const std::function<absl::Status(const ImageBatch& batch)>& see);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_IMAGE_BATCHES_H_
