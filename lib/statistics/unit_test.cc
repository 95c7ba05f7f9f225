#include "lib/statistics/unit.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(UnitTest, SizeIsTheReciprocalOfScale) {
  for (const Unit& unit :
       {kNoUnit, kPercent, kSeconds, kMilliseconds, kMicroseconds, kNanoseconds, kKilobytes, kMegabytes, kGigabytes,
        kMebibytes, kGibibytes, kGigabytesPerSecond, kMicrosecondsPerMegabyte, kTeraflopsPerSecond}) {
    EXPECT_DOUBLE_EQ(unit.scale * unit.size, 1) << unit.name;
  }
}

TEST(UnitTest, BinaryUnitsArePowersOf1024) {
  EXPECT_EQ(kMebibytes.size, 1024 * 1024);
  EXPECT_EQ(kGibibytes.size, 1024 * kMebibytes.size);
}

TEST(UnitTest, NumberWithUnit) {
  EXPECT_EQ(NumberWithUnit("12.5", kMilliseconds), "12.5 ms");
  EXPECT_EQ(NumberWithUnit("1.97", kNoUnit), "1.97");
}

TEST(UnitTest, Heading) {
  EXPECT_EQ(HeadingOf("time", kMicroseconds), "time, us");
  EXPECT_EQ(HeadingOf("speed-up", kNoUnit), "speed-up");
}

}  // namespace
}  // namespace lockstep
