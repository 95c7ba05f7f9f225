#include "lib/cifar/resize_picture.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

// Returns a picture whose samples are formulas of row and column.
DecodedPicture Formula(uint32_t height, uint32_t width) {
  DecodedPicture picture;
  AllocatePixels({width, height}, picture);
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      picture.pixels[y * width + x] =
          ((y * 37 + x * 5) & 255) | ((71 + y * 11 + x * 29) & 255) << 8 | ((142 + y * y + x * x * 3) & 255) << 16;
    }
  }
  return picture;
}

// Returns the SHA-256 of the planes.
std::string Digest(const DecodedPicture& picture) {
  std::string planes;
  for (int shift : {0, 8, 16}) {
    for (size_t i = 0; i < size_t{picture.size.width} * picture.size.height; ++i) {
      planes.push_back(static_cast<char>(picture.pixels[i] >> shift));
    }
  }
  return Sha256Hex(planes);
}

std::string Resized(uint32_t height, uint32_t width, uint32_t side) {
  DecodedPicture picture = Formula(height, width), scratch;
  ResizePicture(side, picture, scratch);
  EXPECT_EQ(picture.size, (PictureSize{side, side}));
  return Digest(picture);
}

// Digests of Pillow 13.0.0: Image.resize((width, height), Image.BILINEAR) with the shorter side as asked, then the crop
// of torchvision's CenterCrop.
TEST(ResizePictureTest, GivesThePixelsOfPillow) {
  EXPECT_EQ(Resized(20, 48, 16), "f5da1a5064f3dd72081f23d11247ebf416590c5b9e81711baf273b6f85c9fa4c");
  EXPECT_EQ(Resized(64, 64, 32), "1f216e9dc29d2fcaebb9b725417a7c6f8455f50d8f71aa955154af64d25eba1e");
  EXPECT_EQ(Resized(45, 33, 32), "caa2be4e32085f19f9f831a531371c8f163444a3dec55cbe840a28a8fee756f0");
  EXPECT_EQ(Resized(10, 10, 32), "54d356d4dec9265fa8b7e0d73c0bc2d9104ef3f0812442472bc9b7971cfde377");
  EXPECT_EQ(Resized(100, 75, 32), "816ee0f01a12be9e5d3293a9f5d91ac2b7879ca742e94d99464d76aa75586fcc");
}

TEST(ResizePictureTest, TheSameSizeChangesNothing) { EXPECT_EQ(Resized(32, 32, 32), Digest(Formula(32, 32))); }

TEST(ResizePictureTest, OneColourStaysThatColourAtEverySize) {
  for (const uint32_t width : {1u, 2u, 31u, 33u, 500u}) {
    DecodedPicture picture, scratch;
    AllocatePixels({width, 7}, picture);
    for (uint32_t i = 0; i < 7 * width; ++i) {
      picture.pixels[i] = 0x00FF8001;
    }
    ResizePicture(5, picture, scratch);
    for (size_t i = 0; i < 25; ++i) {
      ASSERT_EQ(picture.pixels[i], 0x00FF8001u) << width;
    }
  }
}

}  // namespace
}  // namespace lockstep
