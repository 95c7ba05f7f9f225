#include "lib/record/input_file.h"

#include <fcntl.h>
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

// Returns all bytes of the file, read one by one.
std::string ReadAll(const std::string& path) {
  const absl::StatusOr<InputFile> file = InputFile::Open(path);
  EXPECT_TRUE(file.ok()) << file.status();
  std::string bytes;
  char byte;
  while (file.ok() && file->Read(&byte, 1).value_or(0) == 1) {
    bytes += byte;
  }
  return bytes;
}

TEST(InputFileTest, AFile) {
  const std::string path = TempPath("a_file");
  std::ofstream(path) << "hello";
  EXPECT_EQ(ReadAll(path), "hello");
}

TEST(InputFileTest, TheSizeOfARegularFile) {
  const std::string path = TempPath("a_file");
  std::ofstream(path) << "hello";
  EXPECT_EQ(InputFile::Open(path)->RegularSize().value_or(0), 5);
  EXPECT_FALSE(InputFile::Open("/dev/null")->RegularSize().has_value());
}

TEST(InputFileTest, StandardInputStaysOpen) {
  EXPECT_EQ(InputFile::Open("-")->fd(), STDIN_FILENO);
  EXPECT_GE(fcntl(STDIN_FILENO, F_GETFD), 0);
}

TEST(InputFileTest, AFolderIsRefused) {
  EXPECT_THAT(InputFile::Open("/").status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("/: expected a file, found a folder")));
}

TEST(InputFileTest, AFileThatCannotBeRead) {
  const InputFile folder(OwnedDescriptor(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  char byte;
  const absl::Status error = folder.Read(&byte, 1).status();
  EXPECT_THAT(error, StatusIs(absl::StatusCode::kDataLoss, "reading failed: Is a directory"));
  EXPECT_THAT(NameInReadError("a.rec", error),
              StatusIs(absl::StatusCode::kDataLoss, "a.rec: reading failed: Is a directory"));
}

TEST(InputFileTest, WhatIsNotThere) {
  EXPECT_THAT(InputFile::Open("/no/such/file").status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such/file: cannot open: No such file")));
}

TEST(InputFileTest, AFifoIsReadToItsEnd) {
  const std::string path = Fifo("written_fifo");
  std::thread writer([&path] { std::ofstream(path) << "hello"; });
  EXPECT_EQ(ReadAll(path), "hello");
  writer.join();
}

TEST(InputFileTest, AFifoWhoseWriterWritesNothingIsEmpty) {
  const std::string path = Fifo("empty_fifo");
  std::thread writer([&path] { std::ofstream stream(path); });
  EXPECT_EQ(ReadAll(path), "");
  writer.join();
}

// Must be the last test, because the stop flag stays set.
TEST(InputFileTest, AStopSignalEndsTheWaitForAWriter) {
  InstallStopSignals();
  std::thread sender([waiting = pthread_self()] {
    absl::SleepFor(absl::Milliseconds(300));
    pthread_kill(waiting, SIGTERM);
  });
  EXPECT_THAT(InputFile::Open(Fifo("fifo_without_a_writer")).status(),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("SIGTERM")));
  sender.join();
  EXPECT_THAT(InputFile::Open(Fifo("fifo_opened_after_it")).status(),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("SIGTERM")));
}

}  // namespace
}  // namespace lockstep
