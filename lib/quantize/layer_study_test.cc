#include "lib/quantize/layer_study.h"

#include <algorithm>
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/int8/plain_calibration_testing.h"
#include "lib/int8/quantize_layers.h"
#include "lib/int8/random_network_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Biases;
using ::lockstep::testing::CalibratePlainly;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RandomNetwork;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::SmallResidualLayers;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint32_t kImages = 60;

class LayerStudyTest : public ::testing::Test {
 protected:
  // Quantizes so that the output of layer `ruined` is rounded to 0; without biases, all logits then become 0, too.
  void Quantize(const std::string& ruined) {
    proto::QuantizeSpec spec;
    spec.set_weight_range(proto::MAX_ABS);
    spec.set_activation_range(proto::MIN_MAX);
    const auto calibration = CalibratePlainly(network_, {set_, {0, 1, 2, 3, 4, 5, 6, 7}, images_.normalization});
    ASSERT_THAT(calibration, IsOk());
    const auto record = QuantizeLayers(network_, *calibration, spec);
    ASSERT_THAT(record, IsOk());
    record_ = *record;
    for (proto::QuantizedLayer& layer : *record_.mutable_layer()) {
      if (layer.name() == ruined) {
        layer.set_tensor_scale(layer.tensor_scale() / 300);
      }
    }
  }

  const proto::StudiedLayer& Studied(const proto::LayerStudy& study, const std::string& name) const {
    return *std::find_if(study.layer().begin(), study.layer().end(),
                         [&](const proto::StudiedLayer& layer) { return layer.name() == name; });
  }

  // Sets the labels to the fp32 network's predictions, so that fp32 is right on all images.
  void LabelByFp32() {
    for (uint32_t i = 0; i < kImages; ++i) {
      const std::vector<float> image = lockstep::testing::ChannelsLast(NormalizedImage(set_, i, images_.normalization));
      const std::vector<float> logits = RunFloat(network_, image.data());
      set_.labels[i] = static_cast<uint8_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    }
  }

  void SetUp() override {
    for (uint32_t i = 0; i < kImages; ++i) {
      images_.indices.push_back(i);
    }
    LabelByFp32();
  }

  const FloatNetwork network_ = RandomNetwork(SmallResidualLayers(), Biases::kNone, 11);
  ImageSet set_ = SmallImageSet(proto::TRAIN, kImages);
  ImageSelection images_ = {set_, {}, MakeNormalizationTable({.5f, .5f, .5f}, {.25f, .25f, .25f})};
  proto::QuantizedNetwork record_;
};

TEST_F(LayerStudyTest, EveryTensorIsStudiedInItsOrder) {
  Quantize("");
  const auto study = StudyLayers(network_, record_, images_, ProgressPart{"test"});
  ASSERT_THAT(study, IsOk());
  std::vector<std::string> names;
  for (const proto::StudiedLayer& layer : study->layer()) {
    names.push_back(layer.name());
  }
  EXPECT_THAT(names, ElementsAre("image", "stem", "block.conv1", "block.conv2", "block.shortcut", "block.add", "pool",
                                 "linear"));
  EXPECT_EQ(study->images(), kImages);
  EXPECT_EQ(study->correct_fp32(), kImages);
  EXPECT_FALSE(Studied(*study, "block.add").has_weight_snr_db());
  EXPECT_FALSE(Studied(*study, "image").has_alone_snr_db());
}

// Rounding to steps of d adds noise of power d^2 / 12. A uniform weight in [-127 d, 127 d] has the power (127 d)^2 / 3:
// 64,516 times as much, 48.1 dB. The sample consists of some dozens to hundreds of weights.
TEST_F(LayerStudyTest, WeightsHaveTheNoiseOfTheirSteps) {
  Quantize("");
  const auto study = StudyLayers(network_, record_, images_, ProgressPart{"test"});
  ASSERT_THAT(study, IsOk());
  for (const std::string name : {"stem", "block.conv1", "block.conv2"}) {
    EXPECT_NEAR(Studied(*study, name).weight_snr_db(), 10 * std::log10(127.0 * 127 * 4), 1.5) << name;
  }
}

TEST_F(LayerStudyTest, NoiseAddsUpAlongTheNetwork) {
  Quantize("");
  const auto study = StudyLayers(network_, record_, images_, ProgressPart{"test"});
  ASSERT_THAT(study, IsOk());
  for (const std::string name : {"block.conv2", "block.add", "pool", "linear"}) {
    const proto::StudiedLayer& layer = Studied(*study, name);
    EXPECT_GT(layer.alone_snr_db(), layer.cumulative_snr_db()) << name;
    EXPECT_GT(layer.cumulative_snr_db(), 15) << name;
  }
}

TEST_F(LayerStudyTest, ARuinedLayerIsFoundAndPutBack) {
  Quantize("stem");
  auto study = StudyLayers(network_, record_, images_, ProgressPart{"test"});
  ASSERT_THAT(study, IsOk());
  EXPECT_EQ(BySensitivity(*study).front(), "stem");
  const proto::StudiedLayer& ruined = Studied(*study, "stem");
  EXPECT_EQ(ruined.alone_snr_db(), 0);  // the whole signal is lost
  EXPECT_LT(study->correct_int8(), kImages);
  EXPECT_GT(ruined.correct_without(), study->correct_int8());
  EXPECT_EQ(ruined.correct_alone(), study->correct_int8());
  EXPECT_LT(ruined.divergence_without(), study->divergence_int8() / 10);
  for (const proto::StudiedLayer& layer : study->layer()) {
    EXPECT_LE(layer.divergence_alone(), ruined.divergence_alone()) << layer.name();
  }

  ASSERT_THAT(AddFallback(network_, record_, images_, set_, /*wanted_drop=*/10, ProgressPart{"test"}, *study), IsOk());
  ASSERT_FALSE(study->fallback().empty());
  EXPECT_EQ(study->fallback(0).layer(), "stem");
  EXPECT_EQ(study->fallback(0).correct(), ruined.correct_without());
  EXPECT_EQ(study->fallback_test_images(), kImages);
  EXPECT_GE(study->fallback_test_correct(), kImages * 9 / 10);
}

TEST_F(LayerStudyTest, NothingIsPutBackWhereInt8IsGoodEnough) {
  Quantize("");
  auto study = StudyLayers(network_, record_, images_, ProgressPart{"test"});
  ASSERT_THAT(study, IsOk());
  ASSERT_THAT(AddFallback(network_, record_, images_, set_, /*wanted_drop=*/50, ProgressPart{"test"}, *study), IsOk());
  EXPECT_THAT(study->fallback(), IsEmpty());
}

}  // namespace
}  // namespace lockstep
