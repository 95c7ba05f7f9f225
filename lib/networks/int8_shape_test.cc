#include "lib/networks/int8_shape.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(Int8ShapeTest, OnlyTheShapeOfCifar10) {
  EXPECT_TRUE(IsInt8Shape(10, 32, 32));
  EXPECT_FALSE(IsInt8Shape(100, 32, 32));
  EXPECT_FALSE(IsInt8Shape(9, 32, 32));
  EXPECT_FALSE(IsInt8Shape(10, 48, 32));
  EXPECT_FALSE(IsInt8Shape(10, 32, 48));
}

TEST(Int8ShapeTest, AShapeInWords) {
  EXPECT_EQ(ClassesAndPixels(100, 64, 48), "100 classes of 64x48 pixels");
  EXPECT_EQ(Int8ShapeText(), "10 classes of 32x32 pixels");
}

}  // namespace
}  // namespace lockstep
