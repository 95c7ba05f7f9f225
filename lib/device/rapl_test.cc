#include "lib/device/rapl.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/path.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Folder like /sys/class/powercap of a host with two packages.
class RaplCounterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    AddZone("intel-rapl:0", "package-0");
    AddZone("intel-rapl:1", "package-1");
    AddZone("intel-rapl:0:0", "core");
    Set("intel-rapl:0", "9000000");
    Set("intel-rapl:1", "1000000");
    Set("intel-rapl:0:0", "5000000");
  }
  void AddZone(const std::string& zone, const std::string& name) {
    const std::string folder = JoinPath(root_, zone);
    std::filesystem::create_directories(folder);
    testing::WriteFile(JoinPath(folder, "name"), name + "\n");
    testing::WriteFile(JoinPath(folder, "max_energy_range_uj"), "10000000\n");
  }
  void Set(const std::string& zone, const std::string& microjoules) {
    testing::WriteFile(JoinPath(JoinPath(root_, zone), "energy_uj"), microjoules + "\n");
  }
  const std::string root_ = testing::TempPath("powercap");
};

TEST_F(RaplCounterTest, AddsThePackagesSinceTheFirstCall) {
  RaplCounter counter(root_);
  EXPECT_DOUBLE_EQ(counter.ReadJoules().value(), 0);
  Set("intel-rapl:0", "9500000");
  Set("intel-rapl:1", "3000000");
  Set("intel-rapl:0:0", "9000000");  // part of package 0, not counted twice
  EXPECT_DOUBLE_EQ(counter.ReadJoules().value(), 2.5);
}

TEST_F(RaplCounterTest, AFullCounterRestartsAtZero) {
  RaplCounter counter(root_);
  EXPECT_DOUBLE_EQ(counter.ReadJoules().value(), 0);
  Set("intel-rapl:0", "2000000");  // 1 J up to the range of 10 J, and 2 J more
  EXPECT_DOUBLE_EQ(counter.ReadJoules().value(), 3);
}

TEST_F(RaplCounterTest, ACounterThatMayNotBeReadIsNamed) {
  Set("intel-rapl:1", "");  // text of a file without permission
  EXPECT_THAT(RaplCounter(root_).ReadJoules(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("intel-rapl:1/energy_uj cannot be read; only root")));
}

TEST_F(RaplCounterTest, AHostWithoutPackagesIsReported) {
  EXPECT_THAT(RaplCounter(JoinPath(root_, "missing")).ReadJoules(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no energy counter (RAPL)")));
}

}  // namespace
}  // namespace lockstep
