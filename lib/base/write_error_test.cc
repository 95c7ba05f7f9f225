#include "lib/base/write_error.h"

#include <cerrno>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

TEST(WriteErrorTest, TheCodeDistinguishesUserFaultsFromOurs) {
  for (const int error : {ENOSPC, EDQUOT, EFBIG, EIO}) {
    EXPECT_THAT(WriteError("f", error), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("f: ")));
  }
  EXPECT_THAT(WriteError("f", EPIPE), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("Broken pipe")));
  EXPECT_THAT(WriteError("f", EACCES), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("Permission denied")));
  EXPECT_THAT(WriteError("f", ENOENT),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the folder must exist")));
  EXPECT_THAT(WriteError("f", EINVAL), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("another --output")));
  EXPECT_THAT(WriteError("f", EBADF), StatusIs(absl::StatusCode::kInternal, HasSubstr("Bad file descriptor")));
}

// Faults of the machine that once ended with exit code 1, internal error.
TEST(WriteErrorTest, AFaultOfTheMachineHasARemedy) {
  for (const int error : {EXDEV, EBUSY, ETXTBSY, ENOSYS, ESTALE, ENOTCONN, ETIMEDOUT, EMFILE, ENFILE, EAGAIN}) {
    EXPECT_THAT(WriteError("f", error), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("; "))) << error;
  }
  EXPECT_THAT(WriteError("f", ENOMEM), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("; ")));
}

}  // namespace
}  // namespace lockstep
