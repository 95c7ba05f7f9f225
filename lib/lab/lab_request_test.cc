#include "lib/lab/lab_request.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

LabFacts Images(uint32_t height, uint32_t width) {
  LabFacts facts;
  facts.height = height;
  facts.width = width;
  return facts;
}

TEST(LabRequestTest, ARecordIsKnownByItsName) {
  LabRequest request;
  EXPECT_FALSE(InputIsRecord(request));
  request.input = "cifar-10-binary.tar.gz";
  EXPECT_FALSE(InputIsRecord(request));
  request.input = "sets/mine.rec";
  EXPECT_TRUE(InputIsRecord(request));
}

TEST(LabRequestTest, LeNetNeedsImagesOf16Pixels) {
  EXPECT_TRUE(FitsImages("lenet5", Images(16, 32)));
  EXPECT_FALSE(FitsImages("lenet5", Images(32, 15)));
  EXPECT_TRUE(FitsImages("resnet18", Images(4, 4)));
  EXPECT_EQ(ModelOf({}, Images(16, 16)), "lenet5");
  EXPECT_EQ(ModelOf({}, Images(15, 16)), "resnet18");
}

TEST(LabRequestTest, TheShapeInWords) {
  EXPECT_EQ(ShapeText(LabFacts()), "10 classes of 32x32 pixels");
  EXPECT_EQ(ShapeText(Images(48, 64)), "10 classes of 48x64 pixels");
}

TEST(LabRequestTest, ThereIsATestImageAtLeast) {
  EXPECT_EQ(SyntheticTestImages(2048), 512);
  EXPECT_EQ(SyntheticTestImages(3), 1);
}

}  // namespace
}  // namespace lockstep
