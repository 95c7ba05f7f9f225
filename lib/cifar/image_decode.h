// Decoder of one 32x32 picture, PNG or JPEG, to CIFAR-10's planes.
//
// The pixels are the file's samples: gAMA, sRGB, iCCP and bKGD of a PNG never change a pixel. JPEG is decoded with
// libjpeg's defaults (accurate integer IDCT, "fancy" upsampling), like in Pillow and torchvision. Grey and palette
// pictures become RGB; an alpha channel that is opaque everywhere is left out. Refused: a pixel that is not opaque, 16
// bits per sample, CMYK, any size but 32x32.
#ifndef LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_H_
#define LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Largest size of a picture file. 32x32 RGB pixels have 3,072 bytes; the rest is for colour profiles and comments.
inline constexpr uint64_t kMaxPictureBytes = uint64_t{1} << 20;

// Decodes `file` and writes kImageBytes to `pixels`: planes R, G, B, row by row. The first bytes of `file` determine
// the format. Thread-safe; the result does not depend on the picture decoded before. Messages do not name the file.
//   - DataLoss: neither PNG nor JPEG, cut off, or damaged. The reason is that of libpng or libjpeg, whose warnings
//     about the data count as errors.
//   - FailedPrecondition: another size (known from the header, before memory is allocated), or a kind refused above.
absl::Status DecodeImage(absl::string_view file, uint8_t* pixels);

// Writes 32 rows of 32 pixels of four bytes: R, G, B, and a byte without meaning.
absl::Status DecodeJpeg(absl::string_view file, uint8_t* rgbx);

// Writes 32 rows of 32 pixels of four bytes: R, G, B, and a byte without meaning.
absl::Status DecodePng(absl::string_view file, uint8_t* rgbx);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_H_
