#include "lib/record/cgroup_limits.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Fixture with a folder that stands in for a machine's /proc and /sys.
class CgroupLimitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = TempPath("root");
    std::filesystem::remove_all(root_);
  }

  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    WriteFile(root_ + path, text);
  }

  std::string root_;
};

TEST_F(CgroupLimitsTest, OfVersion2AndTheGroupsAround) {
  Write("/proc/self/cgroup", "0::/job_17/step\n");
  Write("/sys/fs/cgroup/job_17/step/cpu.max", "200000 100000\n");
  Write("/sys/fs/cgroup/job_17/step/memory.max", "max\n");
  Write("/sys/fs/cgroup/job_17/memory.max", "8589934592\n");
  Write("/sys/fs/cgroup/job_17/cpu.max", "max 100000\n");
  EXPECT_THAT(CgroupLimits(root_), ElementsAre("cpu.max=200000 100000", "memory.max=8589934592"));
}

TEST_F(CgroupLimitsTest, OfVersion1) {
  Write("/proc/self/cgroup", "4:memory:/docker/5f\n2:cpu,cpuacct:/docker/5f\n1:name=systemd:/docker/5f\n");
  Write("/sys/fs/cgroup/memory/docker/5f/memory.limit_in_bytes", "1073741824\n");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  Write("/sys/fs/cgroup/cpu,cpuacct/docker/5f/cpu.cfs_quota_us", "150000\n");
  Write("/sys/fs/cgroup/cpu,cpuacct/docker/5f/cpu.cfs_period_us", "100000\n");
  Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_THAT(CgroupLimits(root_), ElementsAre("memory.limit_in_bytes=1073741824", "cpu.cfs_quota_us=150000 100000"));
}

// The path in /proc/self/cgroup is the host's; the container's own group is mounted.
TEST_F(CgroupLimitsTest, OfAContainerThatCannotSeeItsPath) {
  Write("/proc/self/cgroup", "0::/../../kubepods/pod/5f\n");
  Write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_THAT(CgroupLimits(root_), ElementsAre("cpu.max=50000 100000"));
}

TEST_F(CgroupLimitsTest, OfVersion2NextToVersion1) {
  Write("/proc/self/cgroup", "0::/user\n");
  Write("/sys/fs/cgroup/unified/cgroup.controllers", "cpu\n");
  Write("/sys/fs/cgroup/unified/user/cpu.max", "1000 2000\n");
  EXPECT_THAT(CgroupLimits(root_), ElementsAre("cpu.max=1000 2000"));
}

TEST_F(CgroupLimitsTest, NothingWithoutALimit) {
  EXPECT_THAT(CgroupLimits(root_), IsEmpty());
  Write("/proc/self/cgroup", "nonsense\n0:\n0::\n0::/gone\n");
  EXPECT_THAT(CgroupLimits(root_), IsEmpty());
}

}  // namespace
}  // namespace lockstep
