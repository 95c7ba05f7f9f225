#include "lib/lab/shown_command.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ShownCommandTest, WordsAreQuotedWhereTheShellNeedsIt) {
  EXPECT_EQ(ShellWord("--batch_size=32,128"), "--batch_size=32,128");
  EXPECT_EQ(ShellWord("--rows=8;16, LARS"), "'--rows=8;16, LARS'");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("$HOME\\"), "'$HOME\\'");
}

// bash -c "printf %s $'caf\303\251\047\033\134'" prints the first argument.
TEST(ShownCommandTest, OtherBytesAreOctal) {
  EXPECT_EQ(ShellWord("caf\xC3\xA9'\x1b\\"), "$'caf\\303\\251\\047\\033\\134'");
}

TEST(ShownCommandTest, WordsAreSeparatedBySpaces) {
  EXPECT_EQ(ShownCommand({"report", "--input=a b.rec"}), "report '--input=a b.rec'");
}

}  // namespace
}  // namespace lockstep
