#include "lib/doctor/ask_program.h"

#include <sys/stat.h>

#include <cstdlib>

#include "gtest/gtest.h"
#include "lib/testing/file_util.h"

namespace lockstep {
namespace {

TEST(AskProgramTest, BothStreamsInTheirOrder) {
  const ProgramOutput output = AskProgram({"/bin/sh", "-c", "echo out; echo err >&2; echo $GREETING"},
                                          absl::Seconds(60), {{"GREETING", "hello"}});
  EXPECT_TRUE(output.ended_well);
  EXPECT_EQ(output.text, "out\nerr\nhello\n");
}

TEST(AskProgramTest, ArgumentsAreNotReadByTheShell) {
  EXPECT_EQ(AskProgram({"printf", "%s", "a b; $HOME 'x'"}, absl::Seconds(60)).text, "a b; $HOME 'x'");
}

TEST(AskProgramTest, AFailureAndAHang) {
  EXPECT_FALSE(AskProgram({"false"}, absl::Seconds(60)).ended_well);
  EXPECT_FALSE(AskProgram({"no_such_program"}, absl::Seconds(60)).ended_well);
  EXPECT_FALSE(AskProgram({"sleep", "600"}, absl::Milliseconds(200)).ended_well);
}

TEST(AskProgramTest, AProgramThatWritesForEverHasNoOutput) {
  const ProgramOutput output = AskProgram({"cat", "/dev/zero"}, absl::Hours(1));
  EXPECT_FALSE(output.ended_well);
  EXPECT_EQ(output.text, "");
}

TEST(FindProgramTest, ExecutablesOnly) {
  const std::string folder = ::testing::TempDir();
  testing::WriteFile(folder + "/a_program", "#!/bin/sh\n");
  setenv("PATH", (folder + "::/nonexistent").c_str(), 1);
  EXPECT_EQ(FindProgram("a_program"), "");
  chmod((folder + "/a_program").c_str(), 0755);
  EXPECT_EQ(FindProgram("a_program"), folder + "/a_program");
  EXPECT_EQ(FindProgram("no_such_program"), "");
}

}  // namespace
}  // namespace lockstep
