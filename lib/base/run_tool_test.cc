#include "lib/base/run_tool.h"

#include <cerrno>
#include <limits>
#include <new>
#include <string>
#include <system_error>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(RunToolTest, TheStatusBecomesTheExitCode) {
  EXPECT_EQ(RunTool("tool", [] { return absl::OkStatus(); }), 0);
  EXPECT_EQ(RunTool("tool", [] { return absl::NotFoundError("x"); }), 3);
}

TEST(RunToolTest, MemoryThatRanOutIsOneLine) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(RunTool("tool", []() -> absl::Status { throw std::bad_alloc(); }), 5);
  const std::string line = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(line, HasSubstr("tool: error: out of memory"));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(RunToolTest, SoIsATextLargerThanAnyMemory) {
  EXPECT_EQ(RunTool("tool",
                    []() -> absl::Status {
                      std::string text;
                      text.resize(std::numeric_limits<size_t>::max());
                      return absl::OkStatus();
                    }),
            5);
}

struct SystemError {
  int error;
  int exit_code;
  const char* says;
};

TEST(RunToolTest, AnErrorOfTheSystemIsOneLine) {
  for (const SystemError& one :
       {SystemError{EAGAIN, 5, "ulimit -u"}, SystemError{EMFILE, 5, "ulimit -n"}, SystemError{ENFILE, 5, "ulimit -n"},
        SystemError{ENOMEM, 5, "out of memory"}, SystemError{EINVAL, 1, "Invalid argument"}}) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(
        RunTool("tool", [&one]() -> absl::Status { throw std::system_error(one.error, std::generic_category(), "a"); }),
        one.exit_code);
    const std::string line = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(line, AllOf(StartsWith("tool: error: "), HasSubstr(one.says)));
    EXPECT_EQ(line.find('\n'), line.size() - 1);
  }
}

}  // namespace
}  // namespace lockstep
