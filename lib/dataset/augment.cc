#include "lib/dataset/augment.h"

#include <algorithm>

#include "lib/dataset/dataset.h"

namespace lockstep {
namespace {

// Writes one row of the crop before its flip.
void CropRow(const uint8_t* row, uint32_t image_width, const Augmentation& augmentation,
             const std::array<float, 256>& table, float* out) {
  // Columns first .. last-1 of the crop are within the image; image column = crop column + left - kCropPadding.
  const int shift = static_cast<int>(augmentation.left) - static_cast<int>(kCropPadding);
  const int width = static_cast<int>(image_width);
  const int first = std::min(width, std::max(0, -shift));
  const int last = std::max(first, std::min(width, width - shift));
  const bool reflects = augmentation.border == CropBorder::kReflect;
  for (int x = 0; x < first; ++x) {
    out[x] = table[reflects ? row[-(x + shift)] : 0];
  }
  for (int x = first; x < last; ++x) {
    out[x] = table[row[x + shift]];
  }
  for (int x = last; x < width; ++x) {
    out[x] = table[reflects ? row[2 * (width - 1) - (x + shift)] : 0];
  }
}

// Sets the pixels of the cutout in one row of the crop to 0, before its flip.
void CutRow(uint32_t y, uint32_t width, const Augmentation& augmentation, float* out) {
  for (uint32_t x = 0; x < width; ++x) {
    const uint32_t at = x + augmentation.left - kCropPadding;  // unsigned: positions left of the image are large
    const uint32_t column = augmentation.border == CropBorder::kReflect ? ReflectedPosition(at, width) : at;
    if (column < width && IsCutOut(augmentation, y, column)) {
      out[x] = 0;
    }
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
      const uint32_t at = y + augmentation.top - kCropPadding;  // unsigned: positions above the image are large
      const uint32_t row = augmentation.border == CropBorder::kReflect ? ReflectedPosition(at, extent.height) : at;
      if (row >= extent.height) {
        std::fill_n(out, extent.width, table[c][0]);
        continue;
      }
      CropRow(plane + size_t{row} * extent.width, extent.width, augmentation, table[c], out);
      if (augmentation.cutout != 0) {
        CutRow(row, extent.width, augmentation, out);
      }
      if (augmentation.flip) {
        std::reverse(out, out + extent.width);
      }
    }
  }
}

}  // namespace lockstep
