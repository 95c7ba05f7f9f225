#include "lib/published/quantity_unit.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

TEST(QuantityUnitTest, MovingThePointChangesNoDigit) {
  EXPECT_EQ(MovePoint("250", -3), "0.250");
  EXPECT_EQ(MovePoint("1234.50", -3), "1.23450");
  EXPECT_EQ(MovePoint("5", -6), "0.000005");
  EXPECT_EQ(MovePoint("-80.5", -3), "-0.0805");
  EXPECT_EQ(MovePoint("0.97", 2), "97");
  EXPECT_EQ(MovePoint("0.975", 2), "97.5");
  EXPECT_EQ(MovePoint("1.00", 2), "100");
  EXPECT_EQ(MovePoint("0.9", 2), "9e1");
  EXPECT_EQ(MovePoint("0", 2), "0e2");
  EXPECT_EQ(MovePoint(".5", -1), "0.05");
  EXPECT_EQ(MovePoint("1.5e3", -3), "1.5e0");
}

TEST(QuantityUnitTest, UnitsOfQuantities) {
  EXPECT_TRUE(IsUnitOf("ms", proto::EPOCH_SECONDS));
  EXPECT_FALSE(IsUnitOf("GB/s", proto::EPOCH_SECONDS));
  EXPECT_FALSE(IsUnitOf("", proto::EPOCH_SECONDS));
  EXPECT_TRUE(IsUnitOf("tokens/s", proto::ITEMS_PER_SECOND));
  EXPECT_FALSE(IsUnitOf("%", proto::SPEEDUP));
  EXPECT_TRUE(IsUnitOf("1", proto::EFFICIENCY_PERCENT));
  EXPECT_TRUE(NeedsUnit(proto::ITEMS_PER_SECOND));
  EXPECT_FALSE(NeedsUnit(proto::SPEEDUP));
}

TEST(QuantityUnitTest, NumbersInTheUnitOfTheSchema) {
  constexpr double kGibibyte = 1073741824;
  EXPECT_EQ(InUnitOfQuantity(proto::EPOCH_SECONDS, "250", "ms", 0)->digits, "0.250");
  EXPECT_EQ(InUnitOfQuantity(proto::TRAFFIC_GIGABYTES, "44.7", "MB", 0)->digits, "0.0447");
  EXPECT_EQ(InUnitOfQuantity(proto::TRAFFIC_GIGABYTES, "1.5", "GiB", kGibibyte)->digits, "1.5");
  EXPECT_EQ(InUnitOfQuantity(proto::ACCURACY_PERCENT, "0.9", "1", 0)->quantity, proto::ACCURACY_FRACTION);
  EXPECT_EQ(InUnitOfQuantity(proto::ACCURACY_PERCENT, "90", "%", 0)->quantity, proto::ACCURACY_PERCENT);
  EXPECT_THAT(InUnitOfQuantity(proto::SPEEDUP, "1.9", "", 0), IsOk());
  EXPECT_THAT(InUnitOfQuantity(proto::TRAFFIC_GIGABYTES, "1.5", "GiB", 1e9),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("bytes_per_gigabyte = 1073741824")));
  EXPECT_EQ(InUnitOfQuantity(proto::EPOCH_SECONDS, "2.5", "h", 0)->digits, "2.5");
  EXPECT_EQ(InUnitOfQuantity(proto::EPOCH_SECONDS, "2.5", "h", 0)->unit_seconds, 3600);
  EXPECT_EQ(InUnitOfQuantity(proto::EPOCH_SECONDS, "2.5", "min", 0)->unit_seconds, 60);
  EXPECT_EQ(InUnitOfQuantity(proto::EPOCH_SECONDS, "2.5", "s", 0)->unit_seconds, 0);
  EXPECT_EQ(InUnitOfQuantity(proto::EPOCH_JOULES, "1.25", "kWh", 0)->unit_joules, 3.6e6);
  EXPECT_EQ(InUnitOfQuantity(proto::EPOCH_JOULES, "12.5", "kJ", 0)->digits, "125e2");
  EXPECT_EQ(InUnitOfQuantity(proto::POWER_WATTS, "1.2345", "kW", 0)->digits, "1234.5");
  EXPECT_TRUE(IsUnitOf("Wh", proto::RUN_JOULES));
  EXPECT_FALSE(IsUnitOf("W", proto::RUN_JOULES));
  EXPECT_THAT(InUnitOfQuantity(proto::SPEEDUP, "2.5", "h", 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("unit h contradicts speedup")));
  EXPECT_THAT(InUnitOfQuantity(proto::EPOCH_SECONDS, "2.5", "mm:ss", 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected a clock time")));
  EXPECT_THAT(InUnitOfQuantity(proto::SPEEDUP_PERCENT, "0.9", "1", 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("contradicts")));
}

}  // namespace
}  // namespace lockstep
