#include "lib/dataset/augment.h"

#include <algorithm>

#include "lib/dataset/dataset.h"

namespace lockstep {
namespace {

// Writes one row of the crop. `row` is the row of the image, or null for a row of padding.
void CropRow(const uint8_t* row, const Augmentation& augmentation, const std::array<float, 256>& table, float* out) {
  if (row == nullptr) {
    std::fill_n(out, kImageWidth, table[0]);
    return;
  }
  // Columns first .. last-1 of the crop are within the image; image column = crop column + left - kCropPadding.
  const int shift = static_cast<int>(augmentation.left) - static_cast<int>(kCropPadding);
  const int width = static_cast<int>(kImageWidth);
  const int first = std::max(0, -shift);
  const int last = std::min(width, width - shift);
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

void AugmentImage(const uint8_t* pixels, const Augmentation& augmentation, const NormalizationTable& table,
                  float* out) {
  for (uint32_t c = 0; c < kImageChannels; ++c) {
    const uint8_t* plane = pixels + c * kPlaneBytes;
    for (uint32_t y = 0; y < kImageHeight; ++y, out += kImageWidth) {
      const uint32_t padded_y = y + augmentation.top;
      const bool inside = padded_y >= kCropPadding && padded_y < kCropPadding + kImageHeight;
      const uint8_t* row = inside ? plane + (padded_y - kCropPadding) * kImageWidth : nullptr;
      CropRow(row, augmentation, table[c], out);
    }
  }
}

}  // namespace lockstep
