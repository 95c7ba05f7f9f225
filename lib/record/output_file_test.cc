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
  auto file = OutputFile::Open(path, ReplaceAnything());
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
  WriteFile(path + ".part.part", "precious");
  ASSERT_THAT(file->Replace("new "), IsOk());
  EXPECT_EQ(ReadFile(path + ".part"), "new ");
  EXPECT_EQ(ReadFile(path + ".part.part"), "precious");
  EXPECT_THAT(OutputFile::Open(path, ReplaceAnything()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
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
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("free some space")));
  EXPECT_EQ(ReadFile(path + ".part"), "kept");
}

TEST(OutputFileTest, TheUmaskDecidesWhoMayReadIt) {
  for (const mode_t mask : {mode_t{002}, mode_t{077}}) {
    const std::string path = TempPath(absl::StrCat("mask", mask));
    const mode_t before = umask(mask);
    ASSERT_THAT(WriteWholeFile(path, "text", ReplaceAnything()), IsOk());
    umask(before);
    struct stat info;
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0666 & ~mask);
  }
}

TEST(OutputFileTest, TwoWritersDoNotRace) {
  const std::string path = TempPath("a");
  const auto first = Open(path);
  EXPECT_THAT(OutputFile::Open(path, ReplaceAnything()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
  EXPECT_TRUE(FileExists(path + ".part"));  // file of the first writer
  ASSERT_THAT(first->Commit(), IsOk());
  EXPECT_THAT(OutputFile::Open(path, ReplaceAnything()), IsOk());
}

TEST(OutputFileTest, APartThatWasRemovedIsReported) {
  const std::string path = TempPath("a");
  const auto file = Open(path);
  unlink((path + ".part").c_str());
  EXPECT_THAT(file->CheckPart(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("was removed")));
  EXPECT_THAT(file->Commit(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("was removed")));
}

TEST(OutputFileTest, part_removed_then_another_run_whose_journal_the_first_renames) {
  const std::string path = TempPath("a");
  const auto first = Open(path);
  ASSERT_THAT(first->Write({"of the first run"}), IsOk());
  unlink((path + ".part").c_str());
  const auto second = Open(path);
  ASSERT_THAT(second->Write({"unfinished, of the second"}), IsOk());
  EXPECT_THAT(first->Commit(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another run's file")));
  EXPECT_THAT(first->Replace("anything"), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another run's")));
  first->Discard();
  EXPECT_FALSE(FileExists(path));
  EXPECT_EQ(ReadFile(path + ".part"), "unfinished, of the second");
  ASSERT_THAT(second->Commit(), IsOk());
  EXPECT_EQ(ReadFile(path), "unfinished, of the second");
}

// A file that appears at PATH after the rule was evaluated must not be replaced, in either way of writing.
TEST(OutputFileTest, WhatComesToThePathMeanwhileStays) {
  for (const bool was_there : {false, true}) {
    for (const bool journal : {false, true}) {
      const std::string path = TempPath(absl::StrCat("a", was_there, journal));
      if (was_there) {
        WriteFile(path, "old");
      }
      const auto opened =
          journal ? OutputFile::Open(path, ReplaceAnything()) : OutputFile::OpenUnnamed(path, ReplaceAnything());
      ASSERT_THAT(opened, IsOk());
      ASSERT_THAT((*opened)->Write({"new"}), IsOk());
      WriteFile(path, "precious");
      EXPECT_THAT((*opened)->Commit(),
                  StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another program wrote this file")));
      EXPECT_EQ(ReadFile(path), "precious");
    }
  }
}

TEST(OutputFileTest, WhatTheRuleRefusesStaysAndNothingIsLeftBehind) {
  const std::string path = TempPath("a");
  WriteFile(path, "precious");
  EXPECT_THAT(OutputFile::Open(path, ReplaceNothing()),
              StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("exists already"), HasSubstr("--force"))));
  EXPECT_FALSE(FileExists(path + ".part"));
  EXPECT_THAT(WriteWholeFile(path, "text", ReplaceNothing()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("exists already")));
  WriteFile(path + ".part", "");
  EXPECT_THAT(OutputFile::Open(path, ReplaceNothing()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("exists already")));
  EXPECT_TRUE(FileExists(path + ".part"));
  EXPECT_EQ(ReadFile(path), "precious");
}

// The rule is evaluated under the lock: a second writer is refused before its rule is evaluated.
TEST(OutputFileTest, other_command_ends_between_the_look_and_the_lock) {
  const std::string path = TempPath("a");
  const auto first = OutputFile::Open(path, ReplaceNothing());  // the rule was evaluated: no file is there
  ASSERT_THAT(first, IsOk());
  int asked = 0;
  const ReplaceRule counted = [&](const ReplacedOutput& output) {
    ++asked;
    return ReplaceNothing()(output);
  };
  EXPECT_THAT(OutputFile::Open(path, counted),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
  EXPECT_EQ(asked, 0);
  ASSERT_THAT((*first)->Write({"of the first"}), IsOk());
  ASSERT_THAT((*first)->Commit(), IsOk());
  EXPECT_THAT(OutputFile::Open(path, counted),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("exists already")));
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(ReadFile(path), "of the first");
}

TEST(OutputFileTest, AFileWithoutANameLeavesNothingWhenItIsGivenUp) {
  const std::string folder = TempPath("folder");
  ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
  {
    const auto file = OutputFile::OpenUnnamed(folder + "/a", ReplaceAnything());
    ASSERT_THAT(file, IsOk());
    ASSERT_THAT((*file)->Write({"text"}), IsOk());
  }
  EXPECT_EQ(rmdir(folder.c_str()), 0);  // the folder is empty
}

mode_t ModeOf(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

TEST(OutputFileTest, replaced_output_keeps_its_mode) {
  for (const mode_t mode : {mode_t{0600}, mode_t{0640}, mode_t{0666}}) {
    const std::string path = TempPath(absl::StrCat("mode", mode));
    WriteFile(path, "secret");
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    ASSERT_THAT(WriteWholeFile(path, "text", ReplaceAnything()), IsOk());
    EXPECT_EQ(ModeOf(path), mode);
    const auto journal = Open(path);
    EXPECT_EQ(ModeOf(path + ".part"), mode);  // the permissions also protect the unfinished file
    ASSERT_THAT(journal->Commit(), IsOk());
    EXPECT_EQ(ModeOf(path), mode);
  }
}

TEST(OutputFileTest, replaced_output_keeps_its_owner) {
  const std::string path = TempPath("a");
  WriteFile(path, "theirs");
  if (chown(path.c_str(), 12345, 23456) != 0) {
    GTEST_SKIP() << "only root may give files away, and only to users of its namespace";
  }
  ASSERT_THAT(WriteWholeFile(path, "text", ReplaceAnything()), IsOk());
  struct stat info = {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 12345u);
  EXPECT_EQ(info.st_gid, 23456u);
}

TEST(OutputFileTest, AHoldKeepsOtherRunsAwayAndLeavesNothing) {
  const std::string path = TempPath("a");
  {
    const auto hold = OutputHold::Take(path);
    ASSERT_THAT(hold, IsOk());
    EXPECT_THAT(OutputHold::Take(path), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
    EXPECT_THAT(WriteWholeFile(path, "text", ReplaceAnything()), IsOk());  // the child may write the held output
  }
  EXPECT_FALSE(FileExists(path + ".part"));
  WriteFile(path + ".part", "precious");
  { EXPECT_THAT(OutputHold::Take(path), IsOk()); }
  EXPECT_EQ(ReadFile(path + ".part"), "precious");
}

TEST(OutputFileTest, descriptors_exhausted) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const absl::Status status = OutputFile::Open(TempPath("a"), ReplaceAnything()).status();
  const absl::Status unnamed = WriteWholeFile(TempPath("b"), "text", ReplaceAnything());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("ulimit -n")));
  EXPECT_THAT(unnamed, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("ulimit -n")));
}

TEST(OutputFileTest, OnlyARegularFileIsReplaced) {
  const std::string folder = TempPath("folder");
  ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
  EXPECT_THAT(OutputFile::Open(folder, ReplaceAnything()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a folder")));
  const std::string pipe = TempPath("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(OutputFile::Open(pipe, ReplaceAnything()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a device or a pipe")));
  const std::string path = TempPath("a");
  ASSERT_EQ(mkfifo((path + ".part").c_str(), 0600), 0);
  EXPECT_THAT(OutputFile::Open(path, ReplaceAnything()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a.part")));
  EXPECT_THAT(OutputFile::Open("/no/such/folder/a", ReplaceAnything()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/no/such/folder")));
}

// A link at PATH.part may point to a file of somebody else.
TEST(OutputFileTest, ALinkIsNotWrittenThrough) {
  const std::string path = TempPath("a");
  WriteFile(TempPath("other"), "other");
  ASSERT_EQ(symlink(TempPath("other").c_str(), (path + ".part").c_str()), 0);
  EXPECT_THAT(WriteWholeFile(path, "text", ReplaceAnything()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a.part")));
  EXPECT_EQ(ReadFile(TempPath("other")), "other");
}

// Simulates a full disk by a limit on file sizes: in both cases writing fails after some of the bytes.
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
  const absl::Status status = WriteWholeFile(path, std::string(1001, 'x'), ReplaceAnything());
  setrlimit(RLIMIT_FSIZE, &old_limit);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted,
                               AllOf(HasSubstr(path + ": cannot write"), HasSubstr("after 1000 bytes"),
                                     HasSubstr("free some space"))));
  EXPECT_EQ(ReadFile(path), "as it was");
  EXPECT_FALSE(FileExists(path + ".part"));
}

}  // namespace
}  // namespace lockstep
