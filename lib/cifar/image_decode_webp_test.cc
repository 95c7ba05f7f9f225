#include "lib/cifar/image_decode_webp.h"

#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/cifar/image_decode.h"
#include "lib/cifar/picture.h"
#include "lib/cifar/small_pictures_testing.h"
#include "lib/cifar/small_webp_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::LosslessWebp;
using ::lockstep::testing::LossyWebp;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::WebpChunk;
using ::lockstep::testing::WebpChunksOf;
using ::lockstep::testing::WebpFile;
using ::lockstep::testing::WebpNumber;
using ::lockstep::testing::WebpOfOneColor;
using ::lockstep::testing::WebpVp8x;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint32_t kSide = 32, kPixels = kSide * kSide;
constexpr char kHasAlpha = 0x10, kHasExif = 0x08, kIsAnimated = 0x02;  // flags of VP8X

absl::Status Decode(const std::string& file, DecodedPicture& picture) {
  return DecodePicture(file, {kSide, kSide}, picture);
}

absl::Status Refused(const std::string& file) {
  DecodedPicture picture;
  return Decode(file, picture);
}

// Returns the planes of a picture, or an empty string after an error.
std::string Planes(const std::string& file) {
  DecodedPicture picture;
  const absl::Status status = Decode(file, picture);
  EXPECT_THAT(status, IsOk());
  std::string planes(status.ok() ? 3 * kPixels : 0, '\0');
  if (status.ok()) {
    ToPlanes(picture, reinterpret_cast<uint8_t*>(&planes[0]));
  }
  return planes;
}

std::string Flat(char red, char green, char blue) {
  return std::string(kPixels, red) + std::string(kPixels, green) + std::string(kPixels, blue);
}

// Returns rows of R, G, B, A: opaque pixels of which no two are equal.
std::string DetailedRgba() {
  std::string rgba;
  for (uint32_t i = 0; i < kPixels; ++i) {
    rgba += WebpNumber((i * i * 2654435761u) >> 10 << 10 | i, 3) + "\xff";
  }
  return rgba;
}

// Returns a lossless WebP of one colour, which is transparent at one pixel if `alpha` is not 255.
std::string LosslessWithAlpha(char alpha) {
  std::string rgba;
  for (uint32_t i = 0; i < kPixels; ++i) {
    rgba += std::string("\x0a\x14\x1e") + (i == 517 ? alpha : '\xff');
  }
  std::string file = LosslessWebp(rgba, kSide, kSide);
  file[24] = static_cast<char>(file[24] | 0x10);  // alpha_is_used, which the encoder leaves out of an opaque picture
  return file;
}

// Returns the same as a lossy WebP whose alpha channel is a chunk of its own: a byte 0 (not packed), then the samples.
std::string LossyWithAlpha(char alpha) {
  std::string samples(kPixels, '\xff'), rgb;
  samples[517] = alpha;
  for (uint32_t i = 0; i < kPixels; ++i) {
    rgb += "\x0a\x14\x1e";
  }
  return WebpFile(WebpVp8x(kHasAlpha, kSide, kSide) + WebpChunk("ALPH", std::string(1, '\0') + samples) +
                  WebpChunksOf(LossyWebp(rgb, kSide, kSide)));
}

// Returns an animation of one image, which fills the canvas (WebP container, "Animation").
std::string AnimatedWebp() {
  const std::string frame = std::string(6, '\0') + WebpNumber(kSide - 1, 3) + WebpNumber(kSide - 1, 3) +
                            WebpNumber(100, 3) + std::string(1, '\0') + WebpChunksOf(WebpOfOneColor());
  return WebpFile(WebpVp8x(kIsAnimated, kSide, kSide) + WebpChunk("ANIM", std::string(6, '\0')) +
                  WebpChunk("ANMF", frame));
}

TEST(DecodeWebpTest, ALosslessPictureGivesItsSamplesBack) {
  EXPECT_EQ(GetWebpSupport(), WebpSupport::kPresent);
  const std::string rgba = DetailedRgba(), planes = Planes(LosslessWebp(rgba, kSide, kSide));
  ASSERT_EQ(planes.size(), 3 * kPixels);
  for (uint32_t i = 0; i < 3 * kPixels; ++i) {
    ASSERT_EQ(planes[i], rgba[4 * (i % kPixels) + i / kPixels]) << i;
  }
  EXPECT_EQ(Planes(WebpOfOneColor()), Flat(10, 20, 30));
}

// Quadrants of one colour. In units of a sample, Y, U and V are each wrong by at most 1: half from rounding, and half
// from the coefficients of quality 100, whose step for a block of one colour is at most half a unit. By the conversion
// of BT.601, red is wrong by at most 1.164 + 1.596, green by 1.164 + 0.391 + 0.813, blue by 1.164 + 2.018, and each by
// half from rounding: less than 4. Chroma is interpolated between quadrants, so their pixels next to each other are
// left out.
TEST(DecodeWebpTest, ALossyPictureIsNearItsColours) {
  const uint8_t colors[4][3] = {{200, 100, 50}, {20, 200, 90}, {0, 0, 255}, {250, 240, 30}};
  std::string rgb;
  for (uint32_t i = 0; i < kPixels; ++i) {
    const uint8_t* color = colors[i / (kPixels / 2) * 2 + i % kSide / (kSide / 2)];
    rgb.append(color, color + 3);
  }
  const std::string planes = Planes(LossyWebp(rgb, kSide, kSide));
  ASSERT_EQ(planes.size(), 3 * kPixels);
  for (uint32_t i = 0; i < 3 * kPixels; ++i) {
    const uint32_t x = i % kSide, y = i % kPixels / kSide;
    const bool is_at_edge = x == 15 || x == 16 || y == 15 || y == 16;
    const uint8_t wanted = colors[y / 16 * 2 + x / 16][i / kPixels];
    ASSERT_LE(is_at_edge ? 0 : std::abs(static_cast<uint8_t>(planes[i]) - wanted), 4) << x << " " << y;
  }
}

