// The audit of speed-ups and efficiencies that name no batch, in a table with the times of several batches.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/random_document_testing.h"
#include "lib/audit/small_document_testing.h"
#include "lib/published/published_csv.h"
#include "lib/testing/matchers.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr absl::string_view kTwoTimes = "gpus,batch 32: train time (s),batch 128: train time (s),";

proto::PublishedTables Parsed(absl::string_view table) {
  const auto document = ParsePublishedCsv(absl::StrCat("# source = made up\n# table: t\n", table), "a.csv");
  EXPECT_THAT(document, IsOk());
  return *document;
}

// Returns the numbers of `quantity` on two devices and more.
std::vector<proto::AuditedValue> Audited(const proto::PublishedTables& document, proto::PublishedQuantity quantity) {
  std::vector<proto::AuditedValue> values;
  for (const proto::AuditedValue& value : AuditOf(document, "t")) {
    if (value.published().quantity() == quantity && value.published().devices() > 1) {
      values.push_back(value);
    }
  }
  return values;
}

std::vector<proto::AuditedValue> Speedups(absl::string_view header, absl::string_view rows) {
  return Audited(Parsed(absl::StrCat(header, "\n", rows)), proto::SPEEDUP);
}

std::vector<proto::Finding> Findings(const std::vector<proto::AuditedValue>& values) {
  std::vector<proto::Finding> findings;
  for (const proto::AuditedValue& value : values) {
    findings.push_back(value.finding());
  }
  return findings;
}

TEST(AuditColumnBatchTest, SpeedupsOfOneOfTwoBatches) {
  const auto values = Speedups(absl::StrCat(kTwoTimes, "speed-up"),
                               "1,20.0,10.0,1.00\n"
                               "2,11.0,5.2,1.82\n"
                               "4,6.1,2.8,3.28\n");
  ASSERT_EQ(values.size(), 2);
  ExpectAll(values, proto::REPRODUCED, "T_1/T_N, times of t, batch 32", {});
}

TEST(AuditColumnBatchTest, EfficienciesOfTheOtherBatch) {
  const proto::PublishedTables document = Parsed(absl::StrCat(kTwoTimes,
                                                              "efficiency (%)\n"
                                                              "1,20.0,10.0,100\n"
                                                              "2,11.0,5.2,96.2\n"
                                                              "4,6.1,2.8,89.3\n"));
  const auto values = Audited(document, proto::EFFICIENCY_PERCENT);
  ASSERT_EQ(values.size(), 2);
  ExpectAll(values, proto::REPRODUCED, "100 * S / N, S = T_1/T_N, times of t, batch 128", {});
}

// 10.0 / 5.2 = 1.923.
TEST(AuditColumnBatchTest, AWrongNumberIsComparedWithTheBatchOfTheOthers) {
  const auto values = Speedups(absl::StrCat(kTwoTimes, "speed-up"),
                               "1,20.0,10.0,1.00\n"
                               "2,11.0,5.2,1.70\n"
                               "4,6.1,2.8,3.57\n");
  ASSERT_THAT(Findings(values), ElementsAre(proto::NOT_REPRODUCIBLE, proto::REPRODUCED));
  EXPECT_EQ(values[0].nearest().convention(), "T_1/T_N, times of t, batch 128");
  EXPECT_NEAR(values[0].nearest().value(), 10.0 / 5.2, 1e-12);
  EXPECT_THAT(values[0].sentence(), HasSubstr("Expected, by T_1/T_N, times of t, batch 128 (from 10.0, 5.2)"));
  EXPECT_EQ(values[1].reproduced_by(0).convention(), "T_1/T_N, times of t, batch 128");
}

// 20.0 / 11.0 = 1.8182 is of batch 32, the others of batch 128.
TEST(AuditColumnBatchTest, ANumberOfAnotherBatchThanTheColumnDoesNotFollow) {
  const auto values = Speedups(absl::StrCat(kTwoTimes, "speed-up"),
                               "1,20.0,10.0,1.00\n"
                               "2,11.0,5.2,1.82\n"
                               "4,6.1,2.8,3.57\n"
                               "8,3.4,1.5,6.67\n");
  ASSERT_THAT(Findings(values), ElementsAre(proto::NOT_REPRODUCIBLE, proto::REPRODUCED, proto::REPRODUCED));
  EXPECT_NEAR(values[0].nearest().value(), 10.0 / 5.2, 1e-12);
}

