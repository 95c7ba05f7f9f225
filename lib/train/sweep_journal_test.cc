#include "lib/train/sweep_journal.h"

#include <unistd.h>

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/record/digest.h"
#include "lib/record/record_reader.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::ElementsAre;

class SweepJournalTest : public ::testing::Test {
 protected:
  SweepJournalTest() {
    header_.set_schema("lockstep.proto.SweepFile");
    header_.set_schema_version(1);
    header_.set_cache_key("key");
    header_.mutable_build()->set_tool("train_sweep");
    header_.mutable_build()->set_build_id("build");
    options_.record = TempPath("sweep.rec");
    options_.is_journal = true;
    spec_.set_preset("lab");
  }

  std::unique_ptr<SweepJournal> Open() {
    auto output = OpenStageOutput(options_, header_);
    EXPECT_THAT(output, IsOk());
    auto journal = SweepJournal::Open(*std::move(output), checkpoint_batch_, spec_);
    EXPECT_THAT(journal, IsOk());
    return *std::move(journal);
  }

  static proto::SweepFile Point(uint32_t batch, proto::Outcome outcome = proto::COMPLETED) {
    proto::SweepFile records;
    records.add_record()->mutable_point()->set_batch_size(batch);
    records.mutable_record(0)->mutable_point()->set_outcome(outcome);
    return records;
  }

  proto::SweepFile PointWithCheckpoint(uint32_t batch) const {
    proto::SweepFile records = Point(batch);
    WriteFile(TempPath("weights.pt"), "weights");
    proto::Checkpoint& checkpoint = *records.add_record()->mutable_checkpoint();
    checkpoint.set_path(TempPath("weights.pt"));
    checkpoint.set_sha256(Sha256Hex("weights"));
    return records;
  }

  // Returns one name per record: spec, the point's batch, checkpoint, end.
  static std::vector<std::string> Names(const std::vector<proto::SweepRecord>& records) {
    std::vector<std::string> names;
    for (const proto::SweepRecord& record : records) {
      names.push_back(record.has_point()        ? std::to_string(record.point().batch_size())
                      : record.has_probe()      ? "probe " + std::to_string(record.probe().batch_size())
                      : record.has_spec()       ? "spec"
                      : record.has_checkpoint() ? "checkpoint"
                                                : "end");
    }
    return names;
  }
  std::vector<std::string> InPart() const {
    const auto file = ReadRecordFile<proto::SweepFile>(options_.record + ".part", ReadMode::kSalvage);
    EXPECT_THAT(file, IsOk());
    return Names(file->records);
  }

  proto::Header header_;
  StageOutputOptions options_;
  uint32_t checkpoint_batch_ = 0;
  proto::SweepSpec spec_;
};

TEST_F(SweepJournalTest, FinishedPointsStayAndAreNotWrittenAgain) {
  ASSERT_THAT(Open()->Keep(Point(32)), IsOk());
  const auto journal = Open();
  ASSERT_NE(journal->Finished(32), nullptr);
  EXPECT_EQ(journal->Finished(128), nullptr);
  EXPECT_THAT(InPart(), ElementsAre("spec", "32"));
  ASSERT_THAT(journal->Keep(*journal->Finished(32)), IsOk());
  ASSERT_THAT(journal->Keep(Point(128, proto::OUT_OF_MEMORY)), IsOk());
  ASSERT_THAT(journal->Finish({}, 0), IsOk());
  const auto file = ReadRecordFile<proto::SweepFile>(options_.record);
  ASSERT_THAT(file, IsOk());
  EXPECT_THAT(Names(file->records), ElementsAre("spec", "32", "128", "end"));
}

TEST_F(SweepJournalTest, WhatFailedIsTriedAgainAndWhatCameAfterItIsKept) {
  {
    const auto journal = Open();
    ASSERT_THAT(journal->Keep(Point(8)), IsOk());
    ASSERT_THAT(journal->Keep(Point(16, proto::KILLED)), IsOk());
    ASSERT_THAT(journal->Keep(Point(32, proto::OUT_OF_MEMORY)), IsOk());
  }
  const auto journal = Open();
  EXPECT_NE(journal->Finished(8), nullptr);
  EXPECT_EQ(journal->Finished(16), nullptr);
  ASSERT_NE(journal->Finished(32), nullptr);
  EXPECT_THAT(InPart(), ElementsAre("spec", "8", "32"));  // 32 is in the file at every moment, never only in memory
  ASSERT_THAT(journal->Keep(*journal->Finished(8)), IsOk());
  EXPECT_THAT(InPart(), ElementsAre("spec", "8", "32"));
  ASSERT_THAT(journal->Keep(Point(16)), IsOk());
  EXPECT_THAT(InPart(), ElementsAre("spec", "8", "16", "32"));
  ASSERT_THAT(journal->Keep(*journal->Finished(32)), IsOk());
  EXPECT_THAT(InPart(), ElementsAre("spec", "8", "16", "32"));
}

