#include "lib/quantize/fallback_text.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

proto::LayerStudy Study(uint32_t fp32, uint32_t int8) {
  proto::LayerStudy study;
  study.set_images(30);
  study.set_correct_fp32(fp32);
  study.set_correct_int8(int8);
  return study;
}

TEST(FallbackTextTest, NoLayerIsStatedToo) {
  EXPECT_EQ(FallbackText(Study(21, 21), 0.1),
            "0 layers returned to fp32: 21 of the study's 30 images correct, fp32 21; a drop of at most 0.1 points is "
            "reached");
}

TEST(FallbackTextTest, LayersAreNamedWithTheirResult) {
  proto::LayerStudy study = Study(30, 20);
  study.add_fallback()->set_layer("conv1");
  study.mutable_fallback(0)->set_correct(28);
  study.set_fallback_test_correct(900);
  study.set_fallback_test_images(1000);
  EXPECT_EQ(FallbackText(study, 10),
            "1 layer returned to fp32 (conv1): 28 of the study's 30 images correct, fp32 30; 900 of 1000 test images; "
            "a drop of at most 10 points is reached");
  study.add_fallback()->set_layer("fc");
  study.mutable_fallback(1)->set_correct(29);
  EXPECT_EQ(FallbackText(study, 1),
            "2 layers returned to fp32 (conv1, fc): 29 of the study's 30 images correct, fp32 30; 900 of 1000 test "
            "images; a drop of at most 1 points is not reached");
}

}  // namespace
}  // namespace lockstep
