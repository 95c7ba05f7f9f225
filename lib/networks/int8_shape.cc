#include "lib/networks/int8_shape.h"

#include "absl/strings/str_cat.h"

namespace lockstep {

std::string ClassesAndPixels(int64_t classes, int64_t height, int64_t width) {
  return absl::StrCat(classes, " classes of ", height, "x", width, " pixels");
}

std::string Int8ShapeText() { return ClassesAndPixels(kInt8Classes, kInt8ImageSize, kInt8ImageSize); }

}  // namespace lockstep
