// A decoded picture of any size.
#ifndef LOCKSTEP_LIB_CIFAR_PICTURE_H_
#define LOCKSTEP_LIB_CIFAR_PICTURE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Largest number of pixels of a picture, 8,192 x 4,096: 134 MB for each thread that decodes.
inline constexpr uint64_t kMaxPicturePixels = uint64_t{1} << 25;

struct PictureSize {
  uint32_t width = 0;
  uint32_t height = 0;
};
inline bool operator==(PictureSize a, PictureSize b) { return a.width == b.width && a.height == b.height; }
inline bool operator!=(PictureSize a, PictureSize b) { return !(a == b); }

// Pixels of four bytes: R, G, B, and a byte without meaning; row by row. A picture that is used again keeps its memory.
struct DecodedPicture {
  PictureSize size;
  std::vector<uint32_t> pixels;  // at least size.width * size.height

  uint8_t* bytes() { return reinterpret_cast<uint8_t*>(pixels.data()); }
  const uint8_t* bytes() const { return reinterpret_cast<const uint8_t*>(pixels.data()); }
};

// Returns true if a picture of this size is accepted: `expected` itself, or, if that is 0x0, at most kMaxPicturePixels.
bool IsAccepted(PictureSize size, PictureSize expected);

// Returns FailedPreconditionError for a size that is not accepted. `kind` is "PNG".
absl::Status WrongSize(absl::string_view kind, PictureSize size, PictureSize expected);

// Allocates the pixels of a picture of this size, which must be accepted. Returns null if there is no memory.
uint8_t* AllocatePixels(PictureSize size, DecodedPicture& picture);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PICTURE_H_
