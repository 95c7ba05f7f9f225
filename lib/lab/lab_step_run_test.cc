#include "lib/lab/lab_step_run.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/path.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Makes a tool that is a shell script, and returns its folder.
std::string FolderWithTool(const std::string& script) {
  const std::string folder = JoinPath(::testing::TempDir(), absl::StrCat("lab_step_run_test_", getpid()));
  std::filesystem::create_directories(folder);
  const std::string tool = JoinPath(folder, "tool");
  std::filesystem::remove(tool);
  std::ofstream(tool) << "#!/bin/sh\n" << script << "\n";
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  return folder;
}

absl::Status RunScript(const std::string& script) {
  return RunLabStep(FolderWithTool(script), {.command = {"tool", "a b"}, .record = "/none/record.rec"});
}

TEST(LabStepRunTest, TheStatusHasTheExitCodeOfTheTool) {
  EXPECT_THAT(RunScript("test \"$1\" = 'a b'"), IsOk());
  EXPECT_THAT(RunScript("exit 2"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("exit code 2")));
  EXPECT_THAT(RunScript("exit 3"), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("exit code 3")));
  EXPECT_THAT(RunScript("exit 4"), StatusIs(absl::StatusCode::kAborted, HasSubstr("exit code 4")));
  EXPECT_THAT(RunScript("exit 5"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("exit code 5")));
  EXPECT_THAT(RunScript("exit 143"), StatusIs(absl::StatusCode::kCancelled, HasSubstr("exit code 143")));
  EXPECT_THAT(RunScript("exit 1"), StatusIs(absl::StatusCode::kInternal, HasSubstr("exit code 1")));
  EXPECT_THAT(RunScript("kill -SEGV $$"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 11")));
}

// With --force the same command would measure everything again.
TEST(LabStepRunTest, AStoppedLabNamesTheCommandThatContinues) {
  LabRequest request;
  EXPECT_THAT(InStep(request, absl::CancelledError("stopped by SIGINT"), "step 3 of 12"),
              StatusIs(absl::StatusCode::kCancelled,
                       "stopped by SIGINT in step 3 of 12; the same command continues from there"));
  request.force = true;
  EXPECT_THAT(InStep(request, absl::CancelledError("stopped by SIGINT"), "step 3 of 12"),
              StatusIs(absl::StatusCode::kCancelled,
                       "stopped by SIGINT in step 3 of 12; the same command without --force keeps all records so far"));
  EXPECT_THAT(InStep(request, absl::InvalidArgumentError("no"), "step 3 of 12"),
              StatusIs(absl::StatusCode::kInvalidArgument, "step 3 of 12: no"));
  EXPECT_THAT(InStep(request, absl::OkStatus(), "step 3 of 12"), IsOk());
}

TEST(LabStepRunTest, APageThatFailsIsNoError) {
  const LabStep page = {.command = {"tool"}, .record = "/none/record.rec"};
  EXPECT_TRUE(MakePageQuietly(FolderWithTool("exit 0"), page));
  EXPECT_FALSE(MakePageQuietly(FolderWithTool("exit 5"), page));
}

}  // namespace
}  // namespace lockstep
