#include "lib/lab/lab_costs.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Measured seconds per 50,000 images (the sources are in lab_costs.cc), within 4 %.
TEST(LabCostsTest, TheMeasuredEpochs) {
  LabFacts gpu;
  gpu.gpus = 1;
  EXPECT_NEAR(EpochSeconds(gpu, "resnet18", "fast", 50000, 512), 0.399, 0.016);
  EXPECT_NEAR(EpochSeconds(gpu, "resnet18", "fast", 50000, 128), 0.474, 0.019);
  EXPECT_NEAR(EpochSeconds(gpu, "resnet18", "fast", 50000, 32), 0.788, 0.032);
  EXPECT_NEAR(EpochSeconds(gpu, "resnet18", "lab", 5000, 512), 0.537, 0.021);
  EXPECT_NEAR(EpochSeconds(gpu, "resnet18", "lab", 5000, 128), 0.614, 0.025);
  EXPECT_NEAR(EpochSeconds(gpu, "resnet18", "lab", 5000, 32), 0.848, 0.034);
  EXPECT_NEAR(EpochSeconds(LabFacts(), "lenet5", "lab", 2048, 32), 0.255, 0.010);
  EXPECT_NEAR(EpochSeconds(LabFacts(), "lenet5", "lab", 2048, 256), 0.227, 0.009);
  EXPECT_NEAR(EpochSeconds(LabFacts(), "resnet18", "lab", 32, 16), 0.864, 0.035);
}

TEST(LabCostsTest, TheProbeOfTheCpuInTheTableHasSpeedOne) {
  EXPECT_NEAR(kProbeImagesPerSecond * EpochSeconds(LabFacts(), "lenet5", "lab", 1, kProbeBatch), 1, 0.01);
}

// Four times the pixels take four times as long, less what a step costs whatever its images.
TEST(LabCostsTest, LargerImagesTakeMoreTime) {
  LabFacts large;
  large.height = large.width = 64;
  const double ratio =
      EpochSeconds(large, "lenet5", "lab", 2048, 32) / EpochSeconds(LabFacts(), "lenet5", "lab", 2048, 32);
  EXPECT_GT(ratio, 3);
  EXPECT_LT(ratio, 4);
}

TEST(LabCostsTest, AFasterCpuTakesLessTime) {
  LabFacts fast;
  fast.cpu_speed = 2;
  fast.cpu_threads = 4;
  EXPECT_DOUBLE_EQ(EpochSeconds(fast, "lenet5", "lab", 100, 32),
                   EpochSeconds(LabFacts(), "lenet5", "lab", 100, 32) / 2);
  EXPECT_DOUBLE_EQ(EpochSeconds(fast, "resnet18", "lab", 100, 32),
                   EpochSeconds(LabFacts(), "resnet18", "lab", 100, 32) / 8);
}

}  // namespace
}  // namespace lockstep
