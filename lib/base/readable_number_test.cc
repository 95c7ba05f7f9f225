#include "lib/base/readable_number.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ReadableNumberTest, SecondsHaveThreeDigits) {
  EXPECT_EQ(SecondsText(0), "0 s");
  EXPECT_EQ(SecondsText(0.0000751), "75.1 us");
  EXPECT_EQ(SecondsText(0.0009996), "1.00 ms");
  EXPECT_EQ(SecondsText(0.2046), "205 ms");
  EXPECT_EQ(SecondsText(0.9996), "1.00 s");
  EXPECT_EQ(SecondsText(-2.684), "-2.68 s");
  EXPECT_EQ(SecondsText(1233.7), "1234 s");
}

TEST(ReadableNumberTest, BytesHaveThreeDigits) {
  EXPECT_EQ(BytesText(134), "134 bytes");
  EXPECT_EQ(BytesText(246824), "247 kB");
  EXPECT_EQ(BytesText(134086776), "134 MB");
  EXPECT_EQ(BytesText(999.9e6), "1.00 GB");
  EXPECT_EQ(BytesText(0), "0 bytes");
}

}  // namespace
}  // namespace lockstep
