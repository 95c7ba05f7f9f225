#include "lib/base/oom_kills.h"

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// A machine whose /proc and /sys hold only the files that a test writes.
class CountOomKillsTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(root_); }
  void Put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  const std::string root_ = ::testing::TempDir() + "/oom_kills";
};

TEST_F(CountOomKillsTest, NoneWhereNothingCounts) { EXPECT_EQ(CountOomKills(root_), 0u); }

TEST_F(CountOomKillsTest, OfTheMachineWhereTheCgroupShowsNone) {
  Put("/proc/self/cgroup", "4:memory:/jobs/7\n0::/\n");
  Put("/proc/vmstat", "pgfault 12\noom_kill 3\ndrop_pagecache 1\n");
  EXPECT_EQ(CountOomKills(root_), 3u);
}

TEST_F(CountOomKillsTest, OfTheCgroupOfVersion2) {
  Put("/proc/self/cgroup", "0::/jobs/7\n");
  Put("/proc/vmstat", "oom_kill 3\n");
  Put("/sys/fs/cgroup/jobs/7/memory.events", "low 0\nhigh 0\nmax 9\noom 5\noom_kill 2\noom_group_kill 1\n");
  EXPECT_EQ(CountOomKills(root_), 2u);
}

TEST_F(CountOomKillsTest, OfTheCgroupOfVersion1) {
  Put("/proc/self/cgroup", "5:cpu,cpuacct:/other\n4:memory:/jobs/7\n");
  Put("/sys/fs/cgroup/memory/jobs/7/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
  EXPECT_EQ(CountOomKills(root_), 4u);
}

TEST_F(CountOomKillsTest, OfAContainersCgroupAtTheRootOfTheMount) {
  Put("/proc/self/cgroup", "0::/docker/0123\n");
  Put("/sys/fs/cgroup/memory.events", "oom_kill 6\n");
  EXPECT_EQ(CountOomKills(root_), 6u);
}

}  // namespace
}  // namespace lockstep
