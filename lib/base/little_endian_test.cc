#include "lib/base/little_endian.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(LittleEndianTest, TheFirstByteIsTheLowest) {
  EXPECT_EQ(LittleEndian(absl::string_view("\x34\x12", 2)), 0x1234u);
  EXPECT_EQ(LittleEndian(absl::string_view("\x01\x00\x00\x00\x00\x00\x00\xf0", 8)), 0xf000000000000001u);
}

TEST(LittleEndianTest, BytesAboveSevenBitsAreNotNegative) { EXPECT_EQ(LittleEndian("\xff\x80"), 0x80ffu); }

TEST(LittleEndianTest, NoByteIsZero) { EXPECT_EQ(LittleEndian(""), 0u); }

}  // namespace
}  // namespace lockstep
