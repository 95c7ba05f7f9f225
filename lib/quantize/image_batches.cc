#include "lib/quantize/image_batches.h"

#include <algorithm>
#include <numeric>

#include "lib/base/progress.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

ImageBatch MakeBatch(const ImageSelection& selection, size_t first, size_t size) {
  ImageBatch batch;
  batch.first = first;
  batch.images.reserve(size * kImageBytes);
  for (size_t i = first; i < first + size; ++i) {
    const std::vector<float> image = NormalizedImage(selection.set, selection.indices[i], selection.normalization);
    batch.images.insert(batch.images.end(), image.begin(), image.end());
    batch.labels.push_back(selection.set.labels[selection.indices[i]]);
  }
  return batch;
}

}  // namespace

ImageSelection AllImages(const ImageSet& set, const NormalizationTable& normalization) {
  ImageSelection all = {set, std::vector<uint32_t>(set.size()), normalization};
  std::iota(all.indices.begin(), all.indices.end(), 0);
  return all;
}

absl::Status ForEachBatch(const ImageSelection& selection, size_t batch_size, const ProgressPart& part,
                          const std::function<absl::Status(const ImageBatch& batch)>& see) {
  Progress progress(part, selection.indices.size(), "images");
  for (size_t first = 0; first < selection.indices.size(); first += batch_size) {
    RETURN_IF_ERROR(CheckNotStopped());
    const ImageBatch batch = MakeBatch(selection, first, std::min(batch_size, selection.indices.size() - first));
    RETURN_IF_ERROR(see(batch));
    progress.Update(first + batch.size());
  }
  return absl::OkStatus();
}

}  // namespace lockstep
