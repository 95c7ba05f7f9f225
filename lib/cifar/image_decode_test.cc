#include "lib/cifar/image_decode.h"

#include <malloc.h>
#include <png.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/cifar/image_decode_webp.h"
#include "lib/cifar/small_pictures_testing.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Bmp;
using ::lockstep::testing::BmpOptions;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::Jpeg;
using ::lockstep::testing::JpegOfSamples;
using ::lockstep::testing::Png;
using ::lockstep::testing::PngOfPlanes;
using ::lockstep::testing::PngOptions;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::WebpOfOneColor;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Decodes a picture of 32x32 to planes.
absl::Status DecodeImage(const std::string& file, uint8_t* planes) {
  DecodedPicture picture;
  const absl::Status status = DecodePicture(file, {kImageWidth, kImageHeight}, picture);
  if (status.ok()) {
    ToPlanes(picture, planes);
  }
  return status;
}

std::vector<uint8_t> Decoded(const std::string& file) {
  std::vector<uint8_t> pixels(kImageBytes);
  EXPECT_THAT(DecodeImage(file, pixels.data()), IsOk());
  return pixels;
}

absl::Status Refusal(const std::string& file) {
  std::vector<uint8_t> pixels(kImageBytes);
  return DecodeImage(file, pixels.data());
}

PngOptions Kind(int color_type, int bit_depth = 8) {
  PngOptions options;
  options.color_type = color_type;
  options.bit_depth = bit_depth;
  return options;
}

// Returns the pixels of the small data set's first image.
std::vector<uint8_t> SmallPixels() {
  const ImageSet set = SmallImageSet(proto::TRAIN, 1);
  return {set.pixels.begin(), set.pixels.end()};
}

// Returns pixels with one value per plane.
std::vector<uint8_t> Flat(uint8_t red, uint8_t green, uint8_t blue) {
  std::vector<uint8_t> pixels(kPlaneBytes, red);
  pixels.insert(pixels.end(), kPlaneBytes, green);
  pixels.insert(pixels.end(), kPlaneBytes, blue);
  return pixels;
}

TEST(DecodeImageTest, APngGivesItsSamplesBack) {
  const std::vector<uint8_t> pixels = SmallPixels();
  EXPECT_EQ(Decoded(PngOfPlanes(pixels.data())), pixels);
}

TEST(DecodeImageTest, InterlaceAndGammaChangeNoPixel) {
  std::string samples(kImageBytes, '\0');
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<char>(i * 7);
  }
  PngOptions options;
  options.interlaced = true;
  options.gamma = 1.0;  // linear light, which a viewer would brighten
  EXPECT_EQ(Decoded(Png(samples, options)), Decoded(Png(samples)));
}

TEST(DecodeImageTest, GreyBecomesRgb) {
  EXPECT_EQ(Decoded(Png(std::string(1024, 'g'), Kind(PNG_COLOR_TYPE_GRAY))), Flat('g', 'g', 'g'));
  // 4 bits per sample: 0x3 of 0xF is 3 * 17 = 51 of 255.
  EXPECT_EQ(Decoded(Png(std::string(512, '\x33'), Kind(PNG_COLOR_TYPE_GRAY, 4))), Flat(51, 51, 51));
  EXPECT_EQ(Decoded(Jpeg({100})), Flat(100, 100, 100));
}

TEST(DecodeImageTest, APaletteBecomesItsColours) {
  EXPECT_EQ(Decoded(Png(std::string(1024, '\2'), Kind(PNG_COLOR_TYPE_PALETTE))), Flat(2, 20, 40));
  EXPECT_EQ(Decoded(Png(std::string(256, '\xff'), Kind(PNG_COLOR_TYPE_PALETTE, 2))), Flat(3, 30, 60));
}

// One colour has no detail to lose. Quality 100 quantises by 1; the conversion from RGB to YCbCr and back rounds twice:
// an error of at most 2 of 255.
TEST(DecodeImageTest, AJpegOfOneColourIsThatColour) {
  const std::vector<uint8_t> pixels = Decoded(Jpeg({200, 100, 50}));
  for (size_t i = 0; i < kPlaneBytes; ++i) {
    ASSERT_NEAR(pixels[i], 200, 2);
    ASSERT_NEAR(pixels[kPlaneBytes + i], 100, 2);
    ASSERT_NEAR(pixels[2 * kPlaneBytes + i], 50, 2);
  }
}

