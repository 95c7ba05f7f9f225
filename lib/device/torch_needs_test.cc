#include "lib/device/torch_needs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Restores the working folder, which a test changes.
class TorchNeedsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(getcwd(before_, sizeof(before_)), nullptr); }
  void TearDown() override { ASSERT_EQ(chdir(before_), 0); }

 private:
  char before_[4096] = "";
};

TEST_F(TorchNeedsTest, NothingIsMissingHere) { EXPECT_THAT(CheckTorchNeeds(), IsOk()); }

TEST_F(TorchNeedsTest, deleted_cwd) {
  const std::string folder = testing::TempPath("gone");
  ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
  ASSERT_EQ(chdir(folder.c_str()), 0);
  ASSERT_EQ(rmdir(folder.c_str()), 0);
  EXPECT_THAT(CheckTorchNeeds(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected a working folder")));
}

// The path is longer than 4 KB, so it can be entered only folder by folder.
TEST_F(TorchNeedsTest, cwd_of_4_KB) {
  const std::string root = testing::TempPath("long");
  ASSERT_EQ(mkdir(root.c_str(), 0755), 0);
  ASSERT_EQ(chdir(root.c_str()), 0);
  const std::string step(250, 'x');
  constexpr int kSteps = 17;
  for (int i = 0; i < kSteps; ++i) {
    ASSERT_EQ(mkdir(step.c_str(), 0755), 0);
    ASSERT_EQ(chdir(step.c_str()), 0);
  }
  EXPECT_THAT(CheckTorchNeeds(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("4096 bytes")));
  for (int i = 0; i < kSteps; ++i) {
    ASSERT_EQ(chdir(".."), 0);
    ASSERT_EQ(rmdir(step.c_str()), 0);
  }
}

TEST_F(TorchNeedsTest, AVariableThatOpenMpDoesNotKnowIsNamed) {
  setenv("OMP_NUM_THREADS", "many", 1);
  EXPECT_THAT(CheckTorchNeeds(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("OMP_NUM_THREADS=many")));
  unsetenv("OMP_NUM_THREADS");
}

}  // namespace
}  // namespace lockstep
