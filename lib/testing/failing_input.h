// Standard input that gives some bytes and then fails, like a damaged disk. Test-only.
//
// It is a pseudoterminal whose other end is closed: data from that end can still be read, then read(2) fails with EIO
// (pty(7)).
#ifndef LOCKSTEP_LIB_TESTING_FAILING_INPUT_H_
#define LOCKSTEP_LIB_TESTING_FAILING_INPUT_H_

#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <string>

#include "gtest/gtest.h"

namespace lockstep::testing {

// Replaces standard input during its lifetime.
class FailingInput {
 public:
  // `bytes` may have at most 2 KiB, the amount that a terminal buffers without a reader.
  explicit FailingInput(const std::string& bytes) : stdin_(dup(STDIN_FILENO)) {
    const int reader = posix_openpt(O_RDWR | O_NOCTTY);
    EXPECT_TRUE(reader >= 0 && grantpt(reader) == 0 && unlockpt(reader) == 0);
    const int writer = open(ptsname(reader), O_RDWR | O_NOCTTY);
    termios mode;
    EXPECT_EQ(tcgetattr(writer, &mode), 0);
    cfmakeraw(&mode);  // no conversion of bytes
    EXPECT_EQ(tcsetattr(writer, TCSANOW, &mode), 0);
    EXPECT_EQ(write(writer, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(writer);
    dup2(reader, STDIN_FILENO);
    close(reader);
  }

  ~FailingInput() {
    dup2(stdin_, STDIN_FILENO);
    close(stdin_);
  }
  FailingInput(const FailingInput&) = delete;
  FailingInput& operator=(const FailingInput&) = delete;

 private:
  const int stdin_;
};

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_TESTING_FAILING_INPUT_H_
