#include "lib/published/wandb_chart.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/published_csv.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Like the files of a hand-in that was worked from W&B: data/published/hand_in_003.textproto.
constexpr char kChart[] =
    "\"Step\",\"SGD_dp_batch_size_128_2gpus - epoch_seconds\",\"SGD_dp_batch_size_128_2gpus - epoch_seconds__MIN\","
    "\"SGD_dp_batch_size_128_2gpus - epoch_seconds__MAX\",\"SGD_dp_batch_size_32_1gpus - epoch_seconds\","
    "\"SGD_dp_batch_size_32_1gpus - trainer/global_step\"\n"
    "\"0\",\"12.70\",\"12.70\",\"12.70\",\"30\",\"1\"\n"
    "\"1\",\"11.9\",\"11\",\"12\",\"\",\"2\"\n";

proto::PublishedTables Parsed(const std::string& text) {
  const auto tables = ParseWandbChart(text, "chart.csv", 1);
  EXPECT_TRUE(tables.ok()) << tables.status();
  return tables.value_or(proto::PublishedTables());
}

TEST(WandbChartTest, RunsAreNumbersOfOneTablePerMetric) {
  const proto::PublishedTables tables = Parsed(kChart);
  EXPECT_EQ(tables.source(), "chart exported from Weights & Biases: chart.csv");
  EXPECT_EQ(tables.description(), "metrics that were not read: trainer/global_step");
  ASSERT_EQ(tables.table_size(), 1);
  const proto::PublishedTable& table = tables.table(0);
  EXPECT_EQ(table.name(), "epoch_seconds");
  EXPECT_TRUE(table.epochs_of_runs());
  ASSERT_EQ(table.value_size(), 3);  // two epochs of a run, one of the other
  EXPECT_EQ(table.value(0).as_printed(), "12.70");
  EXPECT_EQ(table.value(0).epoch(), 1);
  EXPECT_EQ(table.value(0).devices(), 2);
  EXPECT_EQ(table.value(0).batch(), 128);
  EXPECT_EQ(table.value(0).quantity(), proto::EPOCH_SECONDS);
  EXPECT_EQ(table.value(1).as_printed(), "11.9");
  EXPECT_EQ(table.value(1).epoch(), 0);  // the last epoch is the number of the run
  EXPECT_EQ(table.value(2).devices(), 1);
  EXPECT_EQ(table.value(2).batch(), 32);
  EXPECT_EQ(table.value(2).epoch(), 0);
}

TEST(WandbChartTest, AMeanOfTheChartHasANote) {
  const proto::PublishedTable table = Parsed(kChart).table(0);
  EXPECT_EQ(table.value(0).note(), "");
  EXPECT_EQ(table.value(1).note(), "mean of the chart over several steps, from 11 to 12");
}

TEST(WandbChartTest, TheFormOfOurOwnExportIsRead) {
  const proto::PublishedTables tables = Parsed(
      "\"Step\",\"made by Lockstep: report, wandb_csv\",\"scale.2_ranks.batch_64.all_reduce - train/loss\","
      "\"scale.2_ranks.batch_64.all_reduce - epoch_seconds\"\n1,,2.5,4\n");
  ASSERT_EQ(tables.table_size(), 2);
  EXPECT_EQ(tables.table(0).value(0).quantity(), proto::LOSS);
  EXPECT_EQ(tables.table(1).value(0).devices(), 2);
  EXPECT_EQ(tables.table(1).value(0).batch(), 64);
  const auto stated = ParsePublishedCsv(
      "# images_per_epoch = 50000\n\"Step\",\"made by Lockstep: report, wandb_csv\",\"sweep.batch_64 - "
      "epoch_seconds\"\n"
      "1,,4\n",
      "own.csv");
  ASSERT_TRUE(stated.ok()) << stated.status();
  EXPECT_EQ(stated->claims().images_per_epoch(), 50000);
}

TEST(WandbChartTest, AccuraciesAboveOneAreInPercent) {
  EXPECT_EQ(Parsed("Step,a - val_acc\n0,0.5\n1,0.75\n").table(0).value(0).quantity(), proto::ACCURACY_FRACTION);
  EXPECT_EQ(Parsed("Step,a - val_acc\n0,0.5\n1,75\n").table(0).value(0).quantity(), proto::ACCURACY_PERCENT);
}

