#include "lib/record/run_stage.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/output_file.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A stage that writes one point, and notes the functions that are called.
class RunStageTest : public ::testing::Test {
 protected:
  RunStageTest() {
    header_.set_schema("lockstep.proto.SweepFile");
    header_.set_schema_version(1);
    header_.set_cache_key("key");
    header_.mutable_build()->set_tool("train_sweep");
    header_.mutable_build()->set_build_id("build");
    run_.output.record = TempPath("a.rec");
    run_.print_plan = [this] {
      calls_.push_back("print_plan");
      return absl::OkStatus();
    };
    run_.make_header = [this] {
      calls_.push_back("make_header");
      return header_;
    };
    run_.write = [this](const proto::Header& header, StageOutput& output) {
      calls_.push_back("write");
      return WritePoint(header, output);
    };
  }

  absl::Status WritePoint(const proto::Header& header, StageOutput& output) {
    RETURN_IF_ERROR(before_begin_);
    if (!output.writer->is_begun()) {
      RETURN_IF_ERROR(output.writer->Begin(header));
    }
    proto::SweepRecord record;
    record.mutable_point()->set_batch_size(8);
    RETURN_IF_ERROR(output.writer->Append(record));
    RETURN_IF_ERROR(before_end_);
    return output.Finish();
  }

  std::string part() const { return run_.output.record + ".part"; }

  proto::Header header_;
  StageRun run_;
  absl::Status before_begin_;
  absl::Status before_end_;
  std::vector<std::string> calls_;
};

TEST_F(RunStageTest, ADryRunOnlyPrintsThePlan) {
  run_.dry_run = true;
  EXPECT_THAT(RunStage(run_), IsOk());
  EXPECT_THAT(calls_, ElementsAre("print_plan"));
  EXPECT_FALSE(FileExists(part()));
}

TEST_F(RunStageTest, ASecondRunIsCachedUnlessForced) {
  EXPECT_THAT(RunStage(run_), IsOk());
  EXPECT_THAT(calls_, ElementsAre("make_header", "write"));
  calls_.clear();
  EXPECT_THAT(RunStage(run_), IsOk());
  EXPECT_THAT(calls_, ElementsAre("make_header"));
  calls_.clear();
  run_.output.force = true;
  EXPECT_THAT(RunStage(run_), IsOk());
  EXPECT_THAT(calls_, ElementsAre("make_header", "write"));
}

TEST_F(RunStageTest, AStageMayCheckTheCacheItself) {
  EXPECT_THAT(RunStage(run_), IsOk());
  calls_.clear();
  run_.is_cached = [this](const proto::Header& header) {
    calls_.push_back("is_cached " + header.cache_key());
    return false;
  };
  EXPECT_THAT(RunStage(run_), IsOk());
  EXPECT_THAT(calls_, ElementsAre("make_header", "is_cached key", "write"));
}

TEST_F(RunStageTest, NothingIsWrittenWithoutTheLock) {
  const auto other_run = OutputHold::Take(run_.output.record);
  ASSERT_THAT(other_run, IsOk());
  EXPECT_THAT(RunStage(run_), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
  EXPECT_THAT(calls_, ElementsAre("make_header"));
}

TEST_F(RunStageTest, AFailedHeaderEndsTheRun) {
  run_.make_header = [] { return absl::UnavailableError("no gnuplot"); };
  EXPECT_THAT(RunStage(run_), StatusIs(absl::StatusCode::kUnavailable, "no gnuplot"));
  EXPECT_THAT(calls_, IsEmpty());
}

TEST_F(RunStageTest, OnlyAJournalKeepsAnIncompleteRecord) {
  before_end_ = absl::CancelledError("stopped");
  EXPECT_THAT(RunStage(run_), StatusIs(absl::StatusCode::kCancelled, "stopped"));
  EXPECT_FALSE(FileExists(part()));
  run_.output.is_journal = true;
  EXPECT_THAT(RunStage(run_), StatusIs(absl::StatusCode::kCancelled, "stopped"));
  EXPECT_TRUE(FileExists(part()));
}

TEST_F(RunStageTest, AnEarlierPartStaysIfNothingWasBegun) {
  run_.output.is_journal = true;
  before_end_ = absl::CancelledError("stopped");
  EXPECT_THAT(RunStage(run_), StatusIs(absl::StatusCode::kCancelled, "stopped"));
  const std::string bytes = ReadFile(part());
  run_.output.is_journal = false;
  before_begin_ = absl::CancelledError("stopped earlier");
  EXPECT_THAT(RunStage(run_), StatusIs(absl::StatusCode::kCancelled, "stopped earlier"));
  EXPECT_EQ(ReadFile(part()), bytes);
}

}  // namespace
}  // namespace lockstep
