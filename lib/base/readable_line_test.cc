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

}  // namespace
}  // namespace lockstep
