#include "lib/published/published_unit.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using testing::IsOk;
using testing::StatusIs;

TEST(PublishedUnitTest, EachQuantityHasItsUnit) {
  EXPECT_EQ(UnitOf(proto::COMMUNICATION_PERCENT), "%");
  EXPECT_EQ(UnitOf(proto::COMMUNICATION_FRACTION), "1");
  EXPECT_EQ(UnitOf(proto::COMPUTE_OVER_COMMUNICATION), "1");
  EXPECT_EQ(UnitOf(proto::LOADING_SECONDS), "s");
  EXPECT_EQ(UnitOf(proto::OPTIMIZER_SECONDS), "s");
  EXPECT_EQ(UnitOf(proto::SERIAL_PERCENT), "%");
  EXPECT_EQ(UnitOf(proto::SERIAL_FRACTION), "1");
  EXPECT_EQ(UnitOf(proto::AMDAHL_SPEEDUP), "1");
  EXPECT_EQ(UnitOf(proto::TRAFFIC_MEGABYTES), "MB");
  EXPECT_EQ(UnitOf(proto::TRAFFIC_MEBIBYTES), "MiB");
  EXPECT_EQ(UnitOf(proto::LEARNING_RATE), "1");
  EXPECT_THAT(CheckUnit("MiB", proto::TRAFFIC_MEBIBYTES), IsOk());
  EXPECT_THAT(CheckUnit("", proto::TRAFFIC_MEGABYTES), IsOk());
}

TEST(PublishedUnitTest, TimesMayBeInMinutesAndHours) {
  EXPECT_THAT(CheckUnit("min", proto::EPOCH_SECONDS), IsOk());
  EXPECT_THAT(CheckUnit("h", proto::COMMUNICATION_SECONDS), IsOk());
  EXPECT_FALSE(CheckUnit("h", proto::SPEEDUP).ok());
  EXPECT_EQ(SecondsOfUnit("min"), 60);
  EXPECT_EQ(SecondsOfUnit("h"), 3600);
  EXPECT_EQ(SecondsOfUnit("s"), 0);
  EXPECT_EQ(UnitOfSeconds(3600), "h");
  EXPECT_EQ(UnitOfSeconds(61), "");
  EXPECT_TRUE(IsRateUnit("tokens/s"));
  EXPECT_FALSE(IsRateUnit("GB/s"));
}

void ExpectRemedy(const std::string& unit, proto::PublishedQuantity quantity, const std::string& remedy) {
  EXPECT_THAT(CheckUnit(unit, quantity), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(remedy)));
}

TEST(PublishedUnitTest, AUnitOfAnotherQuantityNamesThatQuantity) {
  ExpectRemedy("1", proto::COMMUNICATION_PERCENT, "its quantity is communication_fraction");
  ExpectRemedy("%", proto::COMMUNICATION_FRACTION, "its quantity is communication_percent");
  ExpectRemedy("1", proto::SERIAL_PERCENT, "its quantity is serial_fraction");
  ExpectRemedy("%", proto::SERIAL_FRACTION, "its quantity is serial_percent");
  ExpectRemedy("MB", proto::TRAFFIC_GIGABYTES, "its quantity is traffic_megabytes");
  ExpectRemedy("MiB", proto::TRAFFIC_MEGABYTES, "its quantity is traffic_mebibytes");
  ExpectRemedy("GB", proto::TRAFFIC_MEGABYTES, "its quantity is traffic_gigabytes");
  ExpectRemedy("1", proto::EFFICIENCY_PERCENT, "write it in percent");
  ExpectRemedy("ms", proto::FORWARD_SECONDS, "print seconds");
}

}  // namespace
}  // namespace lockstep
