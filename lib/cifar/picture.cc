#include "lib/cifar/picture.h"

#include <new>

#include "absl/strings/str_cat.h"

namespace lockstep {

bool IsAccepted(PictureSize size, PictureSize expected) {
  return expected != PictureSize()
             ? size == expected
             : size.width != 0 && size.height != 0 && uint64_t{size.width} * size.height <= kMaxPicturePixels;
}

absl::Status WrongSize(absl::string_view kind, PictureSize size, PictureSize expected) {
  const std::string found = absl::StrCat(", found a ", kind, " of ", size.width, "x", size.height);
  if (expected == PictureSize()) {
    return absl::FailedPreconditionError(
        absl::StrCat("expected a picture of 1 to ", kMaxPicturePixels, " pixels", found));
  }
  return absl::FailedPreconditionError(absl::StrCat("expected a picture of ", expected.width, "x", expected.height,
                                                    " like the first one", found,
                                                    "; --resize=32 makes all pictures 32x32"));
}

uint8_t* AllocatePixels(PictureSize size, DecodedPicture& picture) {
  const size_t pixels = size_t{size.width} * size.height;
  try {
    if (picture.pixels.size() < pixels) {
      picture.pixels.resize(pixels);
    }
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  picture.size = size;
  return picture.bytes();
}

}  // namespace lockstep