TEST(DecodeWebpTest, AnOpaqueAlphaChannelIsLeftOut) {
  EXPECT_EQ(Planes(LosslessWithAlpha('\xff')), Flat(10, 20, 30));
  const std::string lossy = Planes(LossyWithAlpha('\xff'));
  ASSERT_EQ(lossy.size(), 3 * kPixels);
  EXPECT_NEAR(lossy[0], 10, 4);
  EXPECT_NEAR(lossy[3 * kPixels - 1], 30, 4);
}

TEST(DecodeWebpTest, TransparencyIsRefused) {
  for (const std::string& file : {LosslessWithAlpha('\xfe'), LossyWithAlpha('\xfe'), LosslessWithAlpha('\0')}) {
    EXPECT_THAT(Refused(file),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found a WebP with transparency")));
  }
}

TEST(DecodeWebpTest, AnAnimationIsRefused) {
  EXPECT_THAT(Refused(AnimatedWebp()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "expected a still picture, found an animated WebP; save one image of it as PNG"));
}

TEST(DecodeWebpTest, OtherChunksChangeNoPixel) {
  EXPECT_EQ(Planes(WebpFile(WebpVp8x(kHasExif, kSide, kSide) + WebpChunksOf(WebpOfOneColor()) +
                            WebpChunk("EXIF", "MM12345"))),
            Flat(10, 20, 30));
}

TEST(DecodeWebpTest, AnotherSizeIsRefused) {
  EXPECT_THAT(Refused(LosslessWebp(std::string(4 * 33 * 7, '\xff'), 33, 7)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "expected a picture of 32x32 like the first one, found a WebP of 33x7; --resize=32 makes all "
                       "pictures 32x32"));
  EXPECT_THAT(Refused(WebpFile(WebpVp8x(0, kSide, kSide) +
                               WebpChunksOf(LosslessWebp(std::string(4 * 16 * 16, '\xff'), 16, 16)))),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a damaged WebP")))
      << "the picture does not fill its canvas";
  DecodedPicture picture;
  EXPECT_THAT(DecodePicture(LosslessWebp(std::string(4 * 33 * 7, '\xff'), 33, 7), {}, picture), IsOk());
  EXPECT_EQ(picture.size, (PictureSize{33, 7}));
}

// Headers that announce 16,383 x 16,383 pixels (WebP's own limit), 1 GB, are refused before memory is allocated.
TEST(DecodeWebpTest, APictureBombIsRefusedFromItsHeader) {
  std::string lossless = WebpOfOneColor(), lossy = LossyWebp(std::string(3 * kPixels, 'x'), kSide, kSide);
  lossless.replace(21, 4, WebpNumber(16382 | 16382 << 14, 4));  // after VP8L's signature: 14 bits each, less 1
  lossy.replace(26, 4, WebpNumber(16383 | 16383 << 16, 4));     // after VP8's frame tag and start code
  for (const std::string& file : {lossless, lossy}) {
    DecodedPicture picture;
    EXPECT_THAT(DecodePicture(file, {}, picture),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found a WebP of 16383x16383")));
    EXPECT_EQ(picture.pixels.capacity(), 0u);
  }
}

TEST(DecodeWebpTest, CutAnywhereAPictureIsAnError) {
  for (const std::string& file : {LosslessWebp(DetailedRgba(), kSide, kSide), LossyWithAlpha('\xff'),
                                  LossyWebp(std::string(3 * kPixels, 'x'), kSide, kSide)}) {
    EXPECT_THAT(Refused(file), IsOk());
    for (size_t size = 0; size < file.size(); ++size) {
      EXPECT_THAT(Refused(file.substr(0, size)), StatusIs(absl::StatusCode::kDataLoss, Not(HasSubstr("\n"))))
          << size << " of " << file.size();
    }
  }
}

// WebP has no checksum: a flip must give an error or a picture, and never a crash (the sanitizers check this). Nothing
// of a picture that cannot be decoded may stay in memory.
TEST(DecodeWebpTest, AFlippedBitIsAnErrorOrAPicture) {
  const size_t before = mallinfo2().uordblks;
  for (const std::string& file : {WebpOfOneColor(), LossyWebp(std::string(3 * kPixels, 'x'), kSide, kSide)}) {
    size_t refused = 0;
    for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
      std::string flipped = file;
      flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
      refused += Refused(flipped).ok() ? 0 : 1;
    }
    EXPECT_GT(refused, 0u);
    EXPECT_LT(refused, 8 * file.size());
  }
  EXPECT_LT(mallinfo2().uordblks, before + 10'000);  // the pixels of one lossless picture take 4,096
}

}  // namespace
}  // namespace lockstep
