#include <algorithm>
#include <array>

#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/kernels/augment_batch.h"

namespace lockstep {
namespace {

// Writes the patches of an image (3, 32, 32) by definition: finds the pixel of each element of each patch.
template <typename T>
void WritePatches(const std::array<float, kImageBytes>& image, T* out) {
  for (int y = 0; y < int{kImageHeight}; ++y) {
    for (int x = 0; x < int{kImageWidth}; ++x) {
      T* patch = out + (y * int{kImageWidth} + x) * kPatchElements;
      std::fill_n(patch, kPatchElements, T(0.0f));
      for (int i = 0; i < 27; ++i) {
        const int c = i % 3, from_x = x + i / 3 % 3 - 1, from_y = y + i / 9 - 1;
        if (from_x >= 0 && from_x < int{kImageWidth} && from_y >= 0 && from_y < int{kImageHeight}) {
          patch[i] = T(image[(c * int{kImageHeight} + from_y) * int{kImageWidth} + from_x]);
        }
      }
    }
  }
}

}  // namespace

template <typename T>
void AugmentBatchReference(const AugmentBatchInput& input, ImageLayout layout, T* images, int64_t* labels) {
  NormalizationTable table;
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    std::copy_n(input.table + c * 256, 256, table[c].begin());
  }
  std::array<float, kImageBytes> image;
  for (uint32_t n = 0; n < input.batch; ++n) {
    const uint32_t index = input.order[*input.first + input.ahead + n];
    AugmentImage(input.pixels + static_cast<size_t>(index) * kImageBytes,
                 input.augment ? DrawAugmentation(input.seed, *input.epoch, index) : Augmentation(), table,
                 image.data());
    T* out = images + static_cast<size_t>(n) * ImageElements(layout);
    if (layout == ImageLayout::kNchw) {
      std::transform(image.begin(), image.end(), out, [](float value) { return T(value); });
    } else {
      WritePatches(image, out);
    }
    labels[n] = input.labels[index];
  }
}

template void AugmentBatchReference(const AugmentBatchInput&, ImageLayout, float*, int64_t*);
template void AugmentBatchReference(const AugmentBatchInput&, ImageLayout, __nv_bfloat16*, int64_t*);

}  // namespace lockstep
