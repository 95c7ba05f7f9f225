#include "lib/scaling/point_energy.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

void AddRank(const char* host, double joules, proto::ScalePoint& point) {
  proto::RankFacts& rank = *point.add_rank();
  rank.set_rank(static_cast<uint32_t>(point.rank_size()) - 1);
  rank.set_host(host);
  rank.mutable_epoch_joules()->set_value(joules);
  rank.mutable_epoch_joules()->set_low(joules - 10);
  rank.mutable_epoch_joules()->set_high(joules + 20);
  rank.mutable_epoch_joules()->set_provenance(proto::MEASURED);
}

proto::ScaleSpec SpecOn(proto::DeviceKind device) {
  proto::ScaleSpec spec;
  spec.mutable_training()->set_device(device);
  return spec;
}

TEST(PointEpochJoulesTest, GpusAreAdded) {
  proto::ScalePoint point;
  AddRank("a", 100, point);
  AddRank("a", 200, point);
  const proto::Quantity joules = PointEpochJoules(SpecOn(proto::CUDA), point);
  EXPECT_EQ(joules.value(), 300);
  EXPECT_EQ(joules.low(), 280);
  EXPECT_EQ(joules.high(), 340);
  EXPECT_THAT(joules.method(), HasSubstr("sum over 2 counters"));
}

TEST(PointEpochJoulesTest, RanksOnTheCpusOfAHostReadOneCounter) {
  proto::ScalePoint point;
  AddRank("a", 100, point);
  AddRank("a", 110, point);
  AddRank("b", 50, point);
  EXPECT_EQ(PointEpochJoules(SpecOn(proto::CPU), point).value(), 160);
}

TEST(PointEpochJoulesTest, ARankWithoutEnergyLeavesNoSum) {
  proto::ScalePoint point;
  AddRank("a", 100, point);
  point.add_rank()->set_rank(1);
  EXPECT_THAT(PointEpochJoules(SpecOn(proto::CUDA), point).absent_reason(), HasSubstr("older"));
  point.mutable_rank(1)->mutable_epoch_joules()->set_absent_reason("no counter");
  EXPECT_EQ(PointEpochJoules(SpecOn(proto::CUDA), point).absent_reason(), "no counter");
}

proto::Quantity Joules(double low, double value, double high) {
  proto::Quantity joules;
  joules.set_low(low);
  joules.set_value(value);
  joules.set_high(high);
  return joules;
}

TEST(PerImageTest, IntervalsAreDividedToo) {
  const proto::Quantity each = JoulesPerImage(Joules(800, 1000, 1250), 500),
                        images = ImagesPerJoule(Joules(800, 1000, 1250), 500);
  EXPECT_EQ(each.value(), 2);
  EXPECT_EQ(each.low(), 1.6);
  EXPECT_EQ(each.high(), 2.5);
  EXPECT_EQ(each.provenance(), proto::DERIVED);
  EXPECT_EQ(images.value(), 0.5);
  EXPECT_EQ(images.low(), 0.4);
  EXPECT_EQ(images.high(), 0.625);
}

TEST(PerImageTest, AnIntervalFromZeroHasNoUpperEndOfImages) {
  EXPECT_FALSE(ImagesPerJoule(Joules(0, 1000, 1250), 500).has_high());
}

TEST(PerImageTest, WithoutImagesThereIsNoQuotient) {
  EXPECT_EQ(JoulesPerImage(Joules(1, 2, 3), 0).absent_reason(), "no images in the epoch");
  EXPECT_FALSE(ImagesPerJoule(Joules(0, 0, 0), 5).has_value());
}

}  // namespace
}  // namespace lockstep
