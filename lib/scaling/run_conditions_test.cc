#include "lib/scaling/run_conditions.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Run of 2048 images on "a CPU".
struct MadeRun {
  explicit MadeRun(const std::string& settings) {
    header.add_device()->set_name("a CPU");
    model.set_training_images(2048);
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(settings, &training));
  }
  RunConditions Conditions() const { return {&header, &model, &training}; }

  proto::Header header;
  proto::ModelFacts model;
  proto::TrainingSpec training;
};

TEST(RunConditionsTest, EachDifferenceIsNamedLikeItsFlag) {
  const MadeRun fp32("model: 'lenet5' device: CPU precision: FP32 threads: 4 lr_milestones: [60, 80]");
  MadeRun bf16(
      "model: 'mlp' device: CPU precision: BF16 threads: 2 lr_milestones: 60 augment: true momentum: 0.9 "
      "normalization { source: 'none' }");
  bf16.header.mutable_device(0)->set_name("another CPU");
  bf16.model.set_training_images(1024);
  EXPECT_THAT(ConditionDifferences(fp32.Conditions(), bf16.Conditions()),
              ElementsAre("1024 training images instead of 2048", "device 'another CPU' instead of 'a CPU'",
                          "model mlp instead of lenet5", "precision bf16 instead of fp32",
                          "augment true instead of false", "momentum 0.9 instead of 0", "threads 2 instead of 4",
                          "lr_milestones 60 instead of 60,80", "normalization source: \"none\" instead of none"));
  EXPECT_EQ(WhyConditionsDiffer(fp32.Conditions(), bf16.Conditions()),
            "1024 training images instead of 2048, device 'another CPU' instead of 'a CPU', model mlp instead of "
            "lenet5, precision bf16 instead of fp32, augment true instead of false, and 4 more");
}

TEST(RunConditionsTest, SettingsWithoutEffectOnATimeAreNoDifference) {
  const MadeRun plain("model: 'lenet5' device: CPU");
  for (const char* same : {"seed: 7", "warmup_epochs: 2 repeats: 9", "cuda_graph: false", "step: AUTOGRAD"}) {
    const MadeRun other(std::string("model: 'lenet5' device: CPU ") + same);
    EXPECT_THAT(ConditionDifferences(plain.Conditions(), other.Conditions()), IsEmpty()) << same;
    EXPECT_EQ(ConditionsKey(plain.Conditions()), ConditionsKey(other.Conditions())) << same;
  }
  const MadeRun gpu("device: CUDA threads: 2"), same_gpu("device: CUDA threads: 4");
  EXPECT_EQ(WhyConditionsDiffer(gpu.Conditions(), same_gpu.Conditions()), "");
}

TEST(RunConditionsTest, AllRunsHaveTheSameSettings) {
  const std::vector<TrainingSetting> none = ComparableSettings({});
  const std::vector<TrainingSetting> some =
      ComparableSettings(MadeRun("device: CUDA precision: BF16 threads: 4 seed: 7 lr_milestones: [60, 80]").training);
  ASSERT_EQ(none.size(), some.size());
  std::vector<std::string> differing;
  for (size_t i = 0; i < none.size(); ++i) {
    EXPECT_EQ(none[i].name, some[i].name);
    if (none[i].value != some[i].value) {
      differing.push_back(some[i].name + "=" + some[i].value);
    }
  }
  EXPECT_THAT(differing, ElementsAre("device=cuda", "precision=bf16", "lr_milestones=60,80"));
}

// A newer version may have settings that this one cannot name.
TEST(RunConditionsTest, AnUnknownSettingIsADifference) {
  const MadeRun plain("model: 'lenet5'");
  MadeRun newer("model: 'lenet5'");
  newer.training.GetReflection()->MutableUnknownFields(&newer.training)->AddVarint(1000, 1);
  EXPECT_EQ(WhyConditionsDiffer(plain.Conditions(), newer.Conditions()), "settings that this version does not know");
  EXPECT_NE(ConditionsKey(plain.Conditions()), ConditionsKey(newer.Conditions()));
}

}  // namespace
}  // namespace lockstep