// The same if the batch gives less than half of the column: 20.0 / 6.1 = 3.279 and 20.0 / 3.4 = 5.882 are of batch 32,
// and 10.0 / 5.2 = 1.923 of batch 128.
TEST(AuditColumnBatchTest, FewNumbersThatFollowHaveOneBatch) {
  const auto values = Speedups(absl::StrCat(kTwoTimes, "speed-up"),
                               "2,11.0,5.2,1.923\n"
                               "1,20.0,10.0,1.00\n"
                               "4,6.1,2.8,3.279\n"
                               "8,3.4,1.5,5.882\n"
                               "16,2.1,0.81,7.351\n"
                               "32,1.4,0.46,11.02\n"
                               "64,1.1,0.31,12.93\n");
  ASSERT_THAT(Findings(values), ElementsAre(proto::NOT_REPRODUCIBLE, proto::REPRODUCED, proto::REPRODUCED,
                                            proto::NOT_REPRODUCIBLE, proto::NOT_REPRODUCIBLE, proto::NOT_REPRODUCIBLE));
  EXPECT_NEAR(values[0].nearest().value(), 20.0 / 11.0, 1e-12);
}

// 20.00 / 11.00 = 1.8182 and 10.00 / 5.49 = 1.8215, 20.00 / 6.10 = 3.279 and 10.00 / 3.046 = 3.283.
TEST(AuditColumnBatchTest, TwoBatchesThatGiveTheSameDigitsAreAmbiguous) {
  const auto values = Speedups(absl::StrCat(kTwoTimes, "speed-up"),
                               "1,20.00,10.00,1.00\n"
                               "2,11.00,5.49,1.82\n"
                               "4,6.10,3.046,3.28\n");
  ASSERT_THAT(Findings(values), ElementsAre(proto::AMBIGUOUS, proto::AMBIGUOUS));
  for (const proto::AuditedValue& value : values) {
    ASSERT_EQ(value.reproduced_by_size(), 2) << value.ShortDebugString();
    EXPECT_EQ(value.reproduced_by(0).convention(), "T_1/T_N, times of t, batch 32");
    EXPECT_EQ(value.reproduced_by(1).convention(), "T_1/T_N, times of t, batch 128");
  }
}

TEST(AuditColumnBatchTest, TwoBatchesWithAsManyNumbersAreAmbiguous) {
  const auto values = Speedups(absl::StrCat(kTwoTimes, "speed-up"),
                               "1,20.0,10.0,1.00\n"
                               "2,11.0,5.2,1.818\n"
                               "4,6.1,2.8,3.571\n");
  ASSERT_THAT(Findings(values), ElementsAre(proto::AMBIGUOUS, proto::AMBIGUOUS));
  EXPECT_EQ(values[0].reproduced_by(0).convention(), "T_1/T_N, times of t, batch 32");
  EXPECT_EQ(values[1].reproduced_by(0).convention(), "T_1/T_N, times of t, batch 128");
  EXPECT_THAT(values[0].sentence(),
              HasSubstr("Its column names no batch, and these give equally many of its numbers: 32, 128."));
}

TEST(AuditColumnBatchTest, BatchesWithTheSameTimesAreNotAmbiguous) {
  const auto values = Speedups(absl::StrCat(kTwoTimes, "speed-up"),
                               "1,20.0,20.0,1.00\n"
                               "2,11.0,11.0,1.82\n"
                               "4,6.1,6.1,3.28\n");
  ASSERT_EQ(values.size(), 2);
  ExpectAll(values, proto::REPRODUCED, "T_1/T_N, times of t, batch 32", {});
}

TEST(AuditColumnBatchTest, NoBatchGivesTheNumbers) {
  const auto values = Speedups(absl::StrCat(kTwoTimes, "speed-up"),
                               "1,20.0,10.0,1.00\n"
                               "2,11.0,5.2,1.41\n"
                               "4,6.1,2.8,2.47\n");
  ASSERT_THAT(Findings(values), ElementsAre(proto::NOT_REPRODUCIBLE, proto::NOT_REPRODUCIBLE));
  for (const proto::AuditedValue& value : values) {
    EXPECT_THAT(value.sentence(), HasSubstr(" with any batch (32, 128). The nearest, "));
    EXPECT_TRUE(value.has_nearest());
  }
}

