#include "lib/record/open_input.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/stop_signal.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::testing::HasSubstr;

std::string Fifo(const std::string& name) {
  const std::string path = TempPath(name);
  std::remove(path.c_str());
  EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
  return path;
}

// Returns all bytes that can be read from OpenInput's descriptor.
std::string ReadAll(const std::string& path) {
  const absl::StatusOr<int> fd = OpenInput(path);
  EXPECT_TRUE(fd.ok()) << fd.status();
  std::string bytes;
  char byte;
  while (fd.ok() && read(*fd, &byte, 1) == 1) {
    bytes += byte;
  }
  close(fd.value_or(-1));
  return bytes;
}

TEST(OpenInputTest, AFile) {
  const std::string path = TempPath("a_file");
  std::ofstream(path) << "hello";
  EXPECT_EQ(ReadAll(path), "hello");
}

TEST(OpenInputTest, WhatIsNotThere) {
  EXPECT_THAT(OpenInput("/no/such/file"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such/file: cannot open: No such file")));
}

TEST(OpenInputTest, AFifoIsReadToItsEnd) {
  const std::string path = Fifo("written_fifo");
  std::thread writer([&path] { std::ofstream(path) << "hello"; });
  EXPECT_EQ(ReadAll(path), "hello");
  writer.join();
}

TEST(OpenInputTest, AFifoWhoseWriterWritesNothingIsEmpty) {
  const std::string path = Fifo("empty_fifo");
  std::thread writer([&path] { std::ofstream stream(path); });
  EXPECT_EQ(ReadAll(path), "");
  writer.join();
}

// Must be the last test, because the stop flag stays set.
TEST(OpenInputTest, AStopSignalEndsTheWaitForAWriter) {
  InstallStopSignals();
  std::thread sender([waiting = pthread_self()] {
    absl::SleepFor(absl::Milliseconds(300));
    pthread_kill(waiting, SIGTERM);
  });
  EXPECT_THAT(OpenInput(Fifo("fifo_without_a_writer")), StatusIs(absl::StatusCode::kCancelled, HasSubstr("SIGTERM")));
  sender.join();
  EXPECT_THAT(OpenInput(Fifo("fifo_opened_after_it")), StatusIs(absl::StatusCode::kCancelled, HasSubstr("SIGTERM")));
}

}  // namespace
}  // namespace lockstep
