#include "lib/dataset/append_bytes.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

TEST(AppendBytesTest, BytesComeAfterThoseThatAreThere) {
  PixelBytes pixels = {1};
  AppendBytes("\x02\xff", pixels);
  EXPECT_THAT(pixels, ElementsAre(1, 2, 255));
  AppendBytes("", pixels);
  EXPECT_THAT(pixels, ElementsAre(1, 2, 255));
}

TEST(AppendBytesTest, PixelsStayWhenTheyMoveToMoreMemory) {
  PixelBytes pixels;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string piece(1 + i % 7, static_cast<char>(i));
    expected += piece;
    AppendBytes(piece, pixels);
  }
  EXPECT_EQ(std::string(pixels.begin(), pixels.end()), expected);
}

TEST(PixelBytesTest, AValueThatIsGivenIsSet) {
  EXPECT_THAT(PixelBytes(3, 7), ElementsAre(7, 7, 7));
  PixelBytes pixels = {1, 2};
  pixels.resize(4, 9);
  EXPECT_THAT(pixels, ElementsAre(1, 2, 9, 9));
  const PixelBytes copy = pixels;
  EXPECT_EQ(copy, pixels);
}

}  // namespace
}  // namespace lockstep
