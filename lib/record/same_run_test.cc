#include "lib/record/same_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/record/digest.h"
#include "lib/record/environment_fingerprint.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

constexpr absl::StatusCode kDiffers = absl::StatusCode::kFailedPrecondition;

// Fixture with a record as `train_sweep --input=INPUT --batch_size=32` would write it, and the same run planned again.
class SameRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    input_ = TempPath("input");
    library_ = TempPath("library");
    WriteFile(input_, "images");
    WriteFile(library_, "code");
    run_.program = "/proc/self/exe";
    run_.output = TempPath("sweep.rec");
    run_.command_line = {"train_sweep", "--input=" + input_, "--batch_size=32"};
    HeaderOptions options;
    options.schema = "lockstep.proto.SweepFile";
    proto::Input input;
    input.set_path(input_);
    input.set_sha256(*Sha256HexOfFile(input_));
    options.inputs = {input};
    header_ = MakeHeader(options);
    *header_.add_loaded_file() = DescribeFile(library_);
    Record(run_.command_line);
  }

  void Record(const std::vector<std::string>& command_line, int exit_status = 0) {
    header_.mutable_command_line()->Assign(command_line.begin(), command_line.end());
    auto writer = RecordWriter::Create(run_.output, header_);
    ASSERT_THAT(writer, IsOk());
    ASSERT_THAT((*writer)->Finish(exit_status), IsOk());
  }

  std::string input_;
  std::string library_;
  PlannedRun run_;
  proto::Header header_;
};

TEST_F(SameRunTest, HoldsWhenNothingChanged) { EXPECT_THAT(CheckSameRun(run_), IsOk()); }

TEST_F(SameRunTest, ARecordMadeByForceServesARunWithout) {
  Record({"train_sweep", "--input=" + input_, "--force", "--batch_size=32"});
  EXPECT_THAT(CheckSameRun(run_), IsOk());
}

TEST_F(SameRunTest, ARunByForceIsNeverTheSame) {
  for (const char* force : {"--force", "-force", "--force=true"}) {
    std::vector<std::string> forced = run_.command_line;
    forced.push_back(force);
    Record(forced);
    PlannedRun again = run_;
    again.command_line = forced;
    EXPECT_THAT(CheckSameRun(again), StatusIs(kDiffers, HasSubstr("command line"))) << force;
  }
}

TEST_F(SameRunTest, QuietChangesNoResult) {
  for (const char* quiet : {"--quiet", "-quiet", "--noquiet", "--quiet=true"}) {
    Record({"train_sweep", "--input=" + input_, "--batch_size=32", quiet});
    EXPECT_THAT(CheckSameRun(run_), IsOk()) << quiet;
    PlannedRun planned = run_;
    planned.command_line.push_back("--quiet");
    EXPECT_THAT(CheckSameRun(planned), IsOk()) << quiet;
  }
}

TEST_F(SameRunTest, AnotherFlag) {
  run_.command_line[2] = "--batch_size=64";
  EXPECT_THAT(CheckSameRun(run_), StatusIs(kDiffers, HasSubstr("command line")));
}

TEST_F(SameRunTest, AnotherInput) {
  WriteFile(input_, "other images");
  EXPECT_THAT(CheckSameRun(run_), StatusIs(kDiffers, HasSubstr(input_)));
}

TEST_F(SameRunTest, AnInputThatIsGone) {
  unlink(input_.c_str());
  EXPECT_THAT(CheckSameRun(run_), StatusIs(absl::StatusCode::kNotFound, HasSubstr(input_)));
}

TEST_F(SameRunTest, AnotherLibrary) {
  WriteFile(library_, "other code");
  EXPECT_THAT(CheckSameRun(run_), StatusIs(kDiffers, HasSubstr(library_)));
}

TEST_F(SameRunTest, ALibraryThatIsGone) {
  unlink(library_.c_str());
  EXPECT_THAT(CheckSameRun(run_), StatusIs(kDiffers, HasSubstr(library_)));
}

TEST_F(SameRunTest, AnotherProgram) {
  run_.program = input_;
  EXPECT_THAT(CheckSameRun(run_), StatusIs(kDiffers, HasSubstr("program")));
}

TEST_F(SameRunTest, AnotherEnvironment) {
  setenv("NCCL_P2P_DISABLE", "1", 1);
  EXPECT_THAT(CheckSameRun(run_), StatusIs(kDiffers, HasSubstr("environment")));
  unsetenv("NCCL_P2P_DISABLE");
}

TEST_F(SameRunTest, ARunThatFailed) {
  Record(run_.command_line, 1);
  EXPECT_THAT(CheckSameRun(run_), StatusIs(kDiffers, HasSubstr("exit status")));
}

// A trailer may name any path. Endless files, and files that block on open, must not be read.
TEST_F(SameRunTest, AnotherFileThatIsADeviceOrAPipe) {
  const std::string pipe = TempPath("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& other : {std::string("/dev/zero"), pipe}) {
    auto writer = RecordWriter::Create(run_.output, header_);
    proto::Input file;
    file.set_path(other);
    (*writer)->AddOutput(file);
    ASSERT_THAT((*writer)->Finish(), IsOk());
    EXPECT_THAT(CheckSameRun(run_), StatusIs(kDiffers, HasSubstr(other + " is not a regular file")));
  }
}

TEST_F(SameRunTest, AnOutputThatIsAPipe) {
  unlink(run_.output.c_str());
  ASSERT_EQ(mkfifo(run_.output.c_str(), 0600), 0);
  EXPECT_THAT(CheckSameRun(run_), StatusIs(kDiffers, HasSubstr("not a regular file")));
}

TEST_F(SameRunTest, ACutOffRecord) {
  const std::string bytes = ReadFile(run_.output);
  WriteFile(run_.output, bytes.substr(0, bytes.size() - 1));
  EXPECT_THAT(CheckSameRun(run_), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut off")));
}

TEST_F(SameRunTest, NoRecord) {
  unlink(run_.output.c_str());
  EXPECT_THAT(CheckSameRun(run_), StatusIs(absl::StatusCode::kNotFound, HasSubstr(run_.output)));
}

TEST(FlagValueTest, TakesTheLastInEveryForm) {
  EXPECT_EQ(FlagValue({"tool", "--output=a"}, "output", "d"), "a");
  EXPECT_EQ(FlagValue({"tool", "-output=a"}, "output", "d"), "a");
  EXPECT_EQ(FlagValue({"tool", "--output", "b"}, "output", "d"), "b");
  EXPECT_EQ(FlagValue({"tool", "--output=a", "--output=b"}, "output", "d"), "b");
  EXPECT_EQ(FlagValue({"tool", "--output="}, "output", "d"), "");
}

TEST(FlagValueTest, TheFallbackWithoutOne) {
  EXPECT_EQ(FlagValue({"tool"}, "output", "d"), "d");
  EXPECT_EQ(FlagValue({"tool", "--output"}, "output", "d"), "d");
  EXPECT_EQ(FlagValue({"tool", "--output_format=a"}, "output", "d"), "d");
}

}  // namespace
}  // namespace lockstep
