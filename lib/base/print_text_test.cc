#include "lib/base/print_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Returns the status of PrintToStdout while `fd` is standard output; a negative `fd` closes standard output.
absl::Status PrintInto(int fd, const std::string& text) {
  const int before = dup(STDOUT_FILENO);
  fd < 0 ? close(STDOUT_FILENO) : dup2(fd, STDOUT_FILENO);
  const absl::Status status = PrintToStdout(text);
  dup2(before, STDOUT_FILENO);
  close(before);
  return status;
}

TEST(PrintTextTest, AllOfItIsThereWhenItReturns) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_THAT(PrintInto(ends[1], "one\ntwo"), IsOk());
  char bytes[16];
  EXPECT_EQ(std::string(bytes, static_cast<size_t>(read(ends[0], bytes, sizeof(bytes)))), "one\ntwo");
  close(ends[0]);
  close(ends[1]);
}

TEST(PrintTextTest, ControlCharactersAreShown) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_THAT(PrintInto(ends[1], "{\"a\": \"\u202E\"}\n\x1B[2J\tb\r\n"), IsOk());
  char bytes[64];
  EXPECT_EQ(std::string(bytes, static_cast<size_t>(read(ends[0], bytes, sizeof(bytes)))),
            "{\"a\": \"\\u202e\"}\n\\x1b[2J\tb\r\n");
  close(ends[0]);
  close(ends[1]);
}

TEST(PrintTextTest, AFullDiskIsReported) {
  const int full = open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  EXPECT_THAT(PrintInto(full, "text"), StatusIs(absl::StatusCode::kResourceExhausted,
                                                HasSubstr("standard output: cannot write: No space left")));
  close(full);
}

TEST(PrintTextTest, AReaderThatIsGoneIsReported) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const absl::Cleanup restore = [&] { std::signal(SIGPIPE, before); };
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_THAT(PrintInto(ends[1], "text"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("Broken pipe")));
  close(ends[1]);
}

TEST(PrintTextTest, AClosedDescriptorIsReported) {
  EXPECT_THAT(PrintInto(-1, "text"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("is closed")));
}

}  // namespace
}  // namespace lockstep
