#include "lib/base/shell_word.h"

#include "gtest/gtest.h"
#include "lib/base/readable_line.h"

namespace lockstep {
namespace {

TEST(ShellWordTest, WordsAreQuotedWhereTheShellNeedsIt) {
  EXPECT_EQ(ShellWord("--batch_size=32,128"), "--batch_size=32,128");
  EXPECT_EQ(ShellWord("class/ada/sweep.rec"), "class/ada/sweep.rec");
  EXPECT_EQ(ShellWord("--rows=8;16, LARS"), "'--rows=8;16, LARS'");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("$HOME\\"), "'$HOME\\'");
  EXPECT_EQ(ShellWord("$(reboot)"), "'$(reboot)'");
}

// sh -c "printf %s 'my class/it'\\''s.rec'" prints the first argument.
TEST(ShellWordTest, AQuoteIsOutsideTheQuotes) { EXPECT_EQ(ShellWord("my class/it's.rec"), "'my class/it'\\''s.rec'"); }

TEST(ShellWordTest, ANameInUtf8StaysReadable) { EXPECT_EQ(ShellWord("zo\xC3\xAB.rec"), "'zo\xC3\xAB.rec'"); }

// bash -c "printf %s $'caf\303\251\047\033\134'" prints the first argument.
TEST(ShellWordTest, BytesThatAreNotReadableAreOctal) {
  EXPECT_EQ(ShellWord("caf\xC3\xA9'\x1b\\"), "$'caf\\303\\251\\047\\033\\134'");
  EXPECT_EQ(ShellWord("a\nb"), "$'a\\012b'");
  EXPECT_EQ(ShellWord("\xFF"), "$'\\377'");
}

TEST(ShellWordTest, AWordIsReadableAsItIs) {
  for (const char* word : {"a", "", "it's", "zo\xC3\xAB", "\x1b[2J", "\xFF",
                           "a\xE2\x80\xAE"
                           "b",
                           "\\"}) {
    EXPECT_EQ(ReadableLine(ShellWord(word)), ShellWord(word));
  }
}

}  // namespace
}  // namespace lockstep