// Returns the rows of the small data set's first image from the bottom, as B, G, R and `more` bytes per pixel.
std::string BmpRows(const std::string& more) {
  const std::vector<uint8_t> pixels = SmallPixels();
  std::string rows;
  for (size_t y = kImageHeight; y-- > 0;) {
    for (size_t x = 0; x < kImageWidth; ++x) {
      for (const size_t c : {2, 1, 0}) {
        rows.push_back(static_cast<char>(pixels[c * kPlaneBytes + y * kImageWidth + x]));
      }
      rows += more;
    }
  }
  return rows;
}

TEST(DecodeImageTest, ABmpGivesItsSamplesBack) {
  EXPECT_EQ(Decoded(Bmp(BmpRows(""))), SmallPixels());
  BmpOptions words;
  words.bits = 32;
  EXPECT_EQ(Decoded(Bmp(BmpRows(std::string(1, '\0')), words)), SmallPixels()) << "the fourth byte has no meaning";
}

TEST(DecodeImageTest, ABmpMayBeginAtTheTop) {
  std::string rows = BmpRows("");
  std::string turned;
  for (size_t at = rows.size(); at > 0; at -= 96) {
    turned += rows.substr(at - 96, 96);
  }
  BmpOptions options;
  options.height = -32;
  EXPECT_EQ(Decoded(Bmp(turned, options)), SmallPixels());
}

TEST(DecodeImageTest, ABmpMayHaveAPalette) {
  BmpOptions options;
  options.bits = 8;
  options.colors = 3;
  options.masks = std::string("\0\0\0\0\3\2\1\0\x30\x20\x10\0", 12);  // B, G, R, 0
  EXPECT_EQ(Decoded(Bmp(std::string(1024, '\2'), options)), Flat(0x10, 0x20, 0x30));
  EXPECT_THAT(Refusal(Bmp(std::string(1024, '\3'), options)),
              StatusIs(absl::StatusCode::kDataLoss, "a damaged BMP: colour 3 of 3"));
  options.bits = 1;
  options.colors = 2;
  options.masks.resize(8);
  EXPECT_EQ(Decoded(Bmp(std::string(128, '\xff'), options)), Flat(1, 2, 3));
  options.bits = 4;
  EXPECT_EQ(Decoded(Bmp(std::string(512, '\x11'), options)), Flat(1, 2, 3));
}

TEST(DecodeImageTest, ABmpWithMasksMayHaveAnOpaqueAlphaChannel) {
  BmpOptions options;
  options.bits = 32;
  options.packing = 6;  // BI_ALPHABITFIELDS
  options.masks = std::string("\0\0\xff\0\0\xff\0\0\xff\0\0\0\0\0\0\xff", 16);
  EXPECT_EQ(Decoded(Bmp(BmpRows("\xff"), options)), SmallPixels());
  EXPECT_THAT(Refusal(Bmp(BmpRows("\xfe"), options)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("a BMP with transparency")));
}

