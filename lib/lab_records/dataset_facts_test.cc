#include "lib/lab_records/dataset_facts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep {
namespace {

uint64_t TrainingImages(const LabRecords& lab) { return FactsOfDataset(lab).training_images; }

TEST(DatasetFactsTest, TheDataSetIsFirst) {
  LabRecords lab = testing::SmallLab();
  proto::DatasetInfo& info = lab.datasets[0].info[0];
  info.set_image_count(2048);
  info.set_height(48);
  info.set_width(64);
  for (const char* name : {"a", "b", "c"}) {
    info.add_class_name(name);
  }
  const DatasetFacts facts = FactsOfDataset(lab);
  EXPECT_EQ(facts.training_images, 2048);
  EXPECT_EQ(facts.classes, 3);
  EXPECT_EQ(facts.height, 48);
  EXPECT_EQ(facts.width, 64);
}

TEST(DatasetFactsTest, ImagesThatARunHoldsOutBelongToTheDataSet) {
  LabRecords lab;
  lab.sweeps.push_back(testing::SmallSweep());
  EXPECT_EQ(TrainingImages(lab), 50000);
  lab.sweeps[0].spec.mutable_model()->set_training_images(45000);
  lab.sweeps[0].spec.mutable_training()->set_validation_images(5000);
  EXPECT_EQ(TrainingImages(lab), 50000);
}

TEST(DatasetFactsTest, ARunStatesClassesAndPixels) {
  LabRecords lab;
  lab.sweeps.push_back(testing::SmallSweep());
  lab.sweeps[0].spec.mutable_model()->set_classes(100);
  lab.sweeps[0].spec.mutable_model()->set_height(64);
  lab.sweeps[0].spec.mutable_model()->set_width(48);
  const DatasetFacts facts = FactsOfDataset(lab);
  EXPECT_EQ(facts.classes, 100);
  EXPECT_EQ(facts.height, 64);
  EXPECT_EQ(facts.width, 48);
}

TEST(DatasetFactsTest, RunsOnACpuAlone) {
  EXPECT_FALSE(FactsOfDataset({}).only_cpu);
  LabRecords lab;
  lab.sweeps.push_back(testing::SmallSweep());
  lab.scales.push_back(testing::SmallScale());
  lab.sweeps[0].spec.mutable_training()->set_device(proto::CPU);
  lab.scales[0].spec.mutable_training()->set_device(proto::CUDA);
  EXPECT_FALSE(FactsOfDataset(lab).only_cpu);
  lab.scales[0].spec.mutable_training()->set_device(proto::CPU);
  EXPECT_TRUE(FactsOfDataset(lab).only_cpu);
}

TEST(DatasetFactsTest, ARecordThatStatesNoNumberIsPassedOver) {
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

TEST(DatasetFactsTest, ThePathIsThatOfTheDatasetRecord) {
  LabRecords lab;
  EXPECT_EQ(FactsOfDataset(lab).path, "");
  lab.datasets.emplace_back().input.set_path("real_lab/dataset.rec");
  EXPECT_EQ(FactsOfDataset(lab).path, "real_lab/dataset.rec");
  lab.datasets[0].input.set_path("-");
  EXPECT_EQ(FactsOfDataset(lab).path, "");
}

TEST(DatasetFactsTest, TheFolderIsThatOfTheRunsAndNotOfADataSetElsewhere) {
  LabRecords lab;
  EXPECT_EQ(FactsOfDataset(lab).folder, "");
  lab.datasets.emplace_back().input.set_path("data/dataset.rec");
  EXPECT_EQ(FactsOfDataset(lab).folder, "data");
  lab.sweeps.emplace_back().input.set_path("-");
  EXPECT_EQ(FactsOfDataset(lab).folder, "data");
  lab.sweeps[0].input.set_path("sweep.rec");
  EXPECT_EQ(FactsOfDataset(lab).folder, "");
  lab.scales.emplace_back().input.set_path("my_lab/scale.rec");
  EXPECT_EQ(FactsOfDataset(lab).folder, "my_lab");
}

}  // namespace
}  // namespace lockstep
