#include "lib/record/stage_output.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/record_reader.h"
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
using ::testing::HasSubstr;
using ::testing::SizeIs;

proto::SweepRecord PointRecord(uint32_t batch_size) {
  proto::SweepRecord record;
  record.mutable_point()->set_batch_size(batch_size);
  return record;
}

class StageOutputTest : public ::testing::Test {
 protected:
  StageOutputTest() {
    header_.set_schema("lockstep.proto.SweepFile");
    header_.set_schema_version(1);
    header_.set_cache_key("key");
    header_.mutable_build()->set_tool("train_sweep");
    header_.mutable_build()->set_build_id("build");
    options_.record = TempPath("a.rec");
  }

  // Writes the PATH.part of a run that was stopped after one point.
  void StopAfterOnePoint() {
    auto writer = RecordWriter::Create(options_.record, header_);
    ASSERT_THAT(writer, IsOk());
    EXPECT_THAT((*writer)->Append(PointRecord(8)), IsOk());
  }

  proto::Header header_;
  StageOutputOptions options_;
};

TEST_F(StageOutputTest, AJournalIsResumed) {
  StopAfterOnePoint();
  options_.is_journal = true;
  auto output = OpenStageOutput(options_, header_);
  ASSERT_THAT(output, IsOk());
  EXPECT_TRUE(output->writer->is_begun());
  const auto kept = ParseKept<proto::SweepRecord>(*output->writer);
  ASSERT_THAT(kept, IsOk());
  EXPECT_THAT(*kept, SizeIs(1));
  EXPECT_THAT(output->Finish(), IsOk());
  EXPECT_THAT(ReadRecordFile<proto::SweepFile>(options_.record)->records, SizeIs(1));
}

TEST_F(StageOutputTest, AJournalStartsAgainWithForce) {
  StopAfterOnePoint();
  options_.is_journal = true;
  options_.force = true;
  auto output = OpenStageOutput(options_, header_);
  ASSERT_THAT(output, IsOk());
  EXPECT_TRUE(output->writer->is_begun());
  EXPECT_THAT(*ParseKept<proto::SweepRecord>(*output->writer), SizeIs(0));
}

TEST_F(StageOutputTest, AnotherRecordIsOnlyReserved) {
  StopAfterOnePoint();
  const std::string part = ReadFile(options_.record + ".part");
  auto output = OpenStageOutput(options_, header_);
  ASSERT_THAT(output, IsOk());
  EXPECT_FALSE(output->writer->is_begun());
  EXPECT_EQ(ReadFile(options_.record + ".part"), part);
  EXPECT_THAT(OpenStageOutput(options_, header_),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
}

TEST_F(StageOutputTest, AnExistingOutputNeedsARecordOrForce) {
  options_.other_outputs = {TempPath("page.html")};
  WriteFile(options_.other_outputs[0], "page");
  const auto refused =
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(TempPath("page.html") + " exists already"));
  EXPECT_THAT(OpenStageOutput(options_, header_), refused);
  options_.is_journal = true;
  EXPECT_THAT(OpenStageOutput(options_, header_), refused);
  options_.force = true;
  EXPECT_THAT(OpenStageOutput(options_, header_), IsOk());
}

TEST_F(StageOutputTest, AnExistingCheckpointNeedsARecord) {
  options_.checkpoint = TempPath("weights.pt");
  options_.is_journal = true;
  WriteFile(options_.checkpoint, "weights");
  EXPECT_THAT(OpenStageOutput(options_, header_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(options_.checkpoint + " exists already")));
  EXPECT_FALSE(FileExists(options_.checkpoint + ".part"));
}

TEST_F(StageOutputTest, TheCheckpointIsLockedUntilTheEnd) {
  options_.checkpoint = TempPath("weights.pt");
  options_.is_journal = true;
  auto output = OpenStageOutput(options_, header_);
  ASSERT_THAT(output, IsOk());
  EXPECT_THAT(OutputHold::Take(options_.checkpoint),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
  WriteFile(options_.record, "somebody else's");
  EXPECT_EQ(output->Finish().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(FileExists(options_.checkpoint + ".part"));
}

}  // namespace
}  // namespace lockstep
