#include "lib/scale_run/small_scale_run_testing.h"

#include "gtest/gtest.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"
#include "lib/testing/matchers.h"
#include "lib/train/schedule.h"

namespace lockstep::testing {

ScaleRunOptions SmallScaleRun(const std::vector<uint32_t>& ranks, uint32_t batch, uint32_t images) {
  HeaderOptions header;
  header.schema = proto::DatasetFile::descriptor()->full_name();
  ScaleRunOptions options;
  options.input = TempPath("dataset.rec");
  EXPECT_THAT(WriteRecordFile(options.input, MakeHeader(header), ToRecords(SmallDataset(images, 10))), IsOk());
  options.output = TempPath("scale.rec");
  options.device = "cpu";
  proto::ScaleSpec& spec = options.spec;
  spec.set_mode(proto::DDP);
  spec.set_batch_mode(proto::PER_DEVICE);
  spec.mutable_ranks()->Add(ranks.begin(), ranks.end());
  spec.add_batch_size(batch);
  spec.set_overlap(true);
  spec.set_ablation(true);
  spec.set_first_bucket_bytes(100000);  // small enough to give lenet5 more than one bucket
  spec.set_bucket_bytes(100000);
  spec.set_buffers("local");
  spec.set_preset("lab");
  spec.set_reducer("own");
  spec.set_bucket_plan("ddp");
  spec.set_timeout_seconds(60);
  spec.mutable_training()->set_model("lenet5");
  spec.mutable_training()->set_momentum(0.9);
  spec.mutable_training()->set_augment(true);
  EXPECT_THAT(SetEpochs(0, 1, *spec.mutable_training()), IsOk());
  return options;
}

std::vector<proto::ScalePoint> ScalePoints(const std::string& path, ReadMode mode) {
  const auto file = ReadRecordFile<proto::ScaleFile>(path, mode);
  EXPECT_THAT(file, IsOk());
  std::vector<proto::ScalePoint> points;
  EXPECT_TRUE(!file.ok() || file->records.empty() || file->records[0].has_spec());
  for (size_t i = 1; file.ok() && i < file->records.size(); ++i) {
    points.push_back(file->records[i].point());
  }
  return points;
}

}  // namespace lockstep::testing