TEST(WandbChartTest, OnlyChartsLookLikeIt) {
  EXPECT_TRUE(LooksLikeWandbChart(kChart));
  EXPECT_TRUE(LooksLikeWandbChart("\"Relative Time (Wall)\",\"a - loss\"\n"));
  EXPECT_FALSE(LooksLikeWandbChart("Step,loss\n"));
  EXPECT_FALSE(LooksLikeWandbChart("table,quantity,devices - x\n"));
}

TEST(WandbChartTest, ThePublishedReaderTakesIt) {
  EXPECT_TRUE(FindPublishedCsv(kChart, "chart.txt")->has_value());
  const auto tables = ParsePublishedCsv(kChart, "chart.csv");
  ASSERT_TRUE(tables.ok()) << tables.status();
  EXPECT_EQ(tables->table(0).value_size(), 3);
}

TEST(WandbChartTest, LinesAboveTheColumnsStateWhatTheChartDoesNot) {
  const std::string text = absl::StrCat("# images_per_epoch = 50000\n# description = of a blog\n", kChart);
  EXPECT_TRUE(FindPublishedCsv(text, "chart.txt")->has_value());
  const auto tables = ParsePublishedCsv(text, "chart.csv");
  ASSERT_TRUE(tables.ok()) << tables.status();
  EXPECT_EQ(tables->claims().images_per_epoch(), 50000);
  EXPECT_EQ(tables->source(), "chart exported from Weights & Biases: chart.csv");
  EXPECT_EQ(tables->description(), "of a blog; metrics that were not read: trainer/global_step");
  EXPECT_EQ(tables->table(0).value_size(), 3);
  EXPECT_THAT(ParsePublishedCsv("# a remark\nStep,a - epoch_seconds\n0,12\n", "c.csv"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("c.csv:3: run 'a'")));
  EXPECT_THAT(ParsePublishedCsv("# images = 5\nStep,batch_8 - epoch_seconds\n0,12\n", "c.csv"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("c.csv:1: unknown key 'images'")));
}

TEST(WandbChartTest, ATimeIsAboveZeroAndWithinItsRange) {
  const std::string header = "Step,batch_8 - epoch_time,batch_8 - epoch_time__MIN,batch_8 - epoch_time__MAX\n";
  const auto refused = [&](absl::string_view row, const char* text) {
    EXPECT_THAT(ParseWandbChart(absl::StrCat(header, "1,7,7,7\n2,", row, "\n"), "c.csv", 1),
                StatusIs(absl::StatusCode::kDataLoss,
                         AllOf(HasSubstr("c.csv:3: run 'batch_8', epoch_time: "), HasSubstr(text))));
  };
  refused("-7.0,7,7.1", "expected a time above 0, found -7.0; correct it");
  refused("-7.0,-7.0,-7.0", "expected a time above 0");
  refused("0,,", "expected a time above 0, found 0");
  refused("1e9,7,7.1", "at most 7.1, its __MAX, found 1e9; export the chart again");
  refused("6,7,7.1", "at least 7, its __MIN, found 6");
  EXPECT_TRUE(ParseWandbChart(absl::StrCat(header, "1,7.05,7,7.1\n2,7,,\n"), "c.csv", 1).ok());
}

TEST(WandbChartTest, ErrorsNameTheLineAndTheRemedy) {
  EXPECT_THAT(
      ParseWandbChart("Step,a - epoch_seconds\n0,12\n", "c.csv", 1),
      StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("c.csv:2: run 'a'"), HasSubstr("batch_128_2gpus"))));
  EXPECT_THAT(ParseWandbChart("Step,batch_8 - epoch_seconds\n0,twelve\n", "c.csv", 1),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("c.csv:2: ")));
  // A batch in the name is no remedy for a wrong number.
  EXPECT_THAT(ParseWandbChart("Step,batch_8 - epoch_seconds\n0,twelve\n", "c.csv", 1),
              StatusIs(absl::StatusCode::kDataLoss, Not(HasSubstr("batch_128_2gpus"))));
  EXPECT_THAT(ParseWandbChart("Step,batch_8 - gpu.0.temp\n0,12\n", "c.csv", 1),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("found gpu.0.temp")));
}

}  // namespace
}  // namespace lockstep
