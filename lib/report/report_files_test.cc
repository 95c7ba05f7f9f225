#include "lib/report/report_files.h"

#include <sys/stat.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

TEST(ReportFilesTest, NothingIsReplacedBeforeAllIsWritten) {
  const std::string first = TempPath("a.md"), second = TempPath("b.html");
  WriteFile(first, "a longer first text");
  {
    ReportFiles files(ReplaceAnything());
    ASSERT_THAT(files.Add(first, "one"), IsOk());
    ASSERT_THAT(files.Add(second, "two"), IsOk());
    EXPECT_EQ(ReadFile(first), "a longer first text");
    EXPECT_FALSE(FileExists(second));
    ASSERT_THAT(files.Commit(), IsOk());
  }
  EXPECT_EQ(ReadFile(first), "one");
  EXPECT_EQ(ReadFile(second), "two");
  EXPECT_FALSE(FileExists(first + ".part"));
}

TEST(ReportFilesTest, WithoutCommitAllIsAsItWas) {
  const std::string path = TempPath("a.md"), folder = TempPath("folder");
  WriteFile(path, "as it was");
  ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
  {
    ReportFiles files(ReplaceAnything());
    ASSERT_THAT(files.Add(path, "new"), IsOk());
    EXPECT_THAT(files.Add(folder, "new"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a folder")));
  }
  EXPECT_EQ(ReadFile(path), "as it was");
  EXPECT_FALSE(FileExists(path + ".part"));
}

TEST(ReportFilesTest, AFolderIsMadeForAFileThatIsPutInPlace) {
  const std::string folder = TempPath("plots"), path = folder + "/a.svg";
  struct stat info;
  {
    ReportFiles files(ReplaceAnything());
    ASSERT_THAT(files.Add(path, "plot"), IsOk());
    EXPECT_EQ(stat(folder.c_str(), &info), 0);
  }
  EXPECT_NE(stat(folder.c_str(), &info), 0);
  ReportFiles files(ReplaceAnything());
  ASSERT_THAT(files.Add(path, "plot"), IsOk());
  ASSERT_THAT(files.Commit(), IsOk());
  EXPECT_EQ(ReadFile(path), "plot");
}

TEST(ReportFilesTest, DescribesEachFile) {
  ReportFiles files(ReplaceAnything());
  ASSERT_THAT(files.Add(TempPath("a.md"), "abc"), IsOk());
  ASSERT_EQ(files.descriptions().size(), 1u);
  EXPECT_EQ(files.descriptions()[0].path(), TempPath("a.md"));
  // Source: FIPS 180-4, "abc".
  EXPECT_EQ(files.descriptions()[0].sha256(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(files.descriptions()[0].size_bytes(), 3u);
}

}  // namespace
}  // namespace lockstep
