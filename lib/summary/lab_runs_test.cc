#include "lib/summary/lab_runs.h"

#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

TEST(LabRunsTest, MeasuringRunsHaveLettersInTheOrderOfTheRecords) {
  LabRecords lab = testing::SmallLab();
  lab.scales.push_back(testing::SmallSent());
  const std::vector<proto::LabRun> runs = LabRuns(lab);
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0].letter() + " " + runs[0].file(), "A sweep.rec");
  EXPECT_EQ(runs[1].what(), "ResNet-18 on 1, 2 devices, fp32 (TF32 off)");
  EXPECT_EQ(runs[2].what(), "what is sent");
  EXPECT_EQ(runs[3].letter(), "D");
  EXPECT_EQ(runs[1].machine(), "2 x GPU <A&B>");
  EXPECT_EQ(runs[1].date(), "21 November 2026");
  EXPECT_EQ(runs[0].tool() + " " + runs[0].network(), "train_sweep ResNet-18");
  EXPECT_EQ(runs[2].tool() + " " + runs[2].network(), "scale_run ResNet-18");
  EXPECT_EQ(runs[3].tool(), "quantize");
  EXPECT_NE(runs[3].what().find(runs[3].network()), std::string::npos);
  EXPECT_EQ(LetterOf(lab, lab.scales[1]), "C");
  EXPECT_EQ(LetterOf(lab, lab.datasets[0]), "");
}

TEST(LabRunsTest, After26RunsLettersAreDoubled) {
  LabRecords lab;
  lab.sweeps.assign(28, testing::SmallSweep());
  EXPECT_EQ(LabRuns(lab)[25].letter(), "Z");
  EXPECT_EQ(LabRuns(lab)[27].letter(), "AB");
}

TEST(LabRunsTest, ATimeThatIsNoneStays) { EXPECT_EQ(DateText("yesterday"), "yesterday"); }

}  // namespace
}  // namespace lockstep
