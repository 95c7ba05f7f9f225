// Tests of RecordWriter::Resume: the bytes of a stopped run that are kept, and those that are removed.
#include <cstdio>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

proto::Header SmallHeader(const std::string& cache_key = "key") {
  proto::Header header;
  header.set_schema("lockstep.proto.SweepFile");
  header.set_schema_version(1);
  header.set_cache_key(cache_key);
  header.mutable_build()->set_tool("train_sweep");
  header.mutable_build()->set_build_id("build");
  return header;
}

proto::SweepRecord PointRecord(uint32_t batch_size) {
  proto::SweepRecord record;
  record.mutable_point()->set_batch_size(batch_size);
  return record;
}

std::vector<uint32_t> Batches(const std::vector<proto::SweepRecord>& records) {
  std::vector<uint32_t> batches;
  for (const proto::SweepRecord& record : records) {
    batches.push_back(record.point().batch_size());
  }
  return batches;
}

// Writes the PATH.part of a run that was stopped after the points 8 and 16, and returns PATH.
std::string StoppedRun() {
  const std::string path = TempPath("a.rec");
  auto writer = RecordWriter::Create(path, SmallHeader());
  EXPECT_THAT((*writer)->Append(PointRecord(8)), IsOk());
  EXPECT_THAT((*writer)->Append(PointRecord(16)), IsOk());
  return path;
}

struct Resumed {
  std::vector<uint32_t> batches;
  std::string log;
};

// Resumes, appends point 32, and finishes.
Resumed ResumeRun(const std::string& path, const proto::Header& header = SmallHeader()) {
  CaptureStderr();
  auto writer = RecordWriter::Resume(path, header);
  EXPECT_THAT(writer, IsOk());
  const auto kept = ParseKept<proto::SweepRecord>(**writer);
  EXPECT_THAT(kept, IsOk());
  Resumed resumed = {Batches(*kept), GetCapturedStderr()};
  EXPECT_THAT((*writer)->Append(PointRecord(32)), IsOk());
  EXPECT_THAT((*writer)->Finish(), IsOk());
  return resumed;
}

std::vector<uint32_t> Finished(const std::string& path) {
  const auto file = ReadRecordFile<proto::SweepFile>(path);
  EXPECT_THAT(file, IsOk());
  return Batches(file->records);
}

TEST(RecordResumeTest, KeepsTheWholeRecordsAndGoesOn) {
  const std::string path = StoppedRun();
  const Resumed resumed = ResumeRun(path);
  EXPECT_THAT(resumed.batches, ElementsAre(8, 16));
  EXPECT_EQ(resumed.log, "train_sweep: " + path + ".part: resumes after 2 records of a stopped run\n");
  EXPECT_THAT(Finished(path), ElementsAre(8, 16, 32));
  EXPECT_FALSE(FileExists(path + ".part"));
}

// Guarantee of a journal: from the call of Resume on, the file always holds at least the records that it held before.
TEST(RecordResumeTest, NothingIsWrittenAgain) {
  const std::string path = StoppedRun();
  const std::string before = ReadFile(path + ".part");
  const auto writer = RecordWriter::Resume(path, SmallHeader());
  ASSERT_THAT(writer, IsOk());
  EXPECT_EQ(ReadFile(path + ".part"), before);
  ASSERT_THAT((*writer)->Append(PointRecord(32)), IsOk());
  EXPECT_EQ(ReadFile(path + ".part").substr(0, before.size()), before);
}

TEST(RecordResumeTest, CutAnywhereTheWholeRecordsAreKept) {
  const std::string whole = ReadFile(StoppedRun() + ".part");
  const std::string path = TempPath("cut.rec");
  const size_t point_bytes = 1 + 1 + 4 + 5;  // tag, size, record { point { batch_size } }, checksum
  ASSERT_EQ(PointRecord(8).SerializeAsString().size(), 4u);
  for (size_t size = 0; size <= whole.size(); ++size) {
    WriteFile(path + ".part", whole.substr(0, size));
    std::vector<uint32_t> expected;
    if (size >= whole.size() - point_bytes) {
      expected.push_back(8);
    }
    if (size == whole.size()) {
      expected.push_back(16);
    }
    EXPECT_EQ(ResumeRun(path).batches, expected) << size;
    expected.push_back(32);
    EXPECT_EQ(Finished(path), expected) << size;
  }
}

