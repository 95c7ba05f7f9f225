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

}  // namespace
}  // namespace lockstep::testing
