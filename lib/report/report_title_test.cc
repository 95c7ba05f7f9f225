#include "lib/report/report_title.h"

#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

TEST(ReportTitleTest, NamesWhatWasRun) {
  LabRecords lab = testing::SmallLab();
  EXPECT_EQ(ReportTitle(lab),
            "Training resnet18 on 2 x GPU <A&B>: batches 32 to 128, 1 to 2 devices; lenet5 and lenet5_bias in int8");
  lab.scales = {testing::SmallLargeBatch(), testing::SmallSent()};
  lab.quantized.clear();
  lab.sweeps.clear();
  EXPECT_NE(ReportTitle(lab).find(": large batches, what is sent"), std::string::npos) << ReportTitle(lab);
}

TEST(ReportTitleTest, ASingleBatchAndInt8Alone) {
  LabRecords lab;
  lab.sweeps.push_back(testing::SmallSweep());
  lab.sweeps[0].points.resize(1);
  EXPECT_EQ(ReportTitle(lab), "Training resnet18 on GPU <A&B>: batch 32");
  lab.sweeps.clear();
  lab.quantized.push_back(testing::SmallQuantized());
  EXPECT_EQ(ReportTitle(lab), "lenet5 and lenet5_bias in int8");
  lab.quantized[0].networks.push_back(lab.quantized[0].networks[0]);
  lab.quantized[0].networks.back().set_name("resnet18");
  EXPECT_EQ(ReportTitle(lab), "3 networks in int8");
}

TEST(ReportTitleTest, WithoutRunsItIsAReport) { EXPECT_EQ(ReportTitle({}), "Lockstep report"); }

}  // namespace
}  // namespace lockstep
