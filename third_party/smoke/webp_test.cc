// libwebp: header and library agree, and the encoder, which only tests call, is linked too.
#include <webp/decode.h>
#include <webp/encode.h>

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace {

TEST(WebpTest, HeaderAndLibraryOfLibwebpAgree) {
  WebPDecoderConfig decoder;
  EXPECT_NE(WebPInitDecoderConfig(&decoder), 0);
  WebPConfig encoder;
  EXPECT_NE(WebPConfigInit(&encoder), 0);
}

TEST(WebpTest, LibwebpGivesALosslessPixelBack) {
  const uint8_t pixel[] = {1, 20, 255};
  uint8_t* file = nullptr;
  const size_t size = WebPEncodeLosslessRGB(pixel, 1, 1, 3, &file);
  std::vector<uint8_t> decoded(3);
  EXPECT_NE(WebPDecodeRGBInto(file, size, decoded.data(), decoded.size(), 3), nullptr);
  EXPECT_EQ(decoded, std::vector<uint8_t>(pixel, pixel + 3));
  WebPFree(file);
}

}  // namespace
