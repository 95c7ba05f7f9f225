#include "lib/cifar/image_decode_webp.h"

#include <webp/decode.h>

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

constexpr uint32_t kOpaqueAlpha = 0xff;

// Returns the error for a status of libwebp other than OK.
absl::Status ToError(VP8StatusCode code) {
  switch (code) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return absl::ResourceExhaustedError("not enough memory for a picture");
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return absl::DataLossError("a damaged WebP: cut off");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return absl::DataLossError("a damaged WebP: a feature that libwebp does not know");
    default:
      return absl::DataLossError("a damaged WebP: libwebp cannot decode its bitstream");
  }
}

bool IsOpaque(const uint32_t* rgba, size_t count) {
  uint32_t all = kOpaqueAlpha << 24;  // x86 and ARM: the last byte of a pixel, its alpha, is the highest
  for (size_t i = 0; i < count; ++i) {
    all &= rgba[i];
  }
  return all == kOpaqueAlpha << 24;
}

}  // namespace

WebpSupport GetWebpSupport() { return WebpSupport::kPresent; }

absl::Status DecodeWebp(absl::string_view file, PictureSize expected, DecodedPicture& picture) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(file.data());
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) {
    return absl::InternalError("libwebp has another version than its header");
  }
  if (const VP8StatusCode code = WebPGetFeatures(bytes, file.size(), &config.input); code != VP8_STATUS_OK) {
    return ToError(code);
  }
  if (config.input.has_animation != 0) {
    return absl::FailedPreconditionError(
        "expected a still picture, found an animated WebP; save one image of it as PNG");
  }
  const PictureSize size = {static_cast<uint32_t>(config.input.width), static_cast<uint32_t>(config.input.height)};
  if (!IsAccepted(size, expected)) {
    return WrongSize("WebP", size, expected);
  }
  uint8_t* const rgba = AllocatePixels(size, picture);
  if (rgba == nullptr) {
    return absl::ResourceExhaustedError("not enough memory for a picture");
  }
  const size_t row_bytes = size_t{size.width} * 4;
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {rgba, static_cast<int>(row_bytes), row_bytes * size.height};
  if (const VP8StatusCode code = WebPDecode(bytes, file.size(), &config); code != VP8_STATUS_OK) {
    return ToError(code);
  }
  if (!IsOpaque(picture.pixels.data(), size_t{size.width} * size.height)) {
    return absl::FailedPreconditionError(
        "expected an opaque picture, found a WebP with transparency; save it without an alpha channel");
  }
  return absl::OkStatus();
}

}  // namespace lockstep
