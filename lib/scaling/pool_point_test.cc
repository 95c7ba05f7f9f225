#include "lib/scaling/pool_point.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

proto::ScalePoint PointOf(const std::string& text) {
  proto::ScalePoint point;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &point)) << text;
  return point;
}

TEST(PoolPointTest, AllSamplesAreAppended) {
  proto::ScalePoint point = PointOf(
      "ranks: 2 epoch_seconds { value: [1, 2] } step_seconds { absent_reason: 'not timed' } bucket { size_bytes: 8 } "
      "exposed_seconds { value: 0.5 } probe { size_bytes: 4000 seconds { value: [0.1, 0.2] } } "
      "star { scatter_seconds { value: 0.25 } }");
  PoolPoint(PointOf("ranks: 2 epoch_seconds { value: 3 } step_seconds { value: 2.5 } bucket { size_bytes: 8 } "
                    "exposed_seconds { absent_reason: 'not timed' } probe { size_bytes: 4000 seconds { value: 0.3 } } "
                    "star { scatter_seconds { value: 0.75 } reduce_seconds { value: 0.5 } }"),
            "four.rec", "two.rec", point);
  EXPECT_THAT(point.epoch_seconds().value(), ElementsAre(1, 2, 3));
  EXPECT_THAT(point.step_seconds().value(), ElementsAre(2.5));
  EXPECT_EQ(point.step_seconds().absent_reason(), "");
  EXPECT_THAT(point.exposed_seconds().value(), ElementsAre(0.5));
  EXPECT_THAT(point.probe().seconds().value(), ElementsAre(0.1, 0.2, 0.3));
  EXPECT_THAT(point.star().scatter_seconds().value(), ElementsAre(0.25, 0.75));
  EXPECT_THAT(point.star().reduce_seconds().value(), ElementsAre(0.5));
  EXPECT_THAT(point.bucket(), SizeIs(1));
  EXPECT_FALSE(point.has_data_wait_seconds());
}

TEST(PoolPointTest, TheFilesAreNamedInTheOrderInWhichTheyWerePooled) {
  proto::ScalePoint point;
  point.set_detail("of the outcome");
  EXPECT_EQ(PooledFiles(point), "");
  PoolPoint({}, "b.rec", "a.rec", point);
  EXPECT_EQ(PooledFiles(point), "a.rec and b.rec");
  PoolPoint({}, "c.rec", "a.rec", point);
  EXPECT_THAT(point.pooled_file(), ElementsAre("a.rec", "b.rec", "c.rec"));
  EXPECT_EQ(PooledFiles(point), "a.rec and b.rec and c.rec");
  EXPECT_EQ(point.detail(), "of the outcome");
}

TEST(PoolPointTest, AProbeOfAnotherSizeIsNotAppended) {
  proto::ScalePoint point = PointOf("probe { size_bytes: 4000 seconds { value: 0.1 } }");
  PoolPoint(PointOf("probe { size_bytes: 8000 seconds { value: 0.2 } }"), "b", "a", point);
  EXPECT_THAT(point.probe().seconds().value(), ElementsAre(0.1));
  proto::ScalePoint without;
  PoolPoint(point, "b", "a", without);
  EXPECT_THAT(without.probe().seconds().value(), ElementsAre(0.1));
}

TEST(PoolPointTest, EqualEpochsAreACopy) {
  const proto::ScalePoint all = PointOf("epoch_seconds { value: [1, 2, 3] }");
  EXPECT_TRUE(HasEpochsOf(all, PointOf("epoch_seconds { value: [2, 3] }")));
  EXPECT_FALSE(HasEpochsOf(all, PointOf("epoch_seconds { value: [3, 2] }")));
  EXPECT_FALSE(HasEpochsOf(all, proto::ScalePoint()));
}

}  // namespace
}  // namespace lockstep
