#include "lib/base/existing_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;

TEST(ExistingFileTest, AFileWithBytes) {
  const std::string path = TempPath("file");
  WriteFile(path, "hello");
  EXPECT_TRUE(IsRegularFile(path));
  EXPECT_TRUE(HasBytes(path));
  EXPECT_EQ(StartOfFile(path, 4), "hell");
  EXPECT_EQ(StartOfFile(path, 100), "hello");
}

TEST(ExistingFileTest, AnEmptyFile) {
  const std::string path = TempPath("empty");
  WriteFile(path, "");
  EXPECT_TRUE(IsRegularFile(path));
  EXPECT_FALSE(HasBytes(path));
  EXPECT_EQ(StartOfFile(path, 4), "");
}

TEST(ExistingFileTest, NoRegularFile) {
  const std::string fifo = TempPath("fifo");
  std::remove(fifo.c_str());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {TempPath("none"), std::string("/"), fifo}) {
    EXPECT_FALSE(IsRegularFile(path)) << path;
    EXPECT_FALSE(HasBytes(path)) << path;
    EXPECT_EQ(StartOfFile(path, 4), "") << path;
  }
}

TEST(ExistingFileTest, AnotherNameIsTheSameFile) {
  const std::string file = TempPath("same"), link = TempPath("link"), other = TempPath("other");
  WriteFile(file, "bytes");
  WriteFile(other, "bytes");
  std::remove(link.c_str());
  ASSERT_EQ(symlink(file.c_str(), link.c_str()), 0);
  EXPECT_TRUE(IsSameFile(file, file));
  EXPECT_TRUE(IsSameFile(file, link));
  EXPECT_FALSE(IsSameFile(file, other));
  EXPECT_FALSE(IsSameFile(TempPath("none"), TempPath("none")));
}

}  // namespace
}  // namespace lockstep
