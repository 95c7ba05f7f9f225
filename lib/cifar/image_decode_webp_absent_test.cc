// The decoder that a program without libwebp has.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/cifar/image_decode_webp.h"
#include "lib/cifar/picture.h"
#include "lib/cifar/small_pictures_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::lockstep::testing::WebpOfOneColor;

TEST(DecodeWebpAbsentTest, APictureIsRefusedWithTheRemedy) {
  EXPECT_EQ(GetWebpSupport(), WebpSupport::kAbsent);
  DecodedPicture picture;
  EXPECT_THAT(DecodeWebp(WebpOfOneColor(), {32, 32}, picture),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "expected a PNG, a JPEG or a BMP picture, found a WebP, which this program cannot read: install "
                       "libwebp-dev and build again, or convert it to PNG"));
  EXPECT_TRUE(picture.pixels.empty());
}

}  // namespace
}  // namespace lockstep