TEST(DecodeImageTest, OtherKindsOfBmpAreRefused) {
  BmpOptions options;
  options.packing = 1;  // BI_RLE8
  options.bits = 8;
  options.masks = std::string(1024, '\0');
  EXPECT_THAT(Refusal(Bmp(std::string(1024, '\0'), options)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("a packed one; save it as PNG")));
  BmpOptions sixteen;
  sixteen.bits = 16;
  EXPECT_THAT(Refusal(Bmp(std::string(2048, '\0'), sixteen)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found a BMP of 16; save it as PNG")));
  BmpOptions wide;
  wide.width = 64;
  EXPECT_THAT(Refusal(Bmp(std::string(6144, '\0'), wide)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found a BMP of 64x32")));
  wide.width = -32;
  EXPECT_THAT(Refusal(Bmp(BmpRows(""), wide)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a size of -32x32")));
}

TEST(DecodeImageTest, AnySizeIsAcceptedOnRequest) {
  PngOptions options;
  options.width = 5;
  options.height = 3;
  DecodedPicture picture;
  EXPECT_THAT(DecodePicture(Png(std::string(45, 'x'), options), {}, picture), IsOk());
  EXPECT_EQ(picture.size, (PictureSize{5, 3}));
  EXPECT_THAT(DecodePicture(Jpeg({100}, 70, 41), {}, picture), IsOk());
  EXPECT_EQ(picture.size, (PictureSize{70, 41}));
  std::vector<uint8_t> planes(3 * 70 * 41);
  ToPlanes(picture, planes.data());
  EXPECT_EQ(planes, std::vector<uint8_t>(3 * 70 * 41, 100));
}

TEST(DecodeImageTest, AnotherSizeIsRefusedWithWhatWasFound) {
  PngOptions options;
  options.width = 33;
  EXPECT_THAT(
      Refusal(Png(std::string(33 * 32 * 3, 'x'), options)),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               "expected a picture of 32x32 like the first one, found a PNG of 33x32; --resize=32 makes all pictures "
               "32x32"));
  EXPECT_THAT(
      Refusal(Jpeg({1, 2, 3}, 32, 16)),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               "expected a picture of 32x32 like the first one, found a JPEG of 32x16; --resize=32 makes all pictures "
               "32x32"));
}

// A header that announces 65,500 x 65,500 pixels (libjpeg's own limit), 12 GB, is refused before memory is allocated.
TEST(DecodeImageTest, APictureBombIsRefusedFromItsHeader) {
  std::string jpeg = Jpeg({1, 2, 3});
  const size_t frame = jpeg.find("\xff\xc0");  // SOF0: marker, length, precision, height, width (ITU T.81, B.2.2)
  jpeg.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_THAT(Refusal(jpeg), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("65500x65500")));
  PngOptions options;
  options.width = 1'000'000;  // libpng's own limit
  options.height = 1;
  EXPECT_THAT(Refusal(Png(std::string(3'000'000, '\0'), options)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("1000000x1")));
}

TEST(DecodeImageTest, TransparencyIsRefused) {
  PngOptions palette = Kind(PNG_COLOR_TYPE_PALETTE);
  palette.transparent = true;
  std::string one_pixel(4096, '\xff');
  one_pixel[4 * 517 + 3] = '\xfe';
  for (const std::string& png :
       {Png(std::string(4096, 'x'), Kind(PNG_COLOR_TYPE_RGBA)), Png(one_pixel, Kind(PNG_COLOR_TYPE_RGBA)),
        Png(std::string(2048, 'x'), Kind(PNG_COLOR_TYPE_GRAY_ALPHA)), Png(std::string(1024, '\0'), palette)}) {
    EXPECT_THAT(Refusal(png), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("transparency")));
  }
}

// An alpha channel of 255 everywhere, which many programs write, and a palette whose transparent colour is not used.
TEST(DecodeImageTest, AnOpaqueAlphaChannelIsLeftOut) {
  std::string rgba, grey;
  for (int i = 0; i < 1024; ++i) {
    rgba += "\x0a\x14\x1e\xff";
    grey += "\x07\xff";
  }
  EXPECT_EQ(Decoded(Png(rgba, Kind(PNG_COLOR_TYPE_RGBA))), Flat(10, 20, 30));
  PngOptions interlaced = Kind(PNG_COLOR_TYPE_RGBA);
  interlaced.interlaced = true;
  EXPECT_EQ(Decoded(Png(rgba, interlaced)), Flat(10, 20, 30));
  EXPECT_EQ(Decoded(Png(grey, Kind(PNG_COLOR_TYPE_GRAY_ALPHA))), Flat(7, 7, 7));
  PngOptions palette = Kind(PNG_COLOR_TYPE_PALETTE);
  palette.transparent = true;
  EXPECT_EQ(Decoded(Png(std::string(1024, '\1'), palette)), Flat(1, 10, 20));
}

TEST(DecodeImageTest, SixteenBitsAndCmykAreRefused) {
  EXPECT_THAT(Refusal(Png(std::string(6144, 'x'), Kind(PNG_COLOR_TYPE_RGB, 16))),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("16")));
  EXPECT_THAT(Refusal(Jpeg({1, 2, 3, 4})),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("4 colour components")));
}