TEST(RecordResumeTest, ADamagedRecordIsCutAwayWithAllAfterIt) {
  const std::string path = StoppedRun();
  std::string bytes = ReadFile(path + ".part");
  bytes[bytes.size() - 12] ^= 1;  // bit flip in the checksum of point 8
  WriteFile(path + ".part", bytes);
  const Resumed resumed = ResumeRun(path);
  EXPECT_THAT(resumed.batches, ElementsAre());  // two points of 11 bytes each, with their frames, are lost
  EXPECT_THAT(resumed.log,
              HasSubstr("resumes after 0 records of a stopped run; 22 bytes after them are not a complete"));
  EXPECT_THAT(Finished(path), ElementsAre(32));
}

// Simulates a run that was killed between the trailer and the rename.
TEST(RecordResumeTest, ATrailerIsCutAway) {
  const std::string path = StoppedRun();
  ResumeRun(path);
  ASSERT_EQ(std::rename(path.c_str(), (path + ".part").c_str()), 0);
  EXPECT_THAT(ResumeRun(path).batches, ElementsAre(8, 16, 32));
  EXPECT_THAT(Finished(path), ElementsAre(8, 16, 32, 32));
}

TEST(RecordResumeTest, AnotherKeyIsReplaced) {
  const std::string path = StoppedRun();
  const Resumed resumed = ResumeRun(path, SmallHeader("another"));
  EXPECT_THAT(resumed.batches, ElementsAre());
  EXPECT_THAT(resumed.log, HasSubstr("with other settings"));
  EXPECT_THAT(Finished(path), ElementsAre(32));
}

TEST(RecordResumeTest, WithoutABuildIdentityNothingIsKept) {
  const std::string path = StoppedRun();
  proto::Header header = SmallHeader();
  header.mutable_build()->clear_build_id();
  EXPECT_THAT(ResumeRun(path, header).batches, ElementsAre());
}

TEST(RecordResumeTest, NothingToResumeIsAFreshStart) {
  const std::string path = TempPath("a.rec");
  const Resumed resumed = ResumeRun(path);
  EXPECT_THAT(resumed.batches, ElementsAre());
  EXPECT_EQ(resumed.log, "");
  EXPECT_THAT(Finished(path), ElementsAre(32));
}

