#include "lib/record/run_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/init_main.h"
#include "lib/record/digested_input.h"
#include "lib/record/output_file.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kUsage = absl::StatusCode::kInvalidArgument;

// Declares a run with one input and one output.
absl::Status Declare(const std::string& input, const std::string& output) {
  return DeclareRunFiles({{input}, {{"--output", output, ""}}});
}

class RunFilesTest : public ::testing::Test {
 protected:
  RunFilesTest() {
    mkdir(folder_.c_str(), 0755);
    mkdir((folder_ + "/sub").c_str(), 0755);
    WriteFile(input_, "input");
  }
  ~RunFilesTest() override { EXPECT_THAT(DeclareRunFiles({}), IsOk()); }

  const std::string folder_ = TempPath("run");
  const std::string input_ = folder_ + "/in.rec";
};

TEST_F(RunFilesTest, FilesThatDifferAreDeclared) {
  EXPECT_THAT(Declare(input_, folder_ + "/out.rec"), IsOk());
  EXPECT_FALSE(FileExists(folder_ + "/out.rec.part"));
}

TEST_F(RunFilesTest, TheFolderOfAnOutputMayBeMadeByTheRun) {
  const auto plots = [](const std::string& folder) { return DeclareRunFiles({{}, {{"--output", folder, ".svg"}}}); };
  EXPECT_THAT(plots(folder_ + "/plots/"), IsOk());
  EXPECT_THAT(CheckDeclaredOutput(folder_ + "/plots/a.svg"), IsOk());
  EXPECT_THAT(plots(folder_ + "/no/plots/"), StatusIs(kUsage, HasSubstr("/no does not exist")));
  WriteFile(folder_ + "/file", "a file");
  EXPECT_FALSE(plots(folder_ + "/file/").ok());
}

TEST_F(RunFilesTest, AnOutputIsNoInput) {
  EXPECT_THAT(Declare(input_, input_), StatusIs(kUsage, AllOf(HasSubstr("--output=" + input_), HasSubstr("input"))));
}

TEST_F(RunFilesTest, SpellingsOfOneFileAreOne) {
  ASSERT_EQ(symlink(folder_.c_str(), (folder_ + "/self").c_str()), 0);
  for (const std::string& spelling : {folder_ + "/./in.rec", folder_ + "/sub/../in.rec", folder_ + "/self/in.rec"}) {
    EXPECT_THAT(Declare(input_, spelling), StatusIs(kUsage, HasSubstr("would replace"))) << spelling;
    EXPECT_THAT(Declare(spelling, input_), StatusIs(kUsage, HasSubstr("would replace"))) << spelling;
  }
}

TEST_F(RunFilesTest, LinksAreTheFileThatTheyMean) {
  const std::string soft = folder_ + "/soft.rec";
  const std::string hard = folder_ + "/hard.rec";
  ASSERT_EQ(symlink(input_.c_str(), soft.c_str()), 0);
  ASSERT_EQ(link(input_.c_str(), hard.c_str()), 0);
  for (const std::string& other : {soft, hard}) {
    EXPECT_THAT(Declare(input_, other), StatusIs(kUsage, HasSubstr("would replace"))) << other;
    EXPECT_THAT(Declare(other, input_), StatusIs(kUsage, HasSubstr("would replace"))) << other;
  }
}

TEST_F(RunFilesTest, ThePartOfAnOutputIsNoInput) {
  WriteFile(input_ + ".part", "journal");
  EXPECT_THAT(Declare(input_ + ".part", input_), StatusIs(kUsage, HasSubstr("would replace")));
  ASSERT_EQ(rename(input_.c_str(), (folder_ + "/other").c_str()), 0);  // the same if the output does not exist yet
  EXPECT_THAT(Declare(input_ + ".part", input_), StatusIs(kUsage, HasSubstr("would replace")));
}

TEST_F(RunFilesTest, AFamilyOfOutputsHoldsNoInput) {
  const RunOutput plots = {"--output", folder_ + "/report.", ".svg"};
  for (const char* name : {"/report.speedup.svg", "/report.speedup.svg.part"}) {
    const std::string input = folder_ + name;
    WriteFile(input, "input");
    EXPECT_THAT(DeclareRunFiles({{input}, {plots}}), StatusIs(kUsage, AllOf(HasSubstr("*.svg"), HasSubstr(input))));
  }
  ASSERT_EQ(symlink((folder_ + "/report.speedup.svg").c_str(), (folder_ + "/link.rec").c_str()), 0);
  EXPECT_THAT(DeclareRunFiles({{folder_ + "/link.rec"}, {plots}}), StatusIs(kUsage, HasSubstr("link.rec")));
  EXPECT_THAT(DeclareRunFiles({{input_}, {plots}}), IsOk());
}

TEST_F(RunFilesTest, OutputsDifferFromEachOther) {
  const std::string output = folder_ + "/a.rec";
  const std::vector<std::string> same = {output, folder_ + "/sub/../a.rec", output + ".part"};
  for (const std::string& checkpoint : same) {
    EXPECT_THAT(DeclareRunFiles({{}, {{"--output", output, ""}, {"--checkpoint", checkpoint, ""}}}),
                StatusIs(kUsage, AllOf(HasSubstr("--output="), HasSubstr("--checkpoint="))))
        << checkpoint;
  }
  const RunOutput states = {"--resume", output + ".batch", ".state"};
  EXPECT_THAT(DeclareRunFiles({{}, {{"--checkpoint", output + ".batch20.state", ""}, states}}),
              StatusIs(kUsage, HasSubstr("a.rec.batch*.state")));
  EXPECT_THAT(DeclareRunFiles({{}, {{"--output", output, ""}, {"--checkpoint", folder_ + "/a.pt", ""}, states}}),
              IsOk());
}

