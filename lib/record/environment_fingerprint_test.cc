#include "lib/record/environment_fingerprint.h"

#include <sched.h>

#include <cstdlib>
#include <string>
#include <vector>

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

TEST(EnvironmentFingerprintTest, RecordsOnlyWhitelistedVariables) {
  setenv("NCCL_DEBUG", "INFO", 1);
  setenv("SOME_PASSWORD", "secret", 1);
  EXPECT_THAT(RecordedEnvironment(), Contains(Pair("NCCL_DEBUG", "INFO")));
  EXPECT_THAT(RecordedEnvironment(), Not(Contains(Key("SOME_PASSWORD"))));
  unsetenv("NCCL_DEBUG");
  unsetenv("SOME_PASSWORD");
}

TEST(EnvironmentFingerprintTest, ChangesWithWhatCanChangeAResult) {
  const std::string before = EnvironmentFingerprint();
  for (const char* name :
       {"NCCL_P2P_DISABLE", "LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_VISIBLE_DEVICES", "OMP_PROC_BIND", "KMP_AFFINITY",
        "GOMP_CPU_AFFINITY", "DNNL_MAX_CPU_ISA", "ONEDNN_VERBOSE", "MKL_CBWR", "LOCKSTEP_HOST_OF_RANK"}) {
    const char* old = std::getenv(name);
    const std::string kept = old == nullptr ? "" : old;
    setenv(name, "another", 1);
    EXPECT_NE(EnvironmentFingerprint(), before) << name;
    old == nullptr ? unsetenv(name) : setenv(name, kept.c_str(), 1);
  }
  EXPECT_EQ(EnvironmentFingerprint(), before);
}

// Changes the core but not the number of cores, like `taskset`.
TEST(EnvironmentFingerprintTest, ChangesWithTheCores) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  std::vector<std::string> lists, digests;
  for (int core = 0; core < CPU_SETSIZE && lists.size() < 2; ++core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (CPU_ISSET(core, &all) && sched_setaffinity(0, sizeof(one), &one) == 0) {
      lists.push_back(DescribeHost().cpu_list());
      digests.push_back(EnvironmentFingerprint());
      EXPECT_EQ(lists.back(), std::to_string(core));
      EXPECT_EQ(DescribeHost().cpu_cores(), 1u);
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
  if (lists.size() < 2) {
    GTEST_SKIP() << "a machine of one core";
  }
  EXPECT_NE(digests[0], digests[1]);
  EXPECT_NE(digests[0], EnvironmentFingerprint());
}

TEST(EnvironmentFingerprintTest, DoesNotChangeWithTheJobNumber) {
  const std::string before = EnvironmentFingerprint();
  setenv("SLURM_JOB_ID", "17", 1);
  EXPECT_EQ(EnvironmentFingerprint(), before);
  unsetenv("SLURM_JOB_ID");
}

TEST(EnvironmentFingerprintTest, ListsTheLoadedLibraries) {
  bool libc = false;
  for (const proto::LoadedFile& file : LoadedFiles()) {
    EXPECT_THAT(file.path(), ::testing::StartsWith("/"));
    EXPECT_GT(file.size_bytes(), 0u) << file.path();
    EXPECT_GT(file.modified_ns(), 0) << file.path();
    libc = libc || file.path().find("/libc.so") != std::string::npos;
  }
  EXPECT_TRUE(libc);
}

TEST(EnvironmentFingerprintTest, DescribesAFileAndItsAbsence) {
  const std::string path = TempPath("file");
  EXPECT_EQ(DescribeFile(path).size_bytes(), 0u);
  WriteFile(path, "abc");
  EXPECT_EQ(DescribeFile(path).size_bytes(), 3u);
}

}  // namespace
}  // namespace lockstep
