#include "lib/cifar/plain_text.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(IsPlainTextTest, TakesTextOfOneToFourBytesACharacter) {
  for (const char* text : {"", "cat", " ~", "caf\xc3\xa9", "\xe7\x8c\xab", "\xf0\x9f\x90\x88", "\xc2\x80",
                           "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsPlainText(text)) << text;
  }
}

TEST(IsPlainTextTest, RefusesControlCharacters) {
  EXPECT_FALSE(IsPlainText("a\nb"));
  EXPECT_FALSE(IsPlainText("\x7f"));
  EXPECT_FALSE(IsPlainText(absl::string_view("a\0b", 3)));
}

TEST(IsPlainTextTest, RefusesWhatIsNotUtf8) {
  EXPECT_FALSE(IsPlainText("\x80"));              // following byte without a first byte
  EXPECT_FALSE(IsPlainText("caf\xe9"));           // Latin-1, not UTF-8
  EXPECT_FALSE(IsPlainText("\xc3"));              // cut off
  EXPECT_FALSE(IsPlainText("\xe7\x8c"));          // cut off
  EXPECT_FALSE(IsPlainText("\xc0\x80"));          // overlong form of U+0000
  EXPECT_FALSE(IsPlainText("\xed\xa0\x80"));      // surrogate
  EXPECT_FALSE(IsPlainText("\xf4\x90\x80\x80"));  // beyond U+10FFFF
  EXPECT_FALSE(IsPlainText("\xe7\x8c\x41"));      // wrong third byte
}

}  // namespace
}  // namespace lockstep
