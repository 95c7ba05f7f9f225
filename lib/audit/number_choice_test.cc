#include "lib/audit/number_choice.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

void Add(proto::PublishedTable& table, proto::PublishedQuantity quantity, uint32_t devices, uint64_t batch,
         const char* digits) {
  proto::PublishedValue& value = *table.add_value();
  value.set_quantity(quantity);
  value.set_devices(devices);
  value.set_batch(batch);
  value.set_as_printed(digits);
}

// Returns two times in "Table 1" and three speed-ups in "Table 2", the last one with the context "FP32".
PublishedFile Tables() {
  PublishedFile file;
  file.input.set_path("folder/theirs.csv");
  proto::PublishedTable& times = *file.tables.add_table();
  times.set_name("Table 1");
  Add(times, proto::EPOCH_SECONDS, 1, 32, "31.42");
  Add(times, proto::EPOCH_SECONDS, 2, 32, "17.05");
  proto::PublishedTable& speedups = *file.tables.add_table();
  speedups.set_name("Table 2");
  Add(speedups, proto::SPEEDUP, 2, 32, "1.84");
  Add(speedups, proto::SPEEDUP, 4, 32, "3.18");
  Add(speedups, proto::SPEEDUP, 4, 32, "3.2");
  speedups.mutable_value(2)->set_context("FP32");
  file.lines = {{5, 5}, {9, 9, 10}};
  return file;
}

std::vector<std::pair<int, int>> Chosen(absl::string_view words) {
  std::vector<std::pair<int, int>> chosen;
  for (const NumberIndex& number : NumbersDescribed(Tables(), words)) {
    chosen.emplace_back(number.table, number.value);
  }
  return chosen;
}

TEST(NumberChoiceTest, EveryWordMustDescribeTheNumber) {
  EXPECT_THAT(Chosen("SPEEDUP N=2 B=32"), ElementsAre(Pair(1, 0)));
  EXPECT_THAT(Chosen("speedup n=4"), ElementsAre(Pair(1, 1), Pair(1, 2)));
  EXPECT_THAT(Chosen("N=2"), ElementsAre(Pair(0, 1), Pair(1, 0)));
  EXPECT_THAT(Chosen("speedup N=8"), IsEmpty());
  EXPECT_THAT(Chosen("N=2 epoch=1"), IsEmpty());
}

TEST(NumberChoiceTest, ALineIsTakenWithOrWithoutFolder) {
  EXPECT_THAT(Chosen("theirs.csv:9"), ElementsAre(Pair(1, 0), Pair(1, 1)));
  EXPECT_THAT(Chosen("folder/theirs.csv:10"), ElementsAre(Pair(1, 2)));
  EXPECT_THAT(Chosen("theirs.csv:9 N=4"), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(Chosen("irs.csv:9"), IsEmpty());
}

TEST(NumberChoiceTest, OtherWordsAreDigitsTableOrContext) {
  EXPECT_THAT(Chosen("3.18"), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(Chosen("3.1"), IsEmpty());  // all digits are needed
  EXPECT_THAT(Chosen("Table 2 N=2"), ElementsAre(Pair(1, 0)));
  EXPECT_THAT(Chosen("fp32"), ElementsAre(Pair(1, 2)));
}

TEST(NumberChoiceTest, ANumberMayBeGivenAsItsTablePrintsIt) {
  PublishedFile file;
  proto::PublishedTable& table = *file.tables.add_table();
  Add(table, proto::RUN_SECONDS, 1, 32, "3725");     // 1:02:05
  Add(table, proto::EPOCH_SECONDS, 1, 32, "125.3");  // 2:05.3
  Add(table, proto::EFFICIENCY_PERCENT, 4, 32, "97");
  Add(table, proto::ITEMS_PER_SECOND, 4, 32, "1024");
  Add(table, proto::ITERATION_SECONDS, 4, 32, "0.250");
  Add(table, proto::RUN_SECONDS, 4, 32, "12.5");
  table.mutable_value(5)->set_unit_seconds(60);
  const auto chosen = [&](absl::string_view words) {
    std::vector<int> values;
    for (const NumberIndex& number : NumbersDescribed(file, words)) {
      values.push_back(number.value);
    }
    return values;
  };
  EXPECT_THAT(chosen("1:02:05"), ElementsAre(0));
  EXPECT_THAT(chosen("RUN_SECONDS 1:02:05"), ElementsAre(0));
  EXPECT_THAT(chosen("2:05.3"), ElementsAre(1));
  EXPECT_THAT(chosen("2:05"), IsEmpty());
  EXPECT_THAT(chosen("97%"), ElementsAre(2));
  EXPECT_THAT(chosen("1,024"), ElementsAre(3));
  EXPECT_THAT(chosen("250ms"), ElementsAre(4));
  EXPECT_THAT(chosen("12.5min"), ElementsAre(5));
  EXPECT_THAT(chosen("12.5 min N=4"), ElementsAre(5));
  EXPECT_THAT(chosen("12.5h"), IsEmpty());
}

TEST(NumberChoiceTest, NamesAndLocations) {
  const PublishedFile file = Tables();
  EXPECT_EQ(NumberName(file.tables.table(1).value(2)), "SPEEDUP N=4 B=32 FP32");
  EXPECT_EQ(NumberLocation(file, {1, 2}), "folder/theirs.csv:10");
  PublishedFile chart = file;
  chart.lines.clear();
  EXPECT_EQ(NumberLocation(chart, {1, 2}), "folder/theirs.csv");
}

}  // namespace
}  // namespace lockstep
