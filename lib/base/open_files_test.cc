#include "lib/base/open_files.h"

#include <sys/resource.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

uint64_t SoftLimit() {
  rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

TEST(OpenFilesTest, ASoftLimitIsRaisedAsFarAsNeeded) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low = {10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_THAT(EnsureOpenFiles(8), IsOk());
  EXPECT_EQ(SoftLimit(), 10u);
  EXPECT_THAT(EnsureOpenFiles(100), IsOk());
  EXPECT_EQ(SoftLimit(), 100u);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

// Death test, because a lowered hard limit cannot be raised again.
TEST(OpenFilesDeathTest, rlimit_nofile_12_names_the_number_needed) {
  EXPECT_EXIT(
      {
        rlimit low;
        low.rlim_cur = low.rlim_max = 12;
        setrlimit(RLIMIT_NOFILE, &low);
        const absl::Status status = EnsureOpenFiles(80);
        _exit(::testing::Value(status, StatusIs(absl::StatusCode::kUnavailable,
                                                AllOf(HasSubstr("at least 80 open files"), HasSubstr("found 12;"),
                                                      HasSubstr("ulimit -n 80"))))
                  ? 0
                  : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lockstep
