#include "lib/record/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::unique_ptr<OutputFile> Open(const std::string& path) {
  auto file = OutputFile::Open(path);
  EXPECT_THAT(file, IsOk());
  return file.ok() ? *std::move(file) : nullptr;
}

TEST(OutputFileTest, TheNameAppearsOnlyWhenCommitted) {
  const std::string path = TempPath("a");
  const auto file = Open(path);
  ASSERT_THAT(file->Write({"one ", "", "two"}), IsOk());
  EXPECT_FALSE(FileExists(path));
  ASSERT_THAT(file->Commit(), IsOk());
  EXPECT_EQ(ReadFile(path), "one two");
  EXPECT_FALSE(FileExists(path + ".part"));
}

TEST(OutputFileTest, WhatWasThereIsKeptUntilItIsCut) {
  const std::string path = TempPath("a");
  WriteFile(path + ".part", "kept, and not");
  const auto file = Open(path);
  EXPECT_EQ(ReadFile(path + ".part"), "kept, and not");
  ASSERT_THAT(file->CutTo(4), IsOk());
  ASSERT_THAT(file->Write({"!"}), IsOk());
  ASSERT_THAT(file->Commit(), IsOk());
  EXPECT_EQ(ReadFile(path), "kept!");
}

TEST(OutputFileTest, ReplacedAtOnceAndLockedThroughout) {
  const std::string path = TempPath("a");
  const auto file = Open(path);
  ASSERT_THAT(file->Write({"long enough"}), IsOk());
  WriteFile(path + ".part.part", "of a process that was killed while it replaced, and longer than what comes");
  ASSERT_THAT(file->Replace("new "), IsOk());
  EXPECT_EQ(ReadFile(path + ".part"), "new ");
  EXPECT_FALSE(FileExists(path + ".part.part"));
  EXPECT_THAT(OutputFile::Open(path), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
  ASSERT_THAT(file->Write({"end"}), IsOk());
  ASSERT_THAT(file->Commit(), IsOk());
  EXPECT_EQ(ReadFile(path), "new end");
}

TEST(OutputFileTest, WhatCannotBeReplacedStays) {
  const std::string path = TempPath("a");
  const auto file = Open(path);
  ASSERT_THAT(file->Write({"kept"}), IsOk());
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {100, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = file->Replace(std::string(1000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("make room")));
  EXPECT_EQ(ReadFile(path + ".part"), "kept");
  EXPECT_FALSE(FileExists(path + ".part.part"));
}

TEST(OutputFileTest, TheUmaskSaysWhoMayReadIt) {
  for (const mode_t mask : {mode_t{002}, mode_t{077}}) {
    const std::string path = TempPath(absl::StrCat("mask", mask));
    const mode_t before = umask(mask);
    ASSERT_THAT(WriteWholeFile(path, "text"), IsOk());
    umask(before);
    struct stat info;
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0666 & ~mask);
  }
}

TEST(OutputFileTest, TwoWritersDoNotRace) {
  const std::string path = TempPath("a");
  const auto first = Open(path);
  EXPECT_THAT(OutputFile::Open(path), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
  EXPECT_THAT(WriteWholeFile(path, "text"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
  EXPECT_TRUE(FileExists(path + ".part"));  // it is the first writer's
  ASSERT_THAT(first->Commit(), IsOk());
  EXPECT_THAT(WriteWholeFile(path, "text"), IsOk());
}

TEST(OutputFileTest, APartThatWasRemovedIsSaid) {
  const std::string path = TempPath("a");
  const auto file = Open(path);
  unlink((path + ".part").c_str());
  EXPECT_THAT(file->Commit(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("was removed")));
}

TEST(OutputFileTest, OnlyARegularFileIsReplaced) {
  const std::string folder = TempPath("folder");
  ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
  EXPECT_THAT(OutputFile::Open(folder), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a folder")));
  const std::string pipe = TempPath("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(OutputFile::Open(pipe), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a device or a pipe")));
  const std::string path = TempPath("a");
  ASSERT_EQ(mkfifo((path + ".part").c_str(), 0600), 0);
  EXPECT_THAT(OutputFile::Open(path), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a.part")));
  EXPECT_THAT(OutputFile::Open("/no/such/folder/a"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/no/such/folder")));
}

// Another's file may be what a link at PATH.part points to.
TEST(OutputFileTest, ALinkIsNotWrittenThrough) {
  const std::string path = TempPath("a");
  WriteFile(TempPath("other"), "other");
  ASSERT_EQ(symlink(TempPath("other").c_str(), (path + ".part").c_str()), 0);
  EXPECT_THAT(WriteWholeFile(path, "text"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a.part")));
  EXPECT_EQ(ReadFile(TempPath("other")), "other");
}

// A limit on the size of files stands for a full disk: both fail after some of the bytes.
TEST(OutputFileTest, AFullDiskIsNoFaultOfOurs) {
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const absl::Cleanup restore = [&] {
    setrlimit(RLIMIT_FSIZE, &old_limit);
    std::signal(SIGXFSZ, before);
  };
  const std::string path = TempPath("a");
  WriteFile(path, "as it was");
  const rlimit limit = {1000, old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const absl::Status status = WriteWholeFile(path, std::string(1001, 'x'));
  setrlimit(RLIMIT_FSIZE, &old_limit);
  EXPECT_THAT(status,
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr(path + ".part"), HasSubstr("after 1000 bytes"), HasSubstr("make room"))));
  EXPECT_EQ(ReadFile(path), "as it was");
  EXPECT_FALSE(FileExists(path + ".part"));
}

}  // namespace
}  // namespace lockstep
