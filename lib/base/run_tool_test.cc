#include "lib/base/run_tool.h"

#include <limits>
#include <new>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

TEST(RunToolTest, TheStatusBecomesTheExitCode) {
  EXPECT_EQ(RunTool("tool", [] { return absl::OkStatus(); }), 0);
  EXPECT_EQ(RunTool("tool", [] { return absl::NotFoundError("x"); }), 3);
}

TEST(RunToolTest, MemoryThatRanOutIsOneLine) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(RunTool("tool", []() -> absl::Status { throw std::bad_alloc(); }), 5);
  const std::string line = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(line, HasSubstr("tool: error: memory ran out"));
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

}  // namespace
}  // namespace lockstep
