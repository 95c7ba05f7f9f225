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

TEST(ReadWholeFileTest, AllOfIt) {
  const std::string path = TempPath("three_blocks");
  const std::string bytes(600'000, 'x');
  std::ofstream(path) << bytes;
  EXPECT_EQ(*ReadWholeFile(path), bytes);
  std::ofstream(path, std::ios::trunc).flush();
  EXPECT_EQ(*ReadWholeFile(path), "");
}

TEST(ReadWholeFileTest, WhatIsNotThereOrNoFile) {
  EXPECT_THAT(ReadWholeFile("/no/such/file"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such/file: cannot open: No such file")));
  EXPECT_THAT(ReadWholeFile("/tmp"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("/tmp: cannot read: Is a directory")));
}

TEST(ReadWholeFileTest, AFifoIsReadToItsEnd) {
  const std::string path = Fifo("written_fifo");
  std::thread writer([&path] { std::ofstream(path) << "hello"; });
  EXPECT_EQ(*ReadWholeFile(path), "hello");
  writer.join();
}

TEST(ReadWholeFileTest, AFifoWhoseWriterHasNothingToSayIsEmpty) {
  const std::string path = Fifo("empty_fifo");
  std::thread writer([&path] { std::ofstream stream(path); });
  EXPECT_EQ(*ReadWholeFile(path), "");
  writer.join();
}

// The last test: the flag stays.
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
