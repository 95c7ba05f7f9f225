#include "lib/cifar/image_decode.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/dataset.h"
#include "lib/cifar/image_decode_jpeg.h"
#include "lib/cifar/image_decode_png.h"

namespace lockstep {
namespace {

// Portable Network Graphics, section 5.2; ITU T.81, table B.1: SOI, then the first byte of any marker.
constexpr absl::string_view kPngMagic("\x89PNG\r\n\x1a\n", 8);
constexpr absl::string_view kJpegMagic("\xff\xd8\xff", 3);

void ToPlanes(const uint8_t* rgb, uint8_t* pixels) {
  for (uint32_t i = 0; i < kPlaneBytes; ++i) {
    pixels[i] = rgb[3 * i];
    pixels[kPlaneBytes + i] = rgb[3 * i + 1];
    pixels[2 * kPlaneBytes + i] = rgb[3 * i + 2];
  }
}

}  // namespace

absl::Status DecodeImage(absl::string_view file, uint8_t* pixels) {
  uint8_t rgb[kImageBytes];
  if (file.size() > kMaxPictureBytes) {
    return absl::FailedPreconditionError(
        absl::StrCat("expected a picture of at most ", kMaxPictureBytes, " bytes, found ", file.size()));
  }
  if (absl::StartsWith(file, kPngMagic)) {
    RETURN_IF_ERROR(DecodePng(file, rgb));
  } else if (absl::StartsWith(file, kJpegMagic)) {
    RETURN_IF_ERROR(DecodeJpeg(file, rgb));
  } else {
    return absl::DataLossError("expected a PNG or a JPEG picture, found neither by its first bytes");
  }
  ToPlanes(rgb, pixels);
  return absl::OkStatus();
}

}  // namespace lockstep
