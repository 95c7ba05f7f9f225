#include "lib/quantize/fine_tune.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
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
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint32_t kImages = 60;

class FineTuneTest : public ::testing::Test {
 protected:
  FineTuneTest() : set_(SmallImageSet(proto::TRAIN, kImages)) {
    spec_.set_weight_range(proto::MAX_ABS);
    spec_.set_activation_range(proto::MIN_MAX);
    spec_.set_per_channel(true);
    spec_.set_fine_tune_epochs(4);
    spec_.set_fine_tune_batch(16);
    spec_.set_fine_tune_learning_rate(0.02);
    record_ = Record(network_);
  }

  ImageSelection Some() const {
    return {set_, {0, 7, 14, 21, 28, 35, 42, 49}, MakeNormalizationTable({0.5f, 0.5f, 0.5f}, {0.125f, 0.25f, 0.375f})};
  }

  proto::QuantizedNetwork Record(const FloatNetwork& network) const {
    const auto calibration = CalibratePlainly(network_, Some());
    EXPECT_THAT(calibration, IsOk());
    auto record = QuantizeLayers(network, *calibration, spec_);
    EXPECT_THAT(record, IsOk());
    for (const float std : {0.125f, 0.25f, 0.375f}) {
      record->add_mean(0.5f);
      record->add_std(std);
    }
    return *record;
  }

  absl::StatusOr<FineTuned> Tune() const {
    return FineTune(network_, record_, set_, spec_, c10::Device(c10::kCPU), ProgressPart{"test"});
  }

  ImageSet set_;
  proto::QuantizeSpec spec_;
  const FloatNetwork network_ = RandomNetwork(SmallResidualLayers(), Biases::kRandom, 2);
  proto::QuantizedNetwork record_;
};

TEST_F(FineTuneTest, TheLossGoesDown) {
  const auto tuned = Tune();
  ASSERT_THAT(tuned, IsOk());
  EXPECT_EQ(tuned->summary.steps(), 4u * 4);  // 60 images: three batches of 16 and one of 12
  ASSERT_EQ(tuned->summary.epoch_loss_size(), 4);
  EXPECT_LT(tuned->summary.epoch_loss(3), tuned->summary.epoch_loss(0));
}

// Images of one colour each: the first three bits of the label, so that 8 and 9 look like 0 and 1. Guessing costs ln 10
// = 2.303.
TEST_F(FineTuneTest, LearnsWhatCanBeLearnt) {
  for (size_t i = 0; i < set_.pixels.size(); ++i) {
    const size_t channel = i / kPlaneBytes % kImageChannels;
    set_.pixels[i] = (set_.labels[i / kImageBytes] >> channel & 1) != 0 ? 200 : 60;
  }
  spec_.set_fine_tune_epochs(100);
  spec_.set_fine_tune_learning_rate(0.05);
  const auto tuned = Tune();
  ASSERT_THAT(tuned, IsOk());
  EXPECT_GT(tuned->summary.epoch_loss(0), 2);
  EXPECT_LT(tuned->summary.epoch_loss(99), 1.7);
}

TEST_F(FineTuneTest, TheForwardPassOfTheResultIsTheIntegersOfItsRecord) {
  const auto tuned = Tune();
  ASSERT_THAT(tuned, IsOk());
  const proto::QuantizedNetwork record = Record(tuned->network);
  proto::FineTuning summary;
  const c10::Device cpu(c10::kCPU);
  ASSERT_THAT(CompareWithIntegers(tuned->network, record, spec_, Some(), MakePlainRunner, cpu, summary), IsOk());
  EXPECT_EQ(summary.compared_logits(), 8u * 10);
  EXPECT_EQ(summary.different_logits(), 0u);

  proto::FineTuning planted;  // weights before fine-tuning, compared with the record after it
  ASSERT_THAT(CompareWithIntegers(network_, record, spec_, Some(), MakePlainRunner, cpu, planted), IsOk());
  EXPECT_GT(planted.different_logits(), 40u);
}

TEST_F(FineTuneTest, IsAFunctionOfTheSeed) {
  const auto first = Tune(), again = Tune();
  spec_.set_seed(1);
  const auto seeded = Tune();
  ASSERT_THAT(first, IsOk());
  bool other = false;
  for (size_t i = 0; i < network_.layers.size(); ++i) {
    EXPECT_EQ(first->network.layers[i].weight, again->network.layers[i].weight);
    EXPECT_EQ(first->network.layers[i].bias, again->network.layers[i].bias);
    other = other || first->network.layers[i].weight != seeded->network.layers[i].weight;
  }
  EXPECT_TRUE(other);
}

TEST_F(FineTuneTest, ALearningRateThatDivergesIsNamed) {
  spec_.set_fine_tune_learning_rate(1e30);
  EXPECT_THAT(Tune(), StatusIs(absl::StatusCode::kInvalidArgument,
                               AllOf(HasSubstr("diverged"), HasSubstr("--fine_tune_learning_rate below 1e+30"))));
}

// If weights are so large that all outputs saturate, the loss is a number, but worse than that of guessing.
TEST_F(FineTuneTest, ALossThatOnlyRisesIsDivergence) {
  spec_.set_fine_tune_learning_rate(50);
  EXPECT_THAT(Tune(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("diverged")));
}

TEST_F(FineTuneTest, ANetworkThatIsNoNumberIsRefusedAtTheFirstStep) {
  FloatNetwork broken = network_;
  broken.layers[0].bias[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(FineTune(broken, record_, set_, spec_, c10::Device(c10::kCPU), ProgressPart{"test"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("after 0 steps")));
}

}  // namespace
}  // namespace lockstep
