// The audit of learning rates that are scaled with the batch or the devices.
#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// One printed learning rate.
struct Rate {
  uint32_t devices;
  uint64_t batch;
  const char* digits;
};

proto::PublishedTables RatesOf(const std::vector<Rate>& rates) {
  proto::PublishedTables document;
  document.set_source("made up");
  document.mutable_claims()->set_batch("per_device");
  document.add_table()->set_name("rates");
  for (const Rate& rate : rates) {
    Add(*document.mutable_table(0), proto::LEARNING_RATE, rate.devices, rate.batch, rate.digits);
  }
  return document;
}

std::vector<proto::Finding> FindingsOf(const std::vector<proto::AuditedValue>& audited) {
  std::vector<proto::Finding> findings;
  for (const proto::AuditedValue& value : audited) {
    findings.push_back(value.finding());
  }
  return findings;
}

TEST(AuditLearningRateTest, TheLinearRule) {
  const auto audited = AuditOf(RatesOf({{1, 256, "0.1"}, {2, 256, "0.2"}, {4, 256, "0.4"}, {8, 256, "0.8"}}), "rates");
  EXPECT_THAT(FindingsOf(audited), ElementsAre(proto::GIVEN, proto::REPRODUCED, proto::REPRODUCED, proto::REPRODUCED));
  EXPECT_THAT(audited[1].reproduced_by(0).convention(), HasSubstr("lr * batch/base batch, lr of N = 1"));
  EXPECT_THAT(audited[3].flag(), IsEmpty());
}

// From batch 256 to 1024 and 4096 on one device: 0.1, 0.4, 1.6; by square roots 0.1, 0.2, 0.4.
TEST(AuditLearningRateTest, TheBatchOfOneDeviceCountsToo) {
  const auto linear = AuditOf(RatesOf({{1, 256, "0.100"}, {1, 1024, "0.400"}, {1, 4096, "1.600"}}), "rates");
  EXPECT_THAT(FindingsOf(linear), ElementsAre(proto::GIVEN, proto::REPRODUCED, proto::REPRODUCED));
  EXPECT_THAT(linear[1].reproduced_by(0).convention(), HasSubstr("lr * batch/base batch"));
  const auto root = AuditOf(RatesOf({{1, 256, "0.100"}, {1, 1024, "0.200"}, {1, 4096, "0.400"}}), "rates");
  EXPECT_THAT(FindingsOf(root), ElementsAre(proto::GIVEN, proto::REPRODUCED, proto::REPRODUCED));
  EXPECT_THAT(root[1].reproduced_by(0).convention(), HasSubstr("lr * sqrt(batch/base batch)"));
  EXPECT_THAT(root[1].flag(), IsEmpty());
}

// 0.1 at 256 images: 64 devices with 256 images each have 0.1 * 64 = 6.4, and 32 devices have 3.2.
TEST(AuditLearningRateTest, AStatedRate) {
  proto::PublishedTables document = RatesOf({{64, 256, "6.4"}, {32, 256, "3.2"}});
  document.mutable_claims()->set_base_learning_rate(0.1);
  document.mutable_claims()->set_base_learning_rate_batch(256);
  for (const proto::AuditedValue& value : AuditOf(document, "rates")) {
    EXPECT_EQ(value.finding(), proto::REPRODUCED) << value.ShortDebugString();
    EXPECT_THAT(value.flag(), IsEmpty()) << value.ShortDebugString();
  }
  document.mutable_claims()->clear_base_learning_rate_batch();  // rate of one device
  EXPECT_EQ(AuditOf(document, "rates")[0].finding(), proto::REPRODUCED);
}

TEST(AuditLearningRateTest, AWrongRateIsCaughtNextToRightOnes) {
  const auto audited =
      AuditOf(RatesOf({{1, 256, "0.10"}, {2, 256, "0.20"}, {4, 256, "0.40"}, {8, 256, "0.90"}}), "rates");
  EXPECT_THAT(FindingsOf(audited),
              ElementsAre(proto::GIVEN, proto::REPRODUCED, proto::REPRODUCED, proto::NOT_REPRODUCIBLE));
  EXPECT_NEAR(audited[3].nearest().value(), 0.8, 1e-12);
}

TEST(AuditLearningRateTest, ChosenRatesAreGiven) {
  proto::PublishedTables document =
      RatesOf({{1, 256, "0.100"}, {2, 256, "0.130"}, {4, 256, "0.300"}, {8, 256, "0.350"}});
  for (const proto::AuditedValue& value : AuditOf(document, "rates")) {
    EXPECT_EQ(value.finding(), proto::GIVEN) << value.ShortDebugString();
    EXPECT_THAT(value.flag(), IsEmpty()) << value.ShortDebugString();
  }
  document.mutable_claims()->set_learning_rate_scaling("linear");
  EXPECT_THAT(FindingsOf(AuditOf(document, "rates")),
              ElementsAre(proto::GIVEN, proto::NOT_REPRODUCIBLE, proto::NOT_REPRODUCIBLE, proto::NOT_REPRODUCIBLE));
}

TEST(AuditLearningRateTest, SlipsAreNamed) {
  // 8 devices with 4 times the batch of one device: 32 times the images, but 4 times the rate.
  const auto left_out = AuditOf(RatesOf({{1, 64, "0.100"}, {2, 128, "0.200"}, {8, 256, "0.400"}}), "rates");
  EXPECT_THAT(left_out[2].flag(), ElementsAre("devices_left_out"));
  // The document states the linear rule: 0.1, 0.2, 0.4; the square root of 2 is 1.41421.
  proto::PublishedTables root = RatesOf({{1, 64, "0.1000"}, {2, 64, "0.1414"}, {4, 64, "0.2000"}});
  root.mutable_claims()->set_learning_rate_scaling("linear");
  const auto other = AuditOf(root, "rates");
  EXPECT_EQ(other[1].finding(), proto::REPRODUCED) << other[1].ShortDebugString();
  EXPECT_THAT(other[1].flag(), ElementsAre("other_learning_rate_rule"));
  EXPECT_THAT(other[2].flag(), ElementsAre("other_learning_rate_rule"));
}

}  // namespace
}  // namespace lockstep::testing
