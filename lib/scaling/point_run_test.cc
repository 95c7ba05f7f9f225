#include "lib/scaling/point_run.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

constexpr char kMonday[] = "2026-11-23T09:00:00Z";
constexpr char kTuesday[] = "2026-11-24T10:30:00Z";

proto::Header HeaderAt(const std::string& start) {
  proto::Header header;
  header.set_start_time(start);
  return header;
}

proto::ScalePoint Point(const std::string& text) {
  proto::ScalePoint point;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &point)) << text;
  return point;
}

TEST(PointRunTest, APointIsOfTheHeadersRunUnlessItNamesAnother) {
  const proto::Header header = HeaderAt(kTuesday);
  EXPECT_EQ(RunStartOf(header, Point("")), kTuesday);
  EXPECT_EQ(RunStartOf(header, Point("earlier_run: '2026-11-23T09:00:00Z'")), kMonday);
  EXPECT_EQ(RunStartOf(header, Point("resumed_run: '2026-11-25T08:00:00Z'")), "2026-11-25T08:00:00Z");
  EXPECT_EQ(RunStartOf(header, Point("earlier_run: '2026-11-23T09:00:00Z' resumed_run: '2026-11-25T08:00:00Z'")),
            kMonday);  // the record grew after it had been resumed
  EXPECT_EQ(RunStartOf(header, Point("pooled_file: 'a.rec' pooled_file: 'b.rec'")), "");
}

TEST(PointRunTest, UnknownStartsAreNotTwoRuns) {
  EXPECT_TRUE(AreTwoRuns(kMonday, kTuesday));
  EXPECT_FALSE(AreTwoRuns(kMonday, kMonday));
  EXPECT_FALSE(AreTwoRuns("", kTuesday));
  EXPECT_FALSE(AreTwoRuns(kMonday, ""));
}

// The record was made on Monday and grew on Tuesday.
std::vector<proto::ScalePoint> GrownPoints() {
  const std::string monday = " earlier_run: '2026-11-23T09:00:00Z' ";
  return {Point("ranks: 1 batch_per_device: 32 global_batch: 32 reduction: PLAIN" + monday),
          Point("ranks: 2 batch_per_device: 32 global_batch: 64 reduction: ALL_REDUCE" + monday),
          Point("ranks: 4 batch_per_device: 32 global_batch: 128 reduction: ALL_REDUCE"),
          Point("ranks: 8 batch_per_device: 32 global_batch: 256 reduction: ALL_REDUCE")};
}

TEST(PointRunTest, RanksOfAnotherRunThanTheirBaseCaseAreNamed) {
  EXPECT_EQ(DifferentRunsOf(HeaderAt(kTuesday), GrownPoints()),
            "the times of 1 and 4, 8 ranks were measured in different runs (begun at 2026-11-23T09:00:00Z and "
            "2026-11-24T10:30:00Z)");
  std::vector<proto::ScalePoint> one_run = GrownPoints();
  one_run.resize(2);
  EXPECT_EQ(DifferentRunsOf(HeaderAt(kTuesday), one_run), "");
}

// The strong speed-up divides the time of one rank at the global batch.
TEST(PointRunTest, ABaseCaseAtTheGlobalBatchCounts) {
  const std::vector<proto::ScalePoint> points = {
      Point("ranks: 1 batch_per_device: 64 global_batch: 64 reduction: PLAIN"),
      Point(
          "ranks: 2 batch_per_device: 32 global_batch: 64 reduction: ALL_REDUCE resumed_run: '2026-11-24T10:30:00Z'")};
  EXPECT_THAT(DifferentRunsOf(HeaderAt(kMonday), points), HasSubstr("1 and 2 ranks"));
}

TEST(PointRunTest, PointsThatNoSpeedupDividesAreNotCompared) {
  for (const char* other : {"reduction: ABLATED", "reduction: ALL_REDUCE row: '128'",
                            "reduction: ALL_REDUCE preset: 'fast'", "reduction: ALL_REDUCE batch_per_device: 16"}) {
    proto::ScalePoint point = Point("ranks: 2 batch_per_device: 32 global_batch: 64");
    point.MergeFrom(Point(other));
    const proto::ScalePoint base =
        Point("ranks: 1 batch_per_device: 32 reduction: PLAIN earlier_run: '2026-11-23T09:00:00Z'");
    EXPECT_EQ(DifferentRunsOf(HeaderAt(kTuesday), {base, point}), "") << other;
  }
}

}  // namespace
}  // namespace lockstep
