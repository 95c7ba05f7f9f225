#include "lib/lab/shown_command.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ShownCommandTest, WordsAreSeparatedBySpaces) {
  EXPECT_EQ(ShownCommand({"report", "--input=a b.rec"}), "report '--input=a b.rec'");
}

}  // namespace
}  // namespace lockstep