TEST(DecodeImageTest, OtherFilesAndTooLargeOnesAreRefused) {
  EXPECT_THAT(Refusal(""), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("found none of them")));
  EXPECT_THAT(Refusal("GIF89a"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("found none of them")));
  EXPECT_THAT(Refusal(std::string(kMaxPictureBytes + 1, 'x')),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("at most")));
}

// More of WebP is in image_decode_webp_test and image_decode_webp_absent_test.
TEST(DecodeImageTest, AWebpIsRecognizedByItsFirstBytes) {
  if (GetWebpSupport() == WebpSupport::kPresent) {
    EXPECT_EQ(Decoded(WebpOfOneColor()), Flat(10, 20, 30));
  } else {
    EXPECT_THAT(Refusal(WebpOfOneColor()), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(kWebpRemedy)));
  }
  EXPECT_THAT(Refusal("RIFF\x04\x01\1\1WAVE"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("found none of them")));
}

// Returns a 32x32 JPEG with detail, so that every table matters.
std::string DetailedJpeg(const std::function<void(jpeg_compress_struct&)>& tune, uint32_t components = 3) {
  std::string samples;
  for (uint32_t i = 0; i < kPlaneBytes * components; ++i) {
    samples.push_back(static_cast<char>(i * i / 7));
  }
  return JpegOfSamples(samples, components, 32, 32, tune);
}

// Returns one JPEG of each kind of coding, each with its own tables.
std::vector<std::string> JpegsOfAllKinds() {
  return {
      DetailedJpeg([](jpeg_compress_struct& jpeg) { jpeg_set_quality(&jpeg, 90, TRUE); }),
      DetailedJpeg([](jpeg_compress_struct& jpeg) { jpeg.optimize_coding = TRUE; }),
      DetailedJpeg([](jpeg_compress_struct& jpeg) { jpeg_set_quality(&jpeg, 30, TRUE); }, 1),
      DetailedJpeg([](jpeg_compress_struct& jpeg) { jpeg_simple_progression(&jpeg); }),
      DetailedJpeg([](jpeg_compress_struct& jpeg) { jpeg_set_colorspace(&jpeg, JCS_RGB); }),  // writes Adobe's marker
      DetailedJpeg([](jpeg_compress_struct& jpeg) { jpeg.restart_interval = 1; }),
      DetailedJpeg([](jpeg_compress_struct& jpeg) {
        jpeg.arith_code = TRUE;
        jpeg.arith_ac_K[0] = 9;  // a DAC marker
      }),
  };
}

// Returns the positions of the segments before the samples: marker and length (ITU T.81, B.1.1.4).
std::vector<size_t> SegmentsOf(const std::string& jpeg) {
  std::vector<size_t> begins;
  for (size_t at = 2; jpeg.substr(at, 2) != "\xff\xda";
       at += 2 + static_cast<uint8_t>(jpeg[at + 2]) * 256 + static_cast<uint8_t>(jpeg[at + 3])) {
    begins.push_back(at);
  }
  return begins;
}

// Returns `jpeg`, and its variants without one segment or without all segments of one marker.
std::vector<std::string> WithSegmentsCutOut(const std::string& jpeg) {
  const std::vector<size_t> begins = SegmentsOf(jpeg);
  std::vector<std::string> cut = {jpeg};
  for (size_t begin : begins) {
    const size_t length = static_cast<uint8_t>(jpeg[begin + 2]) * 256 + static_cast<uint8_t>(jpeg[begin + 3]);
    cut.push_back(std::string(jpeg).erase(begin, 2 + length));
    std::string all = jpeg;
    for (size_t other = begins.size(); other-- > 0;) {
      if (jpeg[begins[other] + 1] == jpeg[begin + 1]) {
        const size_t end = other + 1 < begins.size() ? begins[other + 1] : jpeg.find("\xff\xda");
        all.erase(begins[other], end - begins[other]);
      }
    }
    cut.push_back(all);
  }
  return cut;
}

