#include "lib/published/plain_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Returns UTF-16 with a byte-order mark.
std::string Utf16(const std::u16string& text, bool little) {
  std::string bytes;
  for (const char16_t unit : u'\uFEFF' + text) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    bytes += little ? low : high;
    bytes += little ? high : low;
  }
  return bytes;
}

TEST(PlainTextTest, Utf16BecomesUtf8) {
  constexpr bool kLittle = true;
  const std::u16string text = u"a\u00E9\u20AC\U0001F600\n";
  EXPECT_EQ(*PlainText(Utf16(text, kLittle)), "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n");
  EXPECT_EQ(*PlainText(Utf16(text, !kLittle)), "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n");
}

TEST(PlainTextTest, DamagedUtf16IsRefused) {
  for (const std::string& bytes : {std::string("\xFF\xFE"
                                               "a"),
                                   std::string("\xFF\xFE\x00\xD8", 4),
                                   std::string("\xFF\xFE\x00\xD8"
                                               "a\0",
                                               6),
                                   std::string("\xFF\xFE\x00\xDC", 4)}) {
    EXPECT_THAT(PlainText(bytes), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("save the file as UTF-8")));
  }
}

TEST(PlainTextTest, LineEndsAndMarks) {
  EXPECT_EQ(*PlainText("\xEF\xBB\xBF"
                       "a\r\nb"),
            "a\r\nb");
  EXPECT_EQ(*PlainText("a\rb\r"), "a\nb\n");
  EXPECT_EQ(*PlainText(""), "");
}

TEST(PlainTextTest, TheLineThatNamesTheSeparatorBecomesEmpty) {
  EXPECT_EQ(*PlainText("sep=;\r\na;b\n"), "\na;b\n");
  EXPECT_EQ(*PlainText("SEP=,\na\n"), "\na\n");
  EXPECT_EQ(*PlainText("sep=ab\na\n"), "sep=ab\na\n");
}

}  // namespace
}  // namespace lockstep
