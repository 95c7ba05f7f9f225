#include <algorithm>
#include <vector>

#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/kernels/augment_batch.h"

namespace lockstep {
namespace {

// Writes the patches of an image (3, size, size) by definition: finds the pixel of each element of each patch.
template <typename T>
void WritePatches(const std::vector<float>& image, int size, T* out) {
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      T* patch = out + (y * size + x) * kPatchElements;
      std::fill_n(patch, kPatchElements, T(0.0f));
      for (int i = 0; i < 27; ++i) {
        const int c = i % 3, from_x = x + i / 3 % 3 - 1, from_y = y + i / 9 - 1;
        if (from_x >= 0 && from_x < size && from_y >= 0 && from_y < size) {
          patch[i] = T(image[(c * size + from_y) * size + from_x]);
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
  const uint32_t pixels = input.extent.height * input.extent.width;
  std::vector<float> image(size_t{kImageChannels} * pixels);
  for (uint32_t n = 0; n < input.batch; ++n) {
    const uint32_t index = input.order[*input.first + input.ahead + n];
    Augmentation drawn;
    drawn.flip = input.mirror;
    if (input.augment) {
      drawn = DrawAugmentation(input.seed, *input.epoch, index, input.rule, input.extent);
    }
    AugmentImage(input.pixels + index * image.size(), drawn, table, image.data(), input.extent);
    T* out = images + size_t{n} * ImageElements(layout, input.extent);
    switch (layout) {
      case ImageLayout::kNchw:
        std::transform(image.begin(), image.end(), out, [](float value) { return T(value); });
        break;
      case ImageLayout::kNhwc:
        for (uint32_t i = 0; i < image.size(); ++i) {
          out[i] = T(image[i % kImageChannels * pixels + i / kImageChannels]);
        }
        break;
      case ImageLayout::kPatches:
        WritePatches(image, static_cast<int>(input.extent.height), out);
        break;
    }
    labels[n] = input.labels[index];
  }
}

template void AugmentBatchReference(const AugmentBatchInput&, ImageLayout, float*, int64_t*);
template void AugmentBatchReference(const AugmentBatchInput&, ImageLayout, __nv_bfloat16*, int64_t*);

}  // namespace lockstep
