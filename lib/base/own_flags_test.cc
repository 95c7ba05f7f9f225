#include "lib/base/own_flags.h"

#include <string>

#include "absl/flags/flag.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

ABSL_FLAG(double, own_flags_rate, 0.5, "Of this test.");

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;

TEST(OwnFlagsTest, HoldThoseOfTheProgramAndNoneOfAbseils) {
  EXPECT_THAT(OwnFlags(), Contains(Key("own_flags_rate")));
  EXPECT_THAT(OwnFlags(), Not(Contains(Key("flagfile"))));
  EXPECT_EQ(OwnFlags()["own_flags_rate"]->CurrentValue(), "0.5");
}

TEST(FindOwnFlagTest, FindsByTheWholeName) {
  EXPECT_EQ(FindOwnFlag("own_flags_rate"), OwnFlags()["own_flags_rate"]);
  EXPECT_EQ(FindOwnFlag("own_flags"), nullptr);
  EXPECT_EQ(FindOwnFlag("flagfile"), nullptr);
}

}  // namespace
}  // namespace lockstep