// The wrong speed-up 1.70 must not make the efficiency 96.2 wrong.
TEST(AuditColumnBatchTest, EfficienciesNextToAWrongSpeedup) {
  const proto::PublishedTables document = Parsed(absl::StrCat(kTwoTimes,
                                                              "speed-up,efficiency (%)\n"
                                                              "1,20.0,10.0,1.00,100\n"
                                                              "2,11.0,5.2,1.70,96.2\n"
                                                              "4,6.1,2.8,3.57,89.3\n"
                                                              "8,3.4,1.5,6.67,83.3\n"));
  EXPECT_THAT(Findings(Audited(document, proto::SPEEDUP)),
              ElementsAre(proto::NOT_REPRODUCIBLE, proto::REPRODUCED, proto::REPRODUCED));
  ExpectAll(Audited(document, proto::EFFICIENCY_PERCENT), proto::REPRODUCED,
            "100 * S / N, S = T_1/T_N, times of t, batch 128", {});
}

// 30.0 / 16.0 = 1.875. The times that name no batch come first.
TEST(AuditColumnBatchTest, TimesWithoutABatchAreTheInputsIfTheTableHasThem) {
  const auto values = Speedups(absl::StrCat(kTwoTimes, "train time (s),speed-up"),
                               "1,20.0,10.0,30.0,1.00\n"
                               "2,11.0,5.2,16.0,1.88\n"
                               "4,6.1,2.8,9.0,3.33\n");
  ASSERT_EQ(values.size(), 2);
  ExpectAll(values, proto::REPRODUCED, "T_1/T_N, times of t", {});
  EXPECT_THAT(values[0].reproduced_by(0).convention(), Not(HasSubstr("batch")));
}

// Each of the two columns has a batch of its own.
TEST(AuditColumnBatchTest, AColumnThatNamesItsBatchIsJudgedSeparately) {
  const auto values = Speedups(absl::StrCat(kTwoTimes, "batch 32: speed-up,speed-up"),
                               "1,20.0,10.0,1.00,1.00\n"
                               "2,11.0,5.2,1.82,1.92\n"
                               "4,6.1,2.8,3.28,3.57\n");
  ASSERT_EQ(values.size(), 4);
  for (const proto::AuditedValue& value : values) {
    EXPECT_EQ(value.finding(), proto::REPRODUCED) << value.ShortDebugString();
    EXPECT_EQ(value.reproduced_by(0).convention(),
              value.published().batch() == 32 ? "T_1/T_N, times of t" : "T_1/T_N, times of t, batch 128");
  }
}

// Random columns without a batch, next to the times of two to four batches: hardly any of them may be found to follow.
TEST(AuditColumnBatchTest, RandomColumnsHardlyFollow) {
  struct Kind {
    proto::PublishedQuantity quantity;
    int decimals;
    double low, high;
  };
  uint32_t seed = 0;
  for (const Kind& kind : {Kind{proto::SPEEDUP, 1, 0.8, 4}, Kind{proto::SPEEDUP, 2, 0.8, 4},
                           Kind{proto::EFFICIENCY_PERCENT, 0, 40, 110}, Kind{proto::EFFICIENCY_PERCENT, 1, 40, 110}}) {
    int explained = 0, all = 0;
    while (all < 600) {
      Random random(++seed);
      proto::PublishedTables document;
      document.set_source("made up");
      proto::PublishedTable& table = *document.add_table();
      table.set_name("t");
      for (uint32_t batch = 32; batch <= 32u << (1 + seed % 3); batch *= 2) {
        const double one = random.Between(50, 500);
        for (const uint32_t devices : {1, 2, 4, 8}) {
          const double seconds = one / devices * random.Between(1, 1.3);
          Add(table, proto::EPOCH_SECONDS, devices, batch, absl::StrFormat("%.2f", seconds));
        }
      }
      for (uint32_t devices = 2; devices <= 2u << seed / 3 % 3; devices *= 2) {
        Add(table, kind.quantity, devices, 0,
            absl::StrFormat("%.*f", kind.decimals, random.Between(kind.low, kind.high)));
      }
      for (const proto::AuditedValue& value : Audited(document, kind.quantity)) {
        ++all;
        explained += value.finding() == proto::REPRODUCED || value.finding() == proto::AMBIGUOUS;
      }
    }
    EXPECT_LE(50 * explained, all) << proto::PublishedQuantity_Name(kind.quantity) << ", " << kind.decimals
                                   << " decimals";
  }
}

}  // namespace
}  // namespace lockstep::testing
