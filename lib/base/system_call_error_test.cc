#include "lib/base/system_call_error.h"

#include <cerrno>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(SystemCallErrorTest, ALimitNamesItsRemedy) {
  const auto unavailable = absl::StatusCode::kUnavailable;
  EXPECT_THAT(SystemCallError("pipe", EMFILE),
              StatusIs(unavailable, AllOf(HasSubstr("pipe: "), HasSubstr("ulimit -n"))));
  EXPECT_THAT(SystemCallError("pipe", ENFILE), StatusIs(unavailable, HasSubstr("fs.file-max")));
  EXPECT_THAT(SystemCallError("fork", EAGAIN), StatusIs(unavailable, HasSubstr("ulimit -u")));
  EXPECT_THAT(SystemCallError("fork", ENOMEM),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("free memory")));
}

TEST(SystemCallErrorTest, ARefusalIsUnavailable) {
  for (const int error : {ENOSYS, EPERM, EIO, ENODEV, ENETDOWN}) {
    EXPECT_THAT(SystemCallError("memfd_create", error),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("memfd_create: ")))
        << error;
  }
}

TEST(SystemCallErrorTest, AMistakeOfThisProgramIsInternal) {
  for (const int error : {EBADF, EFAULT, EINVAL, ECHILD}) {
    EXPECT_THAT(SystemCallError("read", error), StatusIs(absl::StatusCode::kInternal, HasSubstr("read: "))) << error;
  }
}

}  // namespace
}  // namespace lockstep
