#include "lib/lab_records/training_images.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

TEST(TrainingImagesTest, TheDataSetIsFirst) {
  LabRecords lab = testing::SmallLab();
  lab.datasets[0].info[0].set_image_count(2048);
  EXPECT_EQ(TrainingImages(lab), 2048);
}

TEST(TrainingImagesTest, ImagesThatARunHoldsOutBelongToTheDataSet) {
  LabRecords lab;
  lab.sweeps.push_back(testing::SmallSweep());
  EXPECT_EQ(TrainingImages(lab), 50000);
  lab.sweeps[0].spec.mutable_model()->set_training_images(45000);
  lab.sweeps[0].spec.mutable_training()->set_validation_images(5000);
  EXPECT_EQ(TrainingImages(lab), 50000);
}

TEST(TrainingImagesTest, ARecordThatStatesNoNumberIsPassedOver) {
  LabRecords lab;
  EXPECT_EQ(TrainingImages(lab), 0);
  lab.comm_models.push_back(testing::SmallCommModel());
  lab.comm_models[0].spec.set_training_images(300);
  EXPECT_EQ(TrainingImages(lab), 300);
  lab.scales.push_back(testing::SmallScale());
  lab.scales[0].spec.clear_model();
  EXPECT_EQ(TrainingImages(lab), 300);
  lab.scales[0].spec.mutable_model()->set_training_images(200);
  EXPECT_EQ(TrainingImages(lab), 200);
}

}  // namespace
}  // namespace lockstep
