// The audit of numbers computed from times of whole training runs.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the times of runs on one and four devices: 8:24:10 and 2:19:45 hours.
proto::PublishedTables Runs() {
  proto::PublishedTables document;
  document.set_source("made by a test");
  document.mutable_claims()->set_images_per_epoch(50'000);
  document.mutable_claims()->set_batch("per_device");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  Add(table, proto::RUN_SECONDS, 1, 32, "30250");
  Add(table, proto::RUN_SECONDS, 4, 32, "8385");
  return document;
}

TEST(AuditRunsTest, ASpeedupNeedsNoNumberOfEpochs) {
  proto::PublishedTables document = Runs();
  Add(*document.mutable_table(0), proto::SPEEDUP, 4, 32, "3.608");  // 30250 / 8385 = 3.60763
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[0].finding(), proto::GIVEN);
  EXPECT_EQ(audited[2].finding(), proto::REPRODUCED) << audited[2].ShortDebugString();
  EXPECT_EQ(audited[2].reproduced_by(0).convention(), "T_1/T_N, times of t");
  EXPECT_THAT(audited[2].flag(), IsEmpty());
}

TEST(AuditRunsTest, WithoutEpochsNoRateFollows) {
  proto::PublishedTables document = Runs();
  Add(*document.mutable_table(0), proto::ITEMS_PER_SECOND, 4, 32, "536.67");
  EXPECT_EQ(AuditOf(document, "t")[2].finding(), proto::GIVEN);
}

TEST(AuditRunsTest, ARateFromTheStatedEpochs) {
  proto::PublishedTables document = Runs();
  document.mutable_claims()->set_epochs(90);
  Add(*document.mutable_table(0), proto::ITEMS_PER_SECOND, 4, 32, "536.67");  // 50000 * 90 / 8385 = 536.673
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[2].finding(), proto::REPRODUCED) << audited[2].ShortDebugString();
  EXPECT_THAT(audited[2].sentence(), HasSubstr("images / T_N, t / epochs (from 8385)"));
  EXPECT_NEAR(audited[2].reproduced_by(0).value(), 50'000.0 * 90 / 8385, 1e-9);
}

TEST(AuditRunsTest, PrintedEpochsComeBeforeTheStatement) {
  proto::PublishedTables document = Runs();
  document.mutable_claims()->set_epochs(90);
  Add(*document.mutable_table(0), proto::RUN_EPOCHS, 1, 32, "100");
  Add(*document.mutable_table(0), proto::COMPUTE_SECONDS, 4, 32, "75.625");  // 30250 / 100 / 4
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[2].finding(), proto::GIVEN);
  EXPECT_EQ(audited[3].finding(), proto::REPRODUCED) << audited[3].ShortDebugString();
  EXPECT_DOUBLE_EQ(audited[3].reproduced_by(0).value(), 75.625);
}

TEST(AuditRunsTest, StepsOfARunAreEpochs) {
  proto::PublishedTables document = Runs();
  // 156,250 steps of 4 * 32 images are 400 epochs of 50,000; an epoch takes 8385 / 400 = 20.9625 s.
  Add(*document.mutable_table(0), proto::RUN_ITERATIONS, 4, 32, "156250");
  Add(*document.mutable_table(0), proto::ITEMS_PER_SECOND, 4, 32, "2385.2");  // 50000 / 20.9625 = 2385.212
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[3].finding(), proto::REPRODUCED) << audited[3].ShortDebugString();
  EXPECT_NEAR(audited[3].reproduced_by(0).value(), 50'000 / 20.9625, 1e-9);
}

// Returns runs of ten epochs on 1, 2 and 4 devices, and the times of their epochs.
proto::PublishedTables RunsOfEpochs() {
  proto::PublishedTables document;
  document.set_source("made by a test");
  document.mutable_claims()->set_epochs(10);
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  const char* const kEpochs[] = {"218.5", "122.4", "65.0"};
  const char* const kRuns[] = {"36.4", "20.4", "10.8"};  // minutes: 2185, 1224 and 650 s
  for (int i = 0; i < 3; ++i) {
    Add(table, proto::EPOCH_SECONDS, 1u << i, 32, kEpochs[i]);
    Add(table, proto::RUN_SECONDS, 1u << i, 32, kRuns[i]);
    table.mutable_value(2 * i + 1)->set_unit_seconds(60);
  }
  return document;
}

TEST(AuditRunsTest, ARunIsItsEpochs) {
  const auto audited = AuditOf(RunsOfEpochs(), "t");
  for (const int i : {1, 3, 5}) {
    EXPECT_EQ(audited[i].finding(), proto::REPRODUCED) << audited[i].ShortDebugString();
    EXPECT_EQ(audited[i].reproduced_by(0).convention(), "epochs * T_N, times of t");
    EXPECT_THAT(audited[i].flag(), IsEmpty());
  }
  EXPECT_DOUBLE_EQ(audited[5].reproduced_by(0).value(), 650);
}

TEST(AuditRunsTest, ARunThatDiffersFromTheOthersDoesNotFollow) {
  proto::PublishedTables document = RunsOfEpochs();
  document.mutable_table(0)->mutable_value(5)->set_as_printed("18.0");
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[5].finding(), proto::NOT_REPRODUCIBLE) << audited[5].ShortDebugString();
  EXPECT_DOUBLE_EQ(audited[5].nearest().value(), 650);
}

TEST(AuditRunsTest, ALongerRunIsGivenAndAShorterOneFlagged) {
  proto::PublishedTables document = RunsOfEpochs();
  const char* const kLonger[] = {"41.16", "23.1", "12.9"};
  for (int i = 0; i < 3; ++i) {
    document.mutable_table(0)->mutable_value(2 * i + 1)->set_as_printed(kLonger[i]);
  }
  const auto longer = AuditOf(document, "t");
  EXPECT_EQ(longer[1].finding(), proto::GIVEN) << longer[1].ShortDebugString();
  EXPECT_THAT(longer[1].flag(), IsEmpty());
  // 41.16 * 60 / 2185 = 1.13025
  EXPECT_THAT(longer[1].sentence(), HasSubstr("10 epochs of 218.5 (t) take 2185 s, and the run takes 13 % longer."));
  document.mutable_table(0)->mutable_value(1)->set_as_printed("31.16");
  const auto shorter = AuditOf(document, "t");
  EXPECT_EQ(shorter[1].finding(), proto::GIVEN) << shorter[1].ShortDebugString();
  EXPECT_THAT(shorter[1].flag(), ::testing::ElementsAre("run_shorter_than_its_epochs"));
}

TEST(AuditRunsTest, ARunIsItsSteps) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("t");
  Add(table, proto::RUN_ITERATIONS, 8, 32, "7038");
  Add(table, proto::ITERATION_SECONDS, 8, 32, "0.2117");
  Add(table, proto::RUN_SECONDS, 8, 32, "1489.9");  // 7038 * 0.2117 = 1489.94
  const auto audited = AuditOf(document, "t");
  EXPECT_EQ(audited[2].finding(), proto::REPRODUCED) << audited[2].ShortDebugString();
  EXPECT_EQ(audited[2].reproduced_by(0).convention(), "steps * seconds of an iteration, times of t");
}

}  // namespace
}  // namespace lockstep::testing