TEST(RecordResumeTest, ARunThatStillWritesIsLeftAlone) {
  const std::string path = TempPath("a.rec");
  auto first = RecordWriter::Create(path, SmallHeader());
  ASSERT_THAT((*first)->Append(PointRecord(8)), IsOk());
  EXPECT_THAT(RecordWriter::Resume(path, SmallHeader()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
  ASSERT_THAT((*first)->Finish(), IsOk());
  EXPECT_THAT(Finished(path), ElementsAre(8));
}

TEST(RecordResumeTest, TheCallerMayKeepFewer) {
  const std::string path = StoppedRun();
  {
    auto writer = RecordWriter::Resume(path, SmallHeader());
    EXPECT_EQ((*writer)->kept().size(), 2u);
    ASSERT_THAT((*writer)->KeepOnly(1), IsOk());
    ASSERT_THAT((*writer)->Append(PointRecord(64)), IsOk());
    ASSERT_THAT((*writer)->Finish(), IsOk());
  }
  EXPECT_THAT(Finished(path), ElementsAre(8, 64));
}

// The record of a run that failed after some of its points is at the final name. Its finished points are not lost.
TEST(RecordResumeTest, ARunThatDidNotEndWellIsGoneOnWith) {
  const std::string path = TempPath("a.rec");
  {
    auto writer = RecordWriter::Create(path, SmallHeader());
    ASSERT_THAT((*writer)->Append(PointRecord(8)), IsOk());
    ASSERT_THAT((*writer)->Finish(5), IsOk());
  }
  const std::string before = ReadFile(path);
  {
    const auto writer = RecordWriter::Resume(path, SmallHeader());
    ASSERT_THAT(writer, IsOk());
    EXPECT_EQ(ReadFile(path), before);  // PATH is unchanged until the new record is complete
    EXPECT_TRUE(before.rfind(ReadFile(path + ".part"), 0) == 0);
    ASSERT_THAT((*writer)->Append(PointRecord(16)), IsOk());
  }
  const Resumed resumed = ResumeRun(path);  // resumes from the journal, which has more records than PATH
  EXPECT_THAT(resumed.batches, ElementsAre(8, 16));
  EXPECT_THAT(Finished(path), ElementsAre(8, 16, 32));
}

TEST(RecordResumeTest, ARunThatEndedWellOrOfAnotherKeyIsNot) {
  for (const int exit_status : {0, 5}) {
    const std::string path = TempPath("a.rec");
    {
      auto writer = RecordWriter::Create(path, SmallHeader(exit_status == 0 ? "key" : "another"));
      ASSERT_THAT((*writer)->Append(PointRecord(8)), IsOk());
      ASSERT_THAT((*writer)->Finish(exit_status), IsOk());
    }
    EXPECT_THAT(ResumeRun(path).batches, ElementsAre()) << exit_status;
    EXPECT_THAT(Finished(path), ElementsAre(32)) << exit_status;
  }
}

TEST(RecordResumeTest, ReplacedRecordsAreAllThereIs) {
  const std::string path = StoppedRun();
  {
    auto writer = RecordWriter::Resume(path, SmallHeader());
    const proto::SweepRecord first = PointRecord(4), second = PointRecord(16);
    ASSERT_THAT((*writer)->ReplaceAll({&first, &second}), IsOk());
  }
  EXPECT_THAT(ResumeRun(path).batches, ElementsAre(4, 16));
  EXPECT_THAT(Finished(path), ElementsAre(4, 16, 32));
}

TEST(RecordResumeTest, RecordsThatBelongTogetherAreWrittenTogether) {
  const std::string path = TempPath("a.rec");
  auto writer = RecordWriter::Create(path, SmallHeader());
  const proto::SweepRecord first = PointRecord(4), second = PointRecord(16);
  ASSERT_THAT((*writer)->AppendTogether({&first, &second}), IsOk());
  ASSERT_THAT((*writer)->Finish(), IsOk());
  EXPECT_THAT(Finished(path), ElementsAre(4, 16));
}

TEST(RecordResumeTest, TheTrailerNamesOtherOutputs) {
  const std::string path = TempPath("a.rec");
  auto writer = RecordWriter::Create(path, SmallHeader());
  for (int i = 0; i < 10; ++i) {  // makes the trailer a large record
    proto::Input file;
    file.set_path("weights.pt");
    file.set_sha256(std::string(64, 'a'));
    (*writer)->AddOutput(file);
  }
  ASSERT_THAT((*writer)->Finish(), IsOk());
  const auto file = ReadRecordFile<proto::SweepFile>(path);
  ASSERT_THAT(file, IsOk());
  ASSERT_EQ(file->trailer.other_output_size(), 10);
  EXPECT_EQ(file->trailer.other_output(9).path(), "weights.pt");
}

// Browsers, too, name unfinished downloads NAME.part.
TEST(RecordResumeTest, precious_file_at_part_of_a_record) {
  const std::string path = TempPath("a.rec");
  for (const std::string& precious : {std::string("precious"), std::string(1000, '\0'),
                                      std::string("record { header { schema: \"lockstep.proto.SweepFile\" } }")}) {
    WriteFile(path + ".part", precious);
    const auto refused =
        StatusIs(absl::StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("a.rec.part: expected the journal of a stopped run"), HasSubstr("move it")));
    EXPECT_THAT(RecordWriter::Create(path, SmallHeader()), refused);
    EXPECT_THAT(RecordWriter::Create(path, SmallHeader(), ReplaceAnything()), refused);
    EXPECT_THAT(RecordWriter::Reserve(path, ReplaceAnything()), refused);
    EXPECT_THAT(RecordWriter::Resume(path, SmallHeader()), refused);
    EXPECT_EQ(ReadFile(path + ".part"), precious);
  }
}

TEST(RecordResumeTest, TheJournalOfAnotherToolIsReplacedByForceOnly) {
  const std::string path = StoppedRun();
  const std::string before = ReadFile(path + ".part");
  proto::Header other = SmallHeader();
  other.set_schema("lockstep.proto.DatasetFile");
  EXPECT_THAT(RecordWriter::Create(path, other), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--force")));
  EXPECT_EQ(ReadFile(path + ".part"), before);
  EXPECT_THAT(RecordWriter::Create(path, other, ReplaceAnything()), IsOk());
}

TEST(RecordResumeTest, AJournalWhosePartIsRemovedReportsItAtTheNextRecord) {
  const std::string path = TempPath("a.rec");
  const auto writer = RecordWriter::Resume(path, SmallHeader());
  ASSERT_THAT(writer, IsOk());
  ASSERT_THAT((*writer)->Append(PointRecord(8)), IsOk());
  WriteFile(path + ".part.other", "of another run");
  ASSERT_EQ(std::rename((path + ".part.other").c_str(), (path + ".part").c_str()), 0);
  EXPECT_THAT((*writer)->Append(PointRecord(16)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another run's file")));
  (*writer)->Discard();
  EXPECT_EQ(ReadFile(path + ".part"), "of another run");
}

}  // namespace
}  // namespace lockstep
