#include "lib/dataset/augment.h"

#include <algorithm>

#include "lib/dataset/dataset.h"

namespace lockstep {
namespace {

// Writes one row of the crop. `row` is the row of the image, or null for a row of padding.
void CropRow(const uint8_t* row, uint32_t image_width, const Augmentation& augmentation,
             const std::array<float, 256>& table, float* out) {
  if (row == nullptr) {
    std::fill_n(out, image_width, table[0]);
    return;
  }
  // Columns first .. last-1 of the crop are within the image; image column = crop column + left - kCropPadding.
  const int shift = static_cast<int>(augmentation.left) - static_cast<int>(kCropPadding);
  const int width = static_cast<int>(image_width);
  const int first = std::min(width, std::max(0, -shift));
  const int last = std::max(first, std::min(width, width - shift));
  std::fill(out, out + first, table[0]);
  for (int x = first; x < last; ++x) {
    out[x] = table[row[x + shift]];
  }
  std::fill(out + last, out + width, table[0]);
  if (augmentation.flip) {
    std::reverse(out, out + width);
  }
}

}  // namespace

NormalizationTable MakeNormalizationTable(const std::array<float, 3>& mean, const std::array<float, 3>& std) {
  NormalizationTable table;
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      table[c][byte] = (static_cast<float>(byte) / 255.0f - mean[c]) / std[c];
    }
  }
  return table;
}

void AugmentImage(const uint8_t* pixels, const Augmentation& augmentation, const NormalizationTable& table, float* out,
                  ImageExtent extent) {
  const size_t plane_bytes = size_t{extent.height} * extent.width;
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    const uint8_t* plane = pixels + c * plane_bytes;
    for (uint32_t y = 0; y < extent.height; ++y, out += extent.width) {
      const uint32_t padded_y = y + augmentation.top;
      const bool inside = padded_y >= kCropPadding && padded_y < kCropPadding + extent.height;
      const uint8_t* row = inside ? plane + (padded_y - kCropPadding) * extent.width : nullptr;
      CropRow(row, extent.width, augmentation, table[c], out);
    }
  }
}

}  // namespace lockstep
