#include <algorithm>
#include <array>

#include "lib/cifar/augment.h"
#include "lib/cifar/dataset.h"
#include "lib/kernels/augment_batch.h"

namespace lockstep {

template <typename T>
void AugmentBatchReference(const AugmentBatchInput& input, ImageLayout layout, T* images, int64_t* labels) {
  NormalizationTable table;
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    std::copy_n(input.table + c * 256, 256, table[c].begin());
  }
  std::array<float, kImageBytes> image;
  for (uint32_t n = 0; n < input.batch; ++n) {
    const uint32_t index = input.order[*input.first + n];
    AugmentImage(input.pixels + static_cast<size_t>(index) * kImageBytes,
                 input.augment ? DrawAugmentation(input.seed, *input.epoch, index) : Augmentation(), table, image.data());
    T* out = images + static_cast<size_t>(n) * ImageElements(layout);
    std::fill_n(out, ImageElements(layout), T(0.0f));
    for (uint32_t i = 0; i < kImageBytes; ++i) {
      const uint32_t c = i / kPlaneBytes;
      const uint32_t pixel = i % kPlaneBytes;
      out[layout == ImageLayout::kNchw ? i : pixel * kPaddedChannels + c] = T(image[i]);
    }
    labels[n] = input.labels[index];
  }
}

template void AugmentBatchReference(const AugmentBatchInput&, ImageLayout, float*, int64_t*);
template void AugmentBatchReference(const AugmentBatchInput&, ImageLayout, __nv_bfloat16*, int64_t*);

}  // namespace lockstep
