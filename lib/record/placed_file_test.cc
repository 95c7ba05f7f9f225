#include "lib/record/placed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;

TEST(FileStateTest, AWrittenOrReplacedFileIsAnother) {
  const std::string path = TempPath("a");
  const FileState none = FileState::Of(path);
  EXPECT_FALSE(none.is_there());
  EXPECT_EQ(none.ToText(), "");
  WriteFile(path, "text");
  const FileState first = FileState::Of(path);
  EXPECT_TRUE(first.is_there());
  EXPECT_FALSE(first == none);
  EXPECT_TRUE(first == FileState::Of(path));
  EXPECT_TRUE(FileState::FromText(first.ToText()) == first);
  WriteFile(path, "more text");
  EXPECT_FALSE(FileState::Of(path) == first);
  EXPECT_FALSE(FileState::FromText("no state").is_there());
}

TEST(PlacedFileTest, AFileWithoutANameGetsOneThatIsFree) {
  const std::string path = TempPath("a");
  std::string name;
  const absl::StatusOr<int> fd = OpenUnnamedFile(path, name);
  ASSERT_THAT(fd, IsOk());
  if (!name.empty()) {
    close(*fd);
    unlink(name.c_str());
    GTEST_SKIP() << "this file system has no files without a name";
  }
  ASSERT_EQ(write(*fd, "text", 4), 4);
  WriteFile(path, "precious");
  EXPECT_THAT(NameFileAs(*fd, path), StatusIs(absl::StatusCode::kAlreadyExists, path));
  EXPECT_EQ(ReadFile(path), "precious");
  const absl::StatusOr<std::string> temporary = NameFile(*fd, path);
  ASSERT_THAT(temporary, IsOk());
  EXPECT_TRUE(NamesFile(*temporary, *fd));
  EXPECT_THAT(RenameNewFile(*temporary, path), StatusIs(absl::StatusCode::kAlreadyExists, path));
  EXPECT_EQ(ReadFile(path), "precious");
  EXPECT_THAT(RenameFile(*temporary, path), IsOk());
  EXPECT_EQ(ReadFile(path), "text");
  close(*fd);
}

}  // namespace
}  // namespace lockstep
