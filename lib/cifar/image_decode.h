// Decoder of one picture, PNG, JPEG, BMP or WebP (image_decode_webp.h), to planes of bytes.
//
// The pixels are the file's samples: gAMA, sRGB, iCCP and bKGD of a PNG never change a pixel. JPEG is decoded with
// libjpeg's defaults (accurate integer IDCT, "fancy" upsampling), like in Pillow and torchvision. Grey and palette
// pictures become RGB; an alpha channel that is opaque everywhere is left out. Refused: a pixel that is not opaque, 16
// bits per sample or per pixel, CMYK, a packed BMP, an animated WebP.
#ifndef LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_H_
#define LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/cifar/picture.h"

namespace lockstep {

// Largest size of a picture file.
inline constexpr uint64_t kMaxPictureBytes = uint64_t{64} << 20;

// Decodes `file` into `picture`. `expected` is the only accepted size; 0x0: any size up to kMaxPicturePixels. The first
// bytes of `file` determine the format. Thread-safe for different `picture`; the result does not depend on the picture
// decoded before. Messages do not name the file.
//   - DataLoss: no known format, cut off, or damaged. The reason is that of libpng, libjpeg or libwebp. Warnings of the
//     first two about the data count as errors.
//   - FailedPrecondition: another size (known from the header, before memory is allocated), or a kind refused above.
absl::Status DecodePicture(absl::string_view file, PictureSize expected, DecodedPicture& picture);

// Writes the planes R, G, B of a picture, each row by row: 3 * width * height bytes.
void ToPlanes(const DecodedPicture& picture, uint8_t* planes);

// Decoders of one format.
absl::Status DecodeJpeg(absl::string_view file, PictureSize expected, DecodedPicture& picture);
absl::Status DecodePng(absl::string_view file, PictureSize expected, DecodedPicture& picture);
absl::Status DecodeBmp(absl::string_view file, PictureSize expected, DecodedPicture& picture);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_H_
