// Any bytes as a picture, PNG, JPEG, BMP or WebP: unchanged, and with the CRCs of all PNG chunks corrected, because
// mutated chunks fail them. A picture that decodes must decode again to the same pixels, and all pixels must be
// written.
#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "lib/cifar/image_decode.h"
#include "lib/cifar/picture.h"
#include "lib/cifar/resize_picture.h"
#include "lib/testing/fuzz.h"

namespace lockstep::testing {
namespace {

// PNG specification, second edition, 5.2 and 5.3: signature, then chunks of length, type, data, CRC of type and data.
constexpr absl::string_view kSignature("\x89PNG\r\n\x1A\n", 8);

uint32_t BigEndian(absl::string_view bytes) {
  uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) {
    value = value << 8 | static_cast<unsigned char>(c);
  }
  return value;
}

std::string WithRightCrcs(absl::string_view file) {
  std::string corrected(file);
  size_t at = kSignature.size();
  while (absl::StartsWith(file, kSignature) && file.size() - at >= 12) {
    const size_t length = BigEndian(file.substr(at));
    if (length > file.size() - at - 12) {
      break;
    }
    const uint32_t crc = static_cast<uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(file.data()) + at + 4, static_cast<uInt>(length) + 4));
    for (int i = 0; i < 4; ++i) {
      corrected[at + 8 + length + i] = static_cast<char>(crc >> (24 - 8 * i));
    }
    at += length + 12;
  }
  return corrected;
}

// Returns a picture whose memory holds `fill`, enough for pictures of 32x32.
DecodedPicture Filled(uint32_t fill) {
  DecodedPicture picture;
  picture.pixels.assign(1024, fill);
  return picture;
}

void CheckDecoding(absl::string_view file, PictureSize expected) {
  DecodedPicture first = Filled(0), second = Filled(0xFFFFFFFF);
  const absl::Status status = DecodePicture(file, expected, first);
  FUZZ_CHECK(status == DecodePicture(file, expected, second));
  if (!status.ok()) {
    return CheckUserError(status);
  }
  FUZZ_CHECK(first.size == second.size && IsAccepted(first.size, expected));
  std::vector<uint8_t> planes(size_t{3} * first.size.width * first.size.height), again(planes.size());
  ToPlanes(first, planes.data());
  ToPlanes(second, again.data());
  FUZZ_CHECK(planes == again);
  DecodedPicture scratch;
  ResizePicture(8, first, scratch);
  FUZZ_CHECK((first.size == PictureSize{8, 8}));
}

// Decodes a picture of a few sizes. Larger ones would only make the fuzzer slow.
void CheckPicture(absl::string_view file) {
  CheckDecoding(file, {32, 32});
  CheckDecoding(file, {9, 64});
  CheckDecoding(file, {1, 1});
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view file = lockstep::testing::Bytes(data, size);
  lockstep::testing::CheckPicture(file);
  const std::string corrected = lockstep::testing::WithRightCrcs(file);
  if (corrected != file) {
    lockstep::testing::CheckPicture(corrected);
  }
  return 0;
}
