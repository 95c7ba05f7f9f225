#include "lib/summary/page_head.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

TEST(PageHeadTest, NamesNetworkAndDevice) {
  const LabRecords lab = testing::SmallLab();
  EXPECT_EQ(ReportTitle(lab), "ResNet-18 on GPU <A&B>");
  EXPECT_EQ(ReportScope(lab), "1 to 2 GPUs: batch size, scaling, communication and int8. Measured 21 November 2026.");
  EXPECT_THAT(Badges(lab),
              ElementsAre("CIFAR-10", "50,000 images per epoch", "fp32 (TF32 off)", "3 timed epochs per point"));
}

TEST(PageHeadTest, SeveralDevicesAndDays) {
  LabRecords lab;
  lab.scales = {testing::SmallLargeBatch(), testing::SmallSent()};
  lab.scales[0].header.mutable_device(0)->set_name("NVIDIA H100 80GB HBM3");
  lab.scales[1].header.mutable_device(0)->set_name("NVIDIA H200");
  lab.scales[1].header.set_start_time("2026-12-02T00:00:00+00:00");
  EXPECT_EQ(ReportTitle(lab), "ResNet-18 on H100 and H200");
  EXPECT_EQ(ReportScope(lab), "2 GPUs: large batches and what is sent. Measured 21 November to 2 December 2026.");
  EXPECT_THAT(Badges(lab), Contains("3 seeds per row"));
}

TEST(PageHeadTest, AtMostFiveWords) {
  LabRecords lab;
  lab.scales = {testing::SmallLargeBatch(), testing::SmallSent()};
  lab.scales[0].header.mutable_device(0)->set_name("NVIDIA GeForce RTX 4090");
  EXPECT_EQ(ReportTitle(lab), "Training on 2 kinds of devices");
}

TEST(PageHeadTest, Int8AloneAndNothing) {
  LabRecords lab;
  lab.quantized.push_back(testing::SmallQuantized());
  EXPECT_EQ(ReportTitle(lab), "LeNet-5 and LeNet-5 with biases in int8");
  EXPECT_EQ(ReportScope(lab), "Int8. Measured 21 November 2026.");
  lab.quantized[0].networks.push_back(lab.quantized[0].networks[0]);
  lab.quantized[0].networks.back().set_name("resnet18");
  EXPECT_EQ(ReportTitle(lab), "3 networks in int8");
  EXPECT_EQ(ReportTitle({}), "Lockstep report");
  EXPECT_EQ(ReportScope({}), "");
}

}  // namespace
}  // namespace lockstep
