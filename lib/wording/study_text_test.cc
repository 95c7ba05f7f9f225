#include "lib/wording/study_text.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

proto::LayerStudy Study(uint32_t correct_int8) {
  proto::LayerStudy study;
  study.set_images(200);
  study.set_correct_fp32(150);
  study.set_correct_int8(correct_int8);
  const auto add = [&](const char* name, uint32_t correct_without, double divergence_without) {
    proto::StudiedLayer& layer = *study.add_layer();
    layer.set_name(name);
    layer.set_correct_without(correct_without);
    layer.set_divergence_without(divergence_without);
  };
  add("image", 140, 0.05);
  add("conv1", 149, 0.01);
  add("conv2", 139, 0.06);
  add("fc", 142, 0.02);
  return study;
}

TEST(StudyTextTest, TheLayersThatCostMostComeFirst) {
  EXPECT_EQ(StudyText(Study(138)),
            "the layers that cost most are conv1, fc and the input image: with one of them back in fp32, 74.50 %, "
            "71.00 % and 70.00 % of the study's 200 training images are right, 69.00 % with all layers in int8, "
            "75.00 % in fp32");
  EXPECT_EQ(ShortStudyText(Study(138)), "Layers that cost most: conv1, fc, the input image.");
}

TEST(StudyTextTest, ARecordWithoutDivergencesIsOrderedByImages) {
  proto::LayerStudy study = Study(138);
  for (proto::StudiedLayer& layer : *study.mutable_layer()) {
    layer.clear_divergence_without();
  }
  EXPECT_EQ(ShortStudyText(study), "Layers that cost most: conv1, fc, the input image.");
  study.mutable_layer(2)->set_correct_without(151);
  EXPECT_EQ(ShortStudyText(study), "Layers that cost most: conv2, conv1, fc.");
}

TEST(StudyTextTest, NoLayerCostsAccuracyIfInt8LosesNoImage) {
  EXPECT_EQ(ShortStudyText(Study(150)),
            "No layer costs accuracy on the study's 200 images; conv1 changes the outputs most.");
  EXPECT_EQ(StudyText(Study(151)),
            "no layer costs accuracy on the study's 200 training images (75.50 % right with all layers in int8, "
            "75.00 % in fp32); the largest change of the class probabilities is that of conv1");
}

TEST(StudyTextTest, WithoutAStudyThereIsNoText) {
  EXPECT_EQ(StudyText({}), "");
  EXPECT_EQ(ShortStudyText({}), "");
}

}  // namespace
}  // namespace lockstep