// Returns the pixels, or the error. Decodes on a thread of its own, which has decoded only `before`.
std::string ResultAfter(const std::string& before, const std::string& file) {
  std::string result;
  std::thread([&] {
    std::vector<uint8_t> pixels(kImageBytes);
    if (!before.empty()) {
      DecodeImage(before, pixels.data()).IgnoreError();
    }
    const absl::Status status = DecodeImage(file, pixels.data());
    result = status.ok() ? std::string(pixels.begin(), pixels.end()) : status.ToString();
  }).join();
  return result;
}

// The state of libjpeg's decompressor (especially its tables) must not affect the next picture.
TEST(DecodeImageTest, NothingIsKeptFromThePictureBefore) {
  const std::vector<std::string> kinds = JpegsOfAllKinds();
  for (const std::string& whole : kinds) {
    EXPECT_EQ(ResultAfter("", whole).size(), kImageBytes);
    for (const std::string& file : WithSegmentsCutOut(whole)) {
      const std::string alone = ResultAfter("", file);
      for (const std::string& before : kinds) {
        for (const std::string& damaged : {before, before.substr(0, before.size() / 2)}) {
          ASSERT_EQ(ResultAfter(damaged, file), alone);
        }
      }
    }
  }
}

TEST(DecodeImageTest, AJpegWithoutItsTablesIsDamaged) {
  const std::vector<std::string> kinds = JpegsOfAllKinds();
  for (const std::string& whole : kinds) {
    Decoded(whole);
    std::string cut = whole;
    for (size_t at = cut.find("\xff\xdb"); at != std::string::npos; at = cut.find("\xff\xdb")) {  // DQT
      cut.erase(at, 2 + static_cast<uint8_t>(cut[at + 3]));                                       // length below 256
    }
    EXPECT_THAT(Refusal(cut), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("uantization table")));
  }
}

// A thread's memory must not grow with the number of pictures that it has decoded.
TEST(DecodeImageTest, ManyPicturesTakeNoMoreMemoryThanOne) {
  const std::string file = DetailedJpeg([](jpeg_compress_struct&) {});
  Decoded(file);
  const size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 1000; ++i) {
    Decoded(file);
  }
  EXPECT_LT(mallinfo2().uordblks, before + 10'000);  // a picture's tables alone take 1,384 bytes
}

TEST(DecodeImageTest, CutAnywhereAPictureIsAnError) {
  const std::vector<uint8_t> pixels = SmallPixels();
  for (const std::string& file : {PngOfPlanes(pixels.data()), Jpeg({200, 100, 50}), Bmp(BmpRows(""))}) {
    for (size_t size = 0; size < file.size(); ++size) {
      EXPECT_THAT(Refusal(file.substr(0, size)),
                  AllOf(Not(IsOk()), StatusIs(absl::StatusCode::kDataLoss, Not(HasSubstr("\n")))))
          << size << " of " << file.size();
    }
  }
}

// Every byte of a PNG is covered by a CRC or compared: a flip is an error, or changes nothing (in a chunk that is
// skipped).
TEST(DecodeImageTest, AFlippedBitNeverChangesAPng) {
  const std::vector<uint8_t> pixels = SmallPixels();
  const std::string file = Png(std::string(1024, '\2'), Kind(PNG_COLOR_TYPE_GRAY));
  const std::vector<uint8_t> whole = Decoded(file);
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::string flipped = file;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    std::vector<uint8_t> out(kImageBytes);
    if (DecodeImage(flipped, out.data()).ok()) {
      EXPECT_EQ(out, whole) << bit;
    }
  }
}

// JPEG has no checksum: a flip must give an error or a picture, and never a crash (the sanitizers check this).
TEST(DecodeImageTest, AFlippedBitInAJpegIsAnErrorOrAPicture) {
  const std::string file = Jpeg({200, 100, 50});
  size_t refused = 0;
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::string flipped = file;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    refused += Refusal(flipped).ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace lockstep
