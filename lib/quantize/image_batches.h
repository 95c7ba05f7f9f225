// Images of a selection, a batch at a time, as LibTorch's networks read them.
#ifndef LOCKSTEP_LIB_QUANTIZE_IMAGE_BATCHES_H_
#define LOCKSTEP_LIB_QUANTIZE_IMAGE_BATCHES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/calibration.h"

namespace lockstep {

struct ImageBatch {
  size_t first = 0;             // its first image's place among the selection's
  std::vector<float> images;    // fp32 (size, 3, 32, 32), normalised
  std::vector<uint8_t> labels;  // (size)

  size_t size() const { return labels.size(); }
};

// Every image of a split, in its order.
ImageSelection AllImages(const ImageSet& set, const NormalizationTable& normalization);

// Shows `see` the selection's images in their order, `batch_size` at a time; the last batch may be smaller. Shows progress
// on stderr under `label`. Errors: those of `see`, after which nothing more is shown. Cancelled: a stop was asked for.
absl::Status ForEachBatch(const ImageSelection& selection, size_t batch_size, const std::string& label,
                          const std::function<absl::Status(const ImageBatch& batch)>& see);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_IMAGE_BATCHES_H_
