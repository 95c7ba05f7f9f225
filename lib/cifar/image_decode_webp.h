// Decoder of WebP pictures by libwebp, which is optional. Without the library, image_decode_webp_absent.cc takes the
// place of image_decode_webp.cc: it decodes nothing and names the remedy.
//
// The pixels are those of libwebp's defaults ("fancy" upsampling of a lossy picture), like in Pillow and torchvision.
#ifndef LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_WEBP_H_
#define LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_WEBP_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/cifar/picture.h"

namespace lockstep {

enum class WebpSupport { kPresent, kAbsent };

// Remedy for a WebP picture if the support is absent.
inline constexpr char kWebpRemedy[] = "install libwebp-dev and build again, or convert it to PNG";

// Returns kPresent if this program was built with libwebp.
WebpSupport GetWebpSupport();

// Decodes a WebP picture, lossy or lossless, under the contract of DecodePicture (image_decode.h). `file` must begin
// with "RIFF", 4 bytes, "WEBP".
//   - FailedPrecondition: also an animation, and every picture if the support is absent.
absl::Status DecodeWebp(absl::string_view file, PictureSize expected, DecodedPicture& picture);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_WEBP_H_
