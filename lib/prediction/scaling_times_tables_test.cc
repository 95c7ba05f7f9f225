// Times of tables that print iterations or rates instead of epochs.
#include <string>

#include "google/protobuf/text_format.h"
#include "lib/prediction/scaling_times.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Returns the times of a document with one table of these values; `claims` are its statements about itself.
absl::StatusOr<std::vector<ScalingTimes>> TimesOf(const std::string& claims, const std::string& values) {
  proto::PublishedTables tables;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "source: 'a lab' claims { " + claims + " } table { name: 'Table 1' " + values + " }", &tables));
  return TimesOfTables(tables, /*run_to_run_fraction=*/0);
}

// One device takes 2 steps of 32 for the 64 samples of one step of two devices.
TEST(ScalingTimesTablesTest, TakesTheTimeOfAnIteration) {
  const auto times = TimesOf("",
                             "value { quantity: ITERATION_SECONDS devices: 1 batch: 32 as_printed: '0.25' }"
                             "value { quantity: ITERATION_SECONDS devices: 2 batch: 32 as_printed: '0.30' }");
  ASSERT_THAT(times, IsOk());
  ASSERT_EQ(times->size(), 1);
  const ScalingTimes& table = times->front();
  EXPECT_EQ(table.training_images, 64);
  EXPECT_THAT(table.source, HasSubstr("an epoch here has 64 samples"));
  ASSERT_EQ(table.times.size(), 2);
  EXPECT_DOUBLE_EQ(table.times[0].epoch_seconds.value, 0.5);
  EXPECT_EQ(table.times[0].images_per_rank, 64);
  EXPECT_DOUBLE_EQ(table.times[1].epoch_seconds.value, 0.3);
  EXPECT_EQ(table.times[1].images_per_rank, 32);
}

TEST(ScalingTimesTablesTest, RanksOfOneCpuAreThoseThatTheDocumentStates) {
  const std::string values =
      "value { quantity: ITERATION_SECONDS devices: 1 batch: 32 as_printed: '0.25' }"
      "value { quantity: ITERATION_SECONDS devices: 2 batch: 32 as_printed: '0.30' }";
  const auto own = TimesOf("", values), shared = TimesOf("shared_cpu_cores: 2", values);
  ASSERT_THAT(own, IsOk());
  ASSERT_THAT(shared, IsOk());
  EXPECT_FALSE(own->front().ranks_share_a_host_cpu);
  EXPECT_TRUE(shared->front().ranks_share_a_host_cpu);
  EXPECT_EQ(shared->front().cpu_cores, 2u);
}

// Mean of 10.0, 10.2, 10.4: 10.2; variance 0.04, of the mean 0.04 / 3. The digits add 0.1^2 / 12, and a difference of
// 1 % between runs adds 0.102^2. The run of two devices has a single epoch.
TEST(ScalingTimesTablesTest, TheTimeOfARunIsTheMeanOfItsEpochsAfterTheFirst) {
  proto::PublishedTables tables;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"(source: 'a chart' claims { images_per_epoch: 640 } table { name: 'epoch_seconds' epochs_of_runs: true
         value { quantity: EPOCH_SECONDS devices: 1 batch: 32 epoch: 1 context: 'SGD' as_printed: '40.0' }
         value { quantity: EPOCH_SECONDS devices: 1 batch: 32 epoch: 2 context: 'SGD' as_printed: '10.0' }
         value { quantity: EPOCH_SECONDS devices: 1 batch: 32 epoch: 1 context: 'Adam' as_printed: '99.0' }
         value { quantity: EPOCH_SECONDS devices: 1 batch: 32 epoch: 3 context: 'SGD' as_printed: '10.2' }
         value { quantity: EPOCH_SECONDS devices: 1 batch: 32 context: 'SGD' as_printed: '10.4' }
         value { quantity: EPOCH_SECONDS devices: 2 batch: 32 context: 'SGD' as_printed: '6.0' } })",
      &tables));
  const auto times = TimesOfTables(tables, /*run_to_run_fraction=*/0.01);
  ASSERT_THAT(times, IsOk());
  ASSERT_EQ(times->front().times.size(), 2);
  const Estimate one = times->front().times[0].epoch_seconds, two = times->front().times[1].epoch_seconds;
  EXPECT_NEAR(one.value, 10.2, 1e-12);
  EXPECT_NEAR(one.variance, 0.04 / 3 + 0.1 * 0.1 / 12 + 0.102 * 0.102, 1e-9);
  EXPECT_GT(one.variance_squared_over_freedom, 0);  // Student's t with the epochs' degrees of freedom
  EXPECT_DOUBLE_EQ(two.value, 6);
  EXPECT_NEAR(two.variance, 0.1 * 0.1 / 12 + 0.06 * 0.06, 1e-9);
  tables.mutable_table(0)->set_epochs_of_runs(false);  // another document's log: its number is the line of epoch 0
  EXPECT_DOUBLE_EQ(TimesOfTables(tables, 0.01)->front().times[0].epoch_seconds.value, 10.4);
}

