// One 32x32 picture, PNG or JPEG, to CIFAR-10's planes.
//
// What comes out is what the file's samples say: gAMA, sRGB, iCCP and bKGD of a PNG never change a pixel; JPEG is
// decoded as libjpeg does by default (accurate integer IDCT, "fancy" upsampling), which is what Pillow and torchvision
// show. Grey and palette pictures become RGB; an alpha channel that is opaque everywhere is left out. Refused: a pixel
// that is not opaque, 16 bits a sample, CMYK, any size but 32x32.
#ifndef LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_H_
#define LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// The largest picture file taken. 32x32 RGB are 3,072 bytes; the rest is room for colour profiles and comments.
inline constexpr uint64_t kMaxPictureBytes = uint64_t{1} << 20;

// Writes kImageBytes to `pixels`: planes R, G, B, row by row. The kind is told by the first bytes, not by a name.
// Thread-safe; what comes out does not depend on the picture before. Messages do not name the file. DataLoss: neither
// PNG nor JPEG, cut off, or damaged (the reason is libpng's or libjpeg's; a warning of theirs about the data is an
// error here). FailedPrecondition: another size (known from the header, before anything is allocated), or a kind
// refused above.
absl::Status DecodeImage(absl::string_view file, uint8_t* pixels);

// Writes 32 rows of 32 pixels of four bytes: R, G, B, and one that says nothing.
absl::Status DecodeJpeg(absl::string_view file, uint8_t* rgbx);

// Writes 32 rows of 32 pixels of four bytes: R, G, B, and one that says nothing.
absl::Status DecodePng(absl::string_view file, uint8_t* rgbx);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_H_
