#include "absl/strings/str_cat.h"
#include "lib/cifar/image_decode_webp.h"

namespace lockstep {

WebpSupport GetWebpSupport() { return WebpSupport::kAbsent; }

absl::Status DecodeWebp(absl::string_view, PictureSize, DecodedPicture&) {
  return absl::FailedPreconditionError(absl::StrCat(
      "expected a PNG, a JPEG or a BMP picture, found a WebP, which this program cannot read: ", kWebpRemedy));
}

}  // namespace lockstep
