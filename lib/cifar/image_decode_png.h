// PNG through libpng. For image_decode.h, which says what is refused.
#ifndef LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_PNG_H_
#define LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_PNG_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Writes 32 rows of 32 pixels of four bytes: R, G, B, and one that says nothing.
absl::Status DecodePng(absl::string_view file, uint8_t* rgbx);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_IMAGE_DECODE_PNG_H_