TEST_F(SweepJournalTest, ProbesAreKeptApartFromPoints) {
  const auto probe = [](uint32_t batch, proto::Outcome outcome) {
    proto::SweepFile records;
    records.add_record()->mutable_probe()->set_batch_size(batch);
    records.mutable_record(0)->mutable_probe()->set_outcome(outcome);
    return records;
  };
  checkpoint_batch_ = 8;
  {
    const auto journal = Open();
    ASSERT_THAT(journal->Keep(Point(32)), IsOk());
    ASSERT_THAT(journal->Keep(probe(8, proto::COMPLETED)), IsOk());
    ASSERT_THAT(journal->Keep(probe(12, proto::OUT_OF_MEMORY)), IsOk());
    ASSERT_THAT(journal->Keep(probe(10, proto::KILLED)), IsOk());
  }
  const auto journal = Open();
  EXPECT_NE(journal->Finished(32), nullptr);
  EXPECT_EQ(journal->Finished(8), nullptr);
  EXPECT_EQ(journal->FinishedProbe(32), nullptr);
  EXPECT_NE(journal->FinishedProbe(8), nullptr);
  EXPECT_NE(journal->FinishedProbe(12), nullptr);
  EXPECT_EQ(journal->FinishedProbe(10), nullptr);
  EXPECT_THAT(InPart(), ElementsAre("spec", "32", "probe 8", "probe 12"));
  ASSERT_THAT(journal->Keep(*journal->Finished(32)), IsOk());
  ASSERT_THAT(journal->Keep(*journal->FinishedProbe(12)), IsOk());
  ASSERT_THAT(journal->Finish({}, 0), IsOk());  // this run needs no probe of 8
  const auto file = ReadRecordFile<proto::SweepFile>(options_.record);
  ASSERT_THAT(file, IsOk());
  EXPECT_THAT(Names(file->records), ElementsAre("spec", "32", "probe 12", "end"));
}

// The file of a failed sweep is complete. Its finished points are not measured again.
TEST_F(SweepJournalTest, ASweepThatFailedIsGoneOnWith) {
  {
    const auto journal = Open();
    ASSERT_THAT(journal->Keep(Point(8)), IsOk());
    ASSERT_THAT(journal->Keep(Point(16, proto::KILLED)), IsOk());
    ASSERT_THAT(journal->Finish({}, 5), IsOk());
  }
  const auto journal = Open();
  EXPECT_NE(journal->Finished(8), nullptr);
  EXPECT_EQ(journal->Finished(16), nullptr);
  EXPECT_THAT(InPart(), ElementsAre("spec", "8"));
}

TEST_F(SweepJournalTest, TheCheckpointsPointCountsOnlyWithItsFile) {
  checkpoint_batch_ = 16;
  {
    const auto journal = Open();
    ASSERT_THAT(journal->Keep(Point(8)), IsOk());
    ASSERT_THAT(journal->Keep(PointWithCheckpoint(16)), IsOk());
    ASSERT_THAT(journal->Keep(Point(32)), IsOk());
  }
  EXPECT_THAT(InPart(), ElementsAre("spec", "8", "16", "checkpoint", "32"));
  {
    const auto journal = Open();
    ASSERT_NE(journal->Finished(16), nullptr);
    EXPECT_EQ(journal->Finished(16)->record_size(), 2);
    EXPECT_FALSE(journal->has_checkpoint());
    ASSERT_THAT(journal->Keep(*journal->Finished(16)), IsOk());
    EXPECT_TRUE(journal->has_checkpoint());
  }
  for (const bool changed : {true, false}) {  // first changed, then removed
    changed ? WriteFile(TempPath("weights.pt"), "other") : static_cast<void>(unlink(TempPath("weights.pt").c_str()));
    const auto journal = Open();
    EXPECT_EQ(journal->Finished(16), nullptr);
    EXPECT_THAT(InPart(), ElementsAre("spec", "8", "32"));
  }
}

// The point may fit in a second run, if memory was freed.
TEST_F(SweepJournalTest, TheCheckpointsPointIsTriedAgainWhenItRanOutOfMemory) {
  checkpoint_batch_ = 16;
  ASSERT_THAT(Open()->Keep(Point(16, proto::OUT_OF_MEMORY)), IsOk());
  EXPECT_EQ(Open()->Finished(16), nullptr);
}

TEST_F(SweepJournalTest, StoppedBetweenThePointAndItsCheckpoint) {
  checkpoint_batch_ = 16;
  ASSERT_THAT(Open()->Keep(Point(16)), IsOk());
  EXPECT_EQ(Open()->Finished(16), nullptr);
}

