#include "lib/base/memory_file.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "gtest/gtest.h"
#include "lib/base/subprocess.h"

namespace lockstep {
namespace {

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(MemoryFileTest, HoldsWhatWasAppended) {
  const auto file = MemoryFile::Create("test");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(Read((*file)->path()), "");
  ASSERT_TRUE((*file)->Append("one ").ok());
  ASSERT_TRUE((*file)->Append("two").ok());
  EXPECT_EQ(Read((*file)->path()), "one two");
}

TEST(MemoryFileTest, AChildReadsItByItsPath) {
  const auto file = MemoryFile::Create("test");
  ASSERT_TRUE((*file)->Append("a script").ok());
  const auto exits = RunChildren({{{"/bin/cat", (*file)->path()}, {}, 0}}, absl::Seconds(20));
  EXPECT_EQ((*exits)[0].code, 0);
  EXPECT_EQ(
      (*RunChildren({{{"/bin/sh", "-c", "cat " + (*file)->path() + " >&3"}, {}, 0}}, absl::Seconds(20)))[0].result,
      "a script");
}

TEST(MemoryFileTest, GoesWithItsObject) {
  std::string path;
  {
    const auto file = MemoryFile::Create("test");
    path = (*file)->path();
    EXPECT_EQ(access(path.c_str(), R_OK), 0);
  }
  EXPECT_NE(access(path.c_str(), R_OK), 0);
}

TEST(MemoryFileTest, MoreThanThereIsRoomForIsResourceExhausted) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto file = MemoryFile::Create("test");
  EXPECT_TRUE(absl::IsResourceExhausted((*file)->Append(std::string(1001, 'x'))));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
}

}  // namespace
}  // namespace lockstep
