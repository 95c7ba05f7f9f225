#include "lib/page/latex_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EscapeLatexTest, NoCharacterIsACommand) {
  EXPECT_EQ(EscapeLatex("$<b>_%"), "\\$\\textless{}b\\textgreater{}\\_\\%");
  EXPECT_EQ(EscapeLatex("\\input{a}"), "\\textbackslash{}input\\{a\\}");
  EXPECT_EQ(EscapeLatex("a&b#c^d~e"), "a\\&b\\#c\\textasciicircum{}d\\textasciitilde{}e");
}

TEST(EscapeLatexTest, NeighboursMakeNoLigatureAndNoArgument) {
  EXPECT_EQ(EscapeLatex("--a"), "-{}-{}a");
  EXPECT_EQ(EscapeLatex("[1]*"), "{[}1{]}{*}");
  EXPECT_THAT(EscapeLatex("``x''"), Not(HasSubstr("`")));
}

TEST(EscapeLatexTest, ControlCharactersAreSpaces) { EXPECT_EQ(EscapeLatex("a\nb\tc"), "a b c"); }

TEST(EscapeLatexTest, CharactersWithoutAFontAreNamed) {
  EXPECT_EQ(EscapeLatex("±µé"), "\\textpm{}\\textmu{}é");
  EXPECT_EQ(EscapeLatex("中"), "(U+4E2D)");
  EXPECT_EQ(EscapeLatex("\xE9t\xF0"), "(0xE9)t(0xF0)");
  EXPECT_EQ(EscapeLatex("\xE4\xB8"), "(0xE4)(0xB8)");
}

TEST(EscapeLatexTest, LongWordsMayBeBroken) {
  EXPECT_EQ(EscapeLatex("0123456789ab"), "0123456789ab");
  EXPECT_EQ(EscapeLatex("0123456789abc"), "0123456789ab\\allowbreak{}c");
  EXPECT_THAT(EscapeLatex("a/long/path/of/many/folders"), HasSubstr("/\\allowbreak{}long/"));
}

TEST(LatexPrefixTest, CutsNoCharacter) {
  EXPECT_EQ(LatexPrefix("aé中b", 2), "aé");
  EXPECT_EQ(LatexPrefix("中b", 2), "中");
  EXPECT_EQ(LatexPrefix("", 2), "");
  EXPECT_EQ(LatexPrefix("\x80\x80\x80", 16), "\x80\x80");
}

TEST(LatexNameTest, OnlyWhatEveryFileSystemHas) {
  EXPECT_EQ(LatexName("table-1.a_b %"), "table-1.a-b--");
  EXPECT_TRUE(IsLatexFileName("out/a_b-1.tex"));
  EXPECT_FALSE(IsLatexFileName("my report.tex"));
  EXPECT_FALSE(IsLatexFileName("50%.tex"));
}

}  // namespace
}  // namespace lockstep
