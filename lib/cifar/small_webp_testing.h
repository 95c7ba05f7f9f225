// WebP pictures with given samples, encoded in memory, and their containers. Test-only; needs libwebp.
#ifndef LOCKSTEP_LIB_CIFAR_SMALL_WEBP_TESTING_H_
#define LOCKSTEP_LIB_CIFAR_SMALL_WEBP_TESTING_H_

#include <webp/encode.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace lockstep::testing {

// Returns the lowest `bytes` bytes of a number, the lowest first.
inline std::string WebpNumber(uint32_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) {
    out.push_back(static_cast<char>(value >> (8 * i)));
  }
  return out;
}

// Returns a chunk of a WebP file; `name` has four letters.
inline std::string WebpChunk(const std::string& name, const std::string& payload) {
  return absl::StrCat(name, WebpNumber(static_cast<uint32_t>(payload.size()), 4), payload,
                      std::string(payload.size() % 2, '\0'));
}

// Returns a WebP file of these chunks.
inline std::string WebpFile(const std::string& chunks) { return WebpChunk("RIFF", absl::StrCat("WEBP", chunks)); }

// Returns the chunks of a WebP file.
inline std::string WebpChunksOf(const std::string& file) { return file.substr(12); }

// Returns the chunk that precedes others: `flags` says which ones are there (WebP container, "Extended File Format").
inline std::string WebpVp8x(char flags, uint32_t width, uint32_t height) {
  return WebpChunk("VP8X", absl::StrCat(std::string(1, flags), std::string(3, '\0'), WebpNumber(width - 1, 3),
                                        WebpNumber(height - 1, 3)));
}

// Returns a lossless WebP of rows of R, G, B, A.
inline std::string LosslessWebp(const std::string& rgba, int width, int height) {
  uint8_t* out = nullptr;
  const size_t size =
      WebPEncodeLosslessRGBA(reinterpret_cast<const uint8_t*>(rgba.data()), width, height, 4 * width, &out);
  std::string file(reinterpret_cast<const char*>(out), size);
  WebPFree(out);
  return file;
}

// Returns a lossy WebP of rows of R, G, B, of quality 100 and without the filter that smooths the edges of blocks.
inline std::string LossyWebp(const std::string& rgb, int width, int height) {
  WebPConfig config;
  WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, 100);
  config.filter_strength = 0;
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  WebPPicture picture;
  WebPPictureInit(&picture);
  picture.width = width;
  picture.height = height;
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  WebPPictureImportRGB(&picture, reinterpret_cast<const uint8_t*>(rgb.data()), 3 * width);
  WebPEncode(&config, &picture);
  std::string file(reinterpret_cast<const char*>(writer.mem), writer.size);
  WebPPictureFree(&picture);
  WebPMemoryWriterClear(&writer);
  return file;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_CIFAR_SMALL_WEBP_TESTING_H_
