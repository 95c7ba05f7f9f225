#include "lib/plot/text_extent.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TextExtentTest, GrowsWithTheFontAndCountsCharactersNotBytes) {
  EXPECT_DOUBLE_EQ(TextWidth("128", 20), 2 * TextWidth("128", 10));
  EXPECT_DOUBLE_EQ(TextWidth("±", 10), 8.4);
  EXPECT_LT(TextWidth("il", 10), TextWidth("MW", 10));
}

// The widths were measured with Chromium for these texts in DejaVu Sans at 100 px.
TEST(TextExtentTest, IsAtLeastTheWidthInDejaVuSans) {
  EXPECT_GE(TextWidth("0123456789", 100), 636.2);
  EXPECT_GE(TextWidth("images per batch", 100), 875.6);
  EXPECT_GE(TextWidth("all-reduce exposed, by events", 100), 1504.2);
}

TEST(TextExtentTest, LinesAreBrokenAtSpaces) {
  EXPECT_THAT(WrapText("one two three", 10, TextWidth("one two", 10)), ElementsAre("one two", "three"));
  EXPECT_THAT(WrapText("unbreakable", 10, 5), ElementsAre("unbreakable"));
  EXPECT_THAT(WrapText("", 10, 5), IsEmpty());
}

}  // namespace
}  // namespace lockstep
