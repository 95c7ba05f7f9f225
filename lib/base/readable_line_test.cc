#include "lib/base/readable_line.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ReadableLineTest, Utf8StaysAsItIs) {
  EXPECT_TRUE(IsUtf8("caf\xC3\xA9.pt"));
  EXPECT_EQ(ToUtf8("caf\xC3\xA9.pt\n"), "caf\xC3\xA9.pt\n");
  EXPECT_EQ(ReadableLine("caf\xC3\xA9.pt"), "caf\xC3\xA9.pt");
  EXPECT_EQ(ReadableLine(""), "");
}

TEST(ReadableLineTest, BytesThatAreNoUtf8AreSpelt) {
  EXPECT_FALSE(IsUtf8("caf\xE9.pt"));
  EXPECT_EQ(ToUtf8("caf\xE9.pt"), "caf\\xe9.pt");
  EXPECT_EQ(ToUtf8("\xC3\xA9 and \xE9"), "\\xc3\\xa9 and \\xe9");
  EXPECT_TRUE(IsUtf8(ToUtf8("\xFF\xFE\xED\xA0\x80")));
}

TEST(ReadableLineTest, ALineHasNoControlCharacter) {
  EXPECT_EQ(ReadableLine("a\nb\x1B[2J\r\x7F\t"), "a; b\\x1b[2J\\x0d\\x7f\\x09");
  EXPECT_EQ(ReadableLine(absl::string_view("\0", 1)), "\\x00");
}

TEST(ReadableLineTest, forged_strings_c1) {
  EXPECT_EQ(ReadableLine("a\xC2\x9B"
                         "2J\xC2\x80\xC2\x9F\xC2\xA0"),
            "a\\u009b2J\\u0080\\u009f\xC2\xA0");
  EXPECT_EQ(ReadableLine("a\x9B"
                         "2J"),
            "a\\x9b2J");
}

TEST(ReadableLineTest, forged_strings_bidi) {
  EXPECT_EQ(ReadableLine("\u061C\u200E\u200F"), "\\u061c\\u200e\\u200f");
  EXPECT_EQ(ReadableLine("\u202A\u202B\u202C\u202D\u202E"), "\\u202a\\u202b\\u202c\\u202d\\u202e");
  EXPECT_EQ(ReadableLine("\u2066\u2067\u2068\u2069"), "\\u2066\\u2067\\u2068\\u2069");
}

TEST(ReadableLineTest, CharactersThatNobodySeesAreEscaped) {
  EXPECT_EQ(ReadableLine("a\u2028b\u2029c"), "a\\u2028b\\u2029c");
  EXPECT_EQ(ReadableLine("\uFEFF\u200B\u00AD\u2060\uFFF9\uFFFE\uFFFF"),
            "\\ufeff\\u200b\\u00ad\\u2060\\ufff9\\ufffe\\uffff");
  EXPECT_EQ(ReadableLine("\U000E0041\U0001FFFE"), "\\udb40\\udc41\\ud83f\\udffe");
}

TEST(ReadableLineTest, WordsOfOtherLanguagesAndEmojiStay) {
  for (const char* text :
       {"\u4E2D\u6587", "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645", "\u00E9\u0301",
        "\U0001F468\u200D\U0001F469\u200D\U0001F467", "\u2764\uFE0F", "\uFFFD", "12.05 \u00B1 0.13"}) {
    EXPECT_EQ(ReadableLine(text), text);
  }
}

TEST(ReadableLineTest, ASecondCallChangesNothing) {
  const std::string once = ReadableLine("a\nb\x1B\u202E\U000E0041\\x1b");
  EXPECT_EQ(ReadableLine(once), once);
}

TEST(ReadableTextTest, LinesAndTabsStay) {
  EXPECT_EQ(ReadableText("a\tb\n\nc\r\nd\re\n"), "a\tb\n\nc\r\nd\\x0de\n");
  EXPECT_EQ(ReadableText("caf\xC3\xA9\ncaf\xE9"), "caf\xC3\xA9\ncaf\\xe9");
  EXPECT_EQ(ReadableText("a\x1B[2J\u202E"), "a\\x1b[2J\\u202e");
  EXPECT_EQ(ReadableText(""), "");
}

}  // namespace
}  // namespace lockstep
