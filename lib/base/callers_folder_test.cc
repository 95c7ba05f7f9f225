#include "lib/base/callers_folder.h"

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
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string WorkingFolder() {
  char folder[4096] = "";
  return getcwd(folder, sizeof(folder)) == nullptr ? "" : folder;
}

TEST(CallersFolderTest, EntersTheFolderThatIsNamed) {
  const std::string before = WorkingFolder();
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_THAT(EnterCallersFolder(), IsOk());
  EXPECT_EQ(WorkingFolder(), before);
  setenv("BUILD_WORKING_DIRECTORY", "/", 1);
  EXPECT_THAT(EnterCallersFolder(), IsOk());
  EXPECT_EQ(WorkingFolder(), "/");
  ASSERT_EQ(chdir(before.c_str()), 0);
}

TEST(CallersFolderTest, build_working_directory_wrong) {
  setenv("BUILD_WORKING_DIRECTORY", "/nonexistent", 1);
  EXPECT_THAT(EnterCallersFolder(),
              StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("BUILD_WORKING_DIRECTORY=/nonexistent"),
                                                                 HasSubstr("No such file"), HasSubstr("unset"))));
}

}  // namespace
}  // namespace lockstep