// 8 sequences of 512 tokens per device: 16 sequences, the step of two devices, have 8,192 tokens.
TEST(ScalingTimesTablesTest, TakesTokensPerSecond) {
  const auto times = TimesOf("items_per_sample: 512",
                             "value { quantity: ITEMS_PER_SECOND devices: 1 batch: 8 as_printed: '4096' }"
                             "value { quantity: ITEMS_PER_SECOND_PER_DEVICE devices: 2 batch: 8 as_printed: '2048' }");
  ASSERT_THAT(times, IsOk());
  const ScalingTimes& table = times->front();
  EXPECT_EQ(table.training_images, 16);
  EXPECT_DOUBLE_EQ(table.times[0].epoch_seconds.value, 2);
  EXPECT_DOUBLE_EQ(table.times[1].epoch_seconds.value, 2);
  // A unit of the last digit of 4,096 is 1/4096 of the time.
  EXPECT_DOUBLE_EQ(table.times[0].epoch_seconds.variance, VarianceOfRange(2.0 / 4096));
}

TEST(ScalingTimesTablesTest, UsesTheImagesThatTheDocumentStates) {
  const auto times = TimesOf("images_per_epoch: 640",
                             "value { quantity: ITERATION_SECONDS devices: 1 batch: 32 as_printed: '0.25' }"
                             "value { quantity: ITERATION_SECONDS devices: 2 batch: 32 as_printed: '0.30' }");
  ASSERT_THAT(times, IsOk());
  EXPECT_EQ(times->front().source, "a lab, Table 1");
  EXPECT_DOUBLE_EQ(times->front().times[0].epoch_seconds.value, 20 * 0.25);
  EXPECT_DOUBLE_EQ(times->front().times[1].epoch_seconds.value, 10 * 0.3);
}

// 999,999,937 is a prime number, so that the smallest common number of samples is 64 times as large.
TEST(ScalingTimesTablesTest, LimitsTheEpochOfStepsThatHaveNoSmallMultiple) {
  const auto times = TimesOf("",
                             "value { quantity: ITERATION_SECONDS devices: 1 batch: 999999937 as_printed: '1' }"
                             "value { quantity: ITERATION_SECONDS devices: 2 batch: 32 as_printed: '1' }");
  ASSERT_THAT(times, IsOk());
  EXPECT_EQ(times->front().training_images, 999'999'937'000u);
}

TEST(ScalingTimesTablesTest, AnEpochNeedsItsImages) {
  EXPECT_THAT(TimesOf("",
                      "value { quantity: EPOCH_SECONDS devices: 1 batch: 32 as_printed: '25' }"
                      "value { quantity: EPOCH_SECONDS devices: 2 batch: 32 as_printed: '13' }"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("# images_per_epoch = 50000")));
  EXPECT_THAT(TimesOf("", "value { quantity: ITERATION_SECONDS devices: 1 batch: 32 as_printed: '0.25' }"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found none")));
}

}  // namespace
}  // namespace lockstep
