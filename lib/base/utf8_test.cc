#include "lib/base/utf8.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<uint32_t> CharactersOf(absl::string_view text) {
  std::vector<uint32_t> characters;
  for (size_t at = 0, size = 0; at < text.size(); at += size) {
    characters.push_back(CharacterAt(text, at, size));
  }
  return characters;
}

TEST(Utf8Test, CharactersOfOneToFourBytes) {
  EXPECT_THAT(CharactersOf("a\xC2\x80\xC3\xA9\xE2\x80\xAE\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"),
              ElementsAre('a', 0x80, 0xE9, 0x202E, 0xFFFF, 0x10000, 0x10FFFF));
}

TEST(Utf8Test, EachByteThatBeginsNoCharacterIsOne) {
  for (const absl::string_view text : {"\x80", "\xC3", "\xE2\x80", "\xF0\x90\x80", "\xFF\xFE"}) {
    EXPECT_THAT(CharactersOf(text), Each(kNoCharacter));
    EXPECT_EQ(CharactersOf(text).size(), text.size());
  }
  EXPECT_THAT(CharactersOf("\xC3(\xE2\x80z"), ElementsAre(kNoCharacter, '(', kNoCharacter, kNoCharacter, 'z'));
}

TEST(Utf8Test, OverlongFormsSurrogatesAndCodesAboveTheLastAreNoCharacters) {
  for (const absl::string_view text : {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80",
                                       "\xED\xBF\xBF", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80"}) {
    EXPECT_THAT(CharactersOf(text), Each(kNoCharacter));
  }
}

TEST(Utf8Test, FirstBytesCutsBetweenCharacters) {
  const absl::string_view text = "a\xC3\xA4\xE2\x82\xAC";  // characters of 1, 2 and 3 bytes
  EXPECT_EQ(FirstBytes(text, 6), text);
  EXPECT_EQ(FirstBytes(text, 100), text);
  EXPECT_EQ(FirstBytes(text, 5), text.substr(0, 3));
  EXPECT_EQ(FirstBytes(text, 3), text.substr(0, 3));
  EXPECT_EQ(FirstBytes(text, 2), "a");
  EXPECT_EQ(FirstBytes(text, 0), "");
  EXPECT_EQ(FirstBytes("", 0), "");
}

}  // namespace
}  // namespace lockstep
