#include "lib/cifar/image_decode.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/cifar/image_decode_webp.h"

namespace lockstep {
namespace {

// First bytes. Portable Network Graphics, section 5.2; ITU T.81, table B.1: SOI, then the first byte of any marker;
// Windows' BITMAPFILEHEADER. The WebP container, "WebP file header": RIFF, the size of the rest, WEBP.
constexpr absl::string_view kPngMagic("\x89PNG\r\n\x1a\n", 8);
constexpr absl::string_view kJpegMagic("\xff\xd8\xff", 3);
constexpr absl::string_view kBmpMagic("BM", 2);
constexpr absl::string_view kRiffMagic("RIFF", 4), kWebpMagic("WEBP", 4);
constexpr size_t kWebpMagicAt = 8;

bool IsWebp(absl::string_view file) {
  return absl::StartsWith(file, kRiffMagic) && file.size() >= kWebpMagicAt + kWebpMagic.size() &&
         file.substr(kWebpMagicAt, kWebpMagic.size()) == kWebpMagic;
}

}  // namespace

absl::Status DecodePicture(absl::string_view file, PictureSize expected, DecodedPicture& picture) {
  if (file.size() > kMaxPictureBytes) {
    return absl::FailedPreconditionError(
        absl::StrCat("expected a picture of at most ", kMaxPictureBytes, " bytes, found ", file.size()));
  }
  if (absl::StartsWith(file, kPngMagic)) {
    return DecodePng(file, expected, picture);
  }
  if (absl::StartsWith(file, kJpegMagic)) {
    return DecodeJpeg(file, expected, picture);
  }
  if (absl::StartsWith(file, kBmpMagic)) {
    return DecodeBmp(file, expected, picture);
  }
  if (IsWebp(file)) {
    return DecodeWebp(file, expected, picture);
  }
  return absl::DataLossError(absl::StrCat("expected ",
                                          GetWebpSupport() == WebpSupport::kPresent
                                              ? "a PNG, a JPEG, a BMP or a WebP picture"
                                              : "a PNG, a JPEG or a BMP picture",
                                          ", found none of them by its first bytes"));
}

// With four bytes per pixel, the compiler converts 16 words at a time (-O3, see BUILD).
void ToPlanes(const DecodedPicture& picture, uint8_t* planes) {
  const size_t count = size_t{picture.size.width} * picture.size.height;
  const uint32_t* const rgbx = picture.pixels.data();
  for (uint32_t c = 0; c < 3; ++c) {
    uint8_t* const plane = planes + c * count;
    for (size_t i = 0; i < count; ++i) {
      plane[i] = static_cast<uint8_t>(rgbx[i] >> (8 * c));  // x86 and ARM: the first byte is the lowest
    }
  }
}

}  // namespace lockstep