TEST_F(SweepJournalTest, TheTrailerNamesTheCheckpoint) {
  checkpoint_batch_ = 16;
  const auto journal = Open();
  ASSERT_THAT(journal->Keep(PointWithCheckpoint(16)), IsOk());
  ASSERT_THAT(journal->Finish({}, 0), IsOk());
  const auto file = ReadRecordFile<proto::SweepFile>(options_.record);
  ASSERT_THAT(file, IsOk());
  ASSERT_EQ(file->trailer.other_output_size(), 1);
  EXPECT_EQ(file->trailer.other_output(0).path(), TempPath("weights.pt"));
  EXPECT_EQ(file->trailer.other_output(0).sha256(), Sha256Hex("weights"));
  EXPECT_EQ(file->trailer.other_output(0).size_bytes(), 7u);
}

TEST_F(SweepJournalTest, TheCheckpointIsLetGoOfBeforeTheRecordIsComplete) {
  options_.checkpoint = TempPath("weights.pt");
  checkpoint_batch_ = 32;
  const auto journal = Open();
  EXPECT_EQ(access(TempPath("weights.pt.part").c_str(), F_OK), 0);
  ASSERT_THAT(journal->Keep(PointWithCheckpoint(32)), IsOk());
  WriteFile(options_.record, "somebody else's");
  EXPECT_EQ(journal->Finish({}, 0).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(access(TempPath("weights.pt.part").c_str(), F_OK), -1);
}

TEST_F(SweepJournalTest, AfreshUsesNothing) {
  ASSERT_THAT(Open()->Keep(Point(32)), IsOk());
  options_.force = true;
  EXPECT_EQ(Open()->Finished(32), nullptr);
}

TEST_F(SweepJournalTest, AnotherKeyUsesNothing) {
  ASSERT_THAT(Open()->Keep(Point(32)), IsOk());
  header_.set_cache_key("other");
  EXPECT_EQ(Open()->Finished(32), nullptr);
}

// The record has points of 8 and 32; the new sweep also has 16.
TEST_F(SweepJournalTest, ASweepGrows) {
  header_.set_points_key("points");
  header_.set_start_time("2026-01-01T00:00:00Z");
  header_.add_point("batch 8");
  header_.add_point("batch 32");
  {
    const auto journal = Open();
    ASSERT_THAT(journal->Keep(Point(8)), IsOk());
    ASSERT_THAT(journal->Keep(Point(32, proto::KILLED)), IsOk());
    ASSERT_THAT(journal->Finish({}, 0), IsOk());
  }
  header_.set_cache_key("key of three points");
  header_.set_start_time("2026-02-02T00:00:00Z");
  header_.add_point("batch 16");
  spec_.set_preset("the new plan");
  {
    const auto journal = Open();
    EXPECT_EQ(journal->Finished(32), nullptr);
    EXPECT_THAT(InPart(), ElementsAre("spec", "8"));
  }
  const auto journal = Open();  // resumed after a stop
  ASSERT_NE(journal->Finished(8), nullptr);
  ASSERT_THAT(journal->Keep(*journal->Finished(8)), IsOk());
  ASSERT_THAT(journal->Keep(Point(16)), IsOk());
  ASSERT_THAT(journal->Keep(Point(32)), IsOk());
  ASSERT_THAT(journal->Finish({}, 0), IsOk());
  const auto file = ReadRecordFile<proto::SweepFile>(options_.record);
  ASSERT_THAT(file, IsOk());
  EXPECT_THAT(Names(file->records), ElementsAre("spec", "8", "16", "32", "end"));
  EXPECT_EQ(file->header.cache_key(), "key of three points");
  EXPECT_EQ(file->records[0].spec().preset(), "the new plan");
  EXPECT_EQ(file->records[1].point().earlier_run(), "2026-01-01T00:00:00Z");
  EXPECT_EQ(file->records[2].point().earlier_run(), "");
}

TEST_F(SweepJournalTest, ASweepThatKeptNothingLeavesNothing) {
  Open().reset();
  EXPECT_EQ(access((options_.record + ".part").c_str(), F_OK), -1);
  ASSERT_THAT(Open()->Keep(Point(32)), IsOk());
  EXPECT_THAT(InPart(), ElementsAre("spec", "32"));
}

TEST(WrittenTextTest, StatesFileAccuracyAndEpochs) {
  proto::Checkpoint checkpoint;
  checkpoint.set_path("trained.pt");
  checkpoint.set_test_accuracy(0.366);
  checkpoint.set_epochs(2);
  EXPECT_EQ(WrittenText(checkpoint), "wrote trained.pt, test accuracy 36.60 % after epoch 2");
}

}  // namespace
}  // namespace lockstep
