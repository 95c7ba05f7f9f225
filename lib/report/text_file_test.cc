#include "lib/report/text_file.h"

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
using ::testing::HasSubstr;

TEST(TextFileTest, ReplacesWhatWasThere) {
  const std::string path = TempPath("a.md");
  ASSERT_THAT(WriteTextFile(path, "a longer first text"), IsOk());
  ASSERT_THAT(WriteTextFile(path, "second"), IsOk());
  EXPECT_EQ(ReadFile(path), "second");
  EXPECT_FALSE(FileExists(path + ".part"));
}

TEST(TextFileTest, AMissingFolderIsNotFound) {
  EXPECT_THAT(WriteTextFile("/no/such/folder/a.md", ""),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such/folder")));
}

TEST(TextFileTest, DescribesTheFile) {
  const auto file = WriteTextFile(TempPath("a.md"), "abc");
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->path(), TempPath("a.md"));
  // FIPS 180-4, "abc".
  EXPECT_EQ(file->sha256(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(file->size_bytes(), 3u);
}

TEST(TextFileTest, AFolderIsNotReplaced) {
  const std::string path = TempPath("folder");
  ASSERT_EQ(mkdir(path.c_str(), 0755), 0);
  EXPECT_THAT(WriteTextFile(path, "text"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a folder")));
  EXPECT_FALSE(FileExists(path + ".part"));
}

}  // namespace
}  // namespace lockstep
