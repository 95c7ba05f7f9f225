#include "lib/record/surroundings.h"

#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

TEST(SurroundingsTest, RecordsOnlyWhitelistedVariables) {
  setenv("NCCL_DEBUG", "INFO", 1);
  setenv("SOME_PASSWORD", "secret", 1);
  EXPECT_THAT(RecordedEnvironment(), Contains(Pair("NCCL_DEBUG", "INFO")));
  EXPECT_THAT(RecordedEnvironment(), Not(Contains(Key("SOME_PASSWORD"))));
  unsetenv("NCCL_DEBUG");
  unsetenv("SOME_PASSWORD");
}

TEST(SurroundingsTest, ChangeWithWhatCanChangeAResult) {
  const std::string before = SurroundingsSha256();
  for (const char* name :
       {"NCCL_P2P_DISABLE", "LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_VISIBLE_DEVICES"}) {
    const char* old = std::getenv(name);
    const std::string kept = old == nullptr ? "" : old;
    setenv(name, "another", 1);
    EXPECT_NE(SurroundingsSha256(), before) << name;
    old == nullptr ? unsetenv(name) : setenv(name, kept.c_str(), 1);
  }
  EXPECT_EQ(SurroundingsSha256(), before);
}

TEST(SurroundingsTest, DoNotChangeWithTheJobNumber) {
  const std::string before = SurroundingsSha256();
  setenv("SLURM_JOB_ID", "17", 1);
  EXPECT_EQ(SurroundingsSha256(), before);
  unsetenv("SLURM_JOB_ID");
}

TEST(SurroundingsTest, ListTheLoadedLibraries) {
  bool libc = false;
  for (const proto::LoadedFile& file : LoadedFiles()) {
    EXPECT_THAT(file.path(), ::testing::StartsWith("/"));
    EXPECT_GT(file.size_bytes(), 0u) << file.path();
    EXPECT_GT(file.modified_ns(), 0) << file.path();
    libc = libc || file.path().find("/libc.so") != std::string::npos;
  }
  EXPECT_TRUE(libc);
}

TEST(SurroundingsTest, DescribeAFileAndItsAbsence) {
  const std::string path = TempPath("file");
  EXPECT_EQ(DescribeFile(path).size_bytes(), 0u);
  WriteFile(path, "abc");
  EXPECT_EQ(DescribeFile(path).size_bytes(), 3u);
}

}  // namespace
}  // namespace lockstep