TEST_F(RunFilesTest, AnOutputHasAPlace) {
  EXPECT_THAT(Declare("", "/no/such/folder/a"), StatusIs(kUsage, AllOf(HasSubstr("--output"), HasSubstr("/no/such"))));
  EXPECT_THAT(Declare("", folder_), StatusIs(kUsage, HasSubstr("is a folder")));
  EXPECT_THAT(Declare("", "/dev/null"), StatusIs(kUsage, HasSubstr("a device or a pipe")));
  EXPECT_THAT(Declare("", input_ + "/a"), StatusIs(kUsage, HasSubstr(input_)));
  EXPECT_THAT(Declare("", folder_ + "/" + std::string(253, 'a')), StatusIs(kUsage, HasSubstr("name too long")));
  ASSERT_EQ(mkdir((folder_ + "/a.part").c_str(), 0755), 0);
  EXPECT_THAT(Declare("", folder_ + "/a"), StatusIs(kUsage, HasSubstr("a.part: is not a regular file")));
}

TEST_F(RunFilesTest, comma_in_an_output) {
  EXPECT_THAT(Declare(input_, folder_ + "/a,b.rec"), StatusIs(kUsage, AllOf(HasSubstr("a,b.rec"), HasSubstr("comma"))));
  EXPECT_THAT(DeclareRunFiles({{input_}, {{"--checkpoint", "a,b.pt", ""}}}),
              StatusIs(kUsage, AllOf(HasSubstr("--checkpoint=a,b.pt"), HasSubstr("comma"))));
}

TEST_F(RunFilesTest, comma_in_an_input_of_a_list) {
  WriteFile(folder_ + "/a,b,c.rec", "input");
  EXPECT_THAT(DeclareRunFiles({{input_, folder_ + "/a", "b", "c.rec"}, {}}),
              StatusIs(kUsage, AllOf(HasSubstr("found " + folder_ + "/a,b,c.rec"), HasSubstr("rename"))));
  EXPECT_THAT(DeclareRunFiles({{input_, folder_ + "/none", "b"}, {}}), IsOk());  // a missing input is reported by its
                                                                                 // reader
}

TEST_F(RunFilesTest, StandardStreamsAndNothingAreNoFiles) {
  EXPECT_THAT(Declare("-", "-"), IsOk());
  EXPECT_THAT(Declare("", ""), IsOk());
}

TEST_F(RunFilesTest, StandardInputMayBeAFile) {
  const int before = dup(STDIN_FILENO);
  const int fd = open(input_.c_str(), O_RDONLY);
  ASSERT_GE(dup2(fd, STDIN_FILENO), 0);
  EXPECT_THAT(Declare("-", input_), StatusIs(kUsage, HasSubstr("standard input")));
  dup2(before, STDIN_FILENO);
  close(fd);
  close(before);
}

TEST_F(RunFilesTest, StandardOutputIsNoInput) {
  const int before = dup(STDOUT_FILENO);
  const int fd = open(input_.c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(dup2(fd, STDOUT_FILENO), 0);
  const absl::Status status = Declare(input_, "-");
  dup2(before, STDOUT_FILENO);
  close(fd);
  close(before);
  EXPECT_THAT(status, StatusIs(kUsage, AllOf(HasSubstr("standard output"), HasSubstr(input_))));
}

TEST_F(RunFilesTest, AFileOfAFolderThatIsReadIsNoOutput) {
  ASSERT_EQ(symlink("in.rec", (folder_ + "/link.rec").c_str()), 0);
  WriteFile(folder_ + "/other.rec", "other");
  ASSERT_THAT(Declare(folder_, input_), IsOk());
  const int fd = open(folder_.c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_THAT(CheckFolderEntry(fd, "in.rec", ListedType::kRegularFile, "shown"),
              StatusIs(kUsage, HasSubstr("would replace the input shown")));
  EXPECT_THAT(CheckFolderEntry(fd, "link.rec", ListedType::kOther, "shown"),
              StatusIs(kUsage, HasSubstr("would replace")));
  EXPECT_THAT(CheckFolderEntry(fd, "other.rec", ListedType::kRegularFile, "shown"), IsOk());
  EXPECT_THAT(CheckFolderEntry(fd, "other.rec", ListedType::kOther, "shown"), IsOk());
  close(fd);
}

// InitMain makes this process a tool.
TEST_F(RunFilesTest, AToolOpensOnlyWhatItDeclared) {
  EXPECT_THAT(CheckDeclaredInput(input_), IsOk());
  char name[] = "tool";
  char* argv[] = {name};
  InitMain({"tool", "", {}, {}}, 1, argv);
  const std::string output = folder_ + "/out.rec";
  EXPECT_THAT(DigestedInput::Open(input_), StatusIs(absl::StatusCode::kInternal, HasSubstr("without being declared")));
  EXPECT_THAT(WriteWholeFile(output, "", ReplaceAnything()),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("without being declared")));
  ASSERT_THAT(Declare(input_, output), IsOk());
  EXPECT_THAT(DigestedInput::Open(input_), IsOk());
  EXPECT_THAT(WriteWholeFile(output, "", ReplaceAnything()), IsOk());
  EXPECT_THAT(DigestedInput::Open(output), IsOk());
}

}  // namespace
}  // namespace lockstep
