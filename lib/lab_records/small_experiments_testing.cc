#include "lib/lab_records/small_experiments_testing.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"

namespace lockstep::testing {
namespace {

template <typename Message>
void Merge(const std::string& text, Message& message) {
  Message read;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &read)) << text;
  message.MergeFrom(read);
}

// Returns the small scale record without its points and under another name.
LabScale Named(const std::string& name, const std::string& spec) {
  LabScale file = SmallScale();
  file.points.clear();
  file.input.set_path(absl::StrCat("/lab/", name));
  file.input.set_sha256(absl::StrCat("digest of ", name));
  Merge(spec, file.spec);
  return file;
}

// One row: for each seed the loss and the test accuracy (in per cent) of the last epoch.
struct Row {
  const char* name;
  int global_batch;
  int epochs;
  int steps;
  const char* training;
  std::vector<std::pair<double, double>> loss_and_test;
};

proto::ScalePoint PointOf(const LabScale& file, const Row& row, size_t seed) {
  const auto [loss, test] = row.loss_and_test[seed];
  proto::ScalePoint point;
  Merge(absl::StrCat("row: '", row.name, "' ranks: 2 batch_per_device: ", row.global_batch / 2, " global_batch: ",
                     row.global_batch, " reduction: ALL_REDUCE outcome: COMPLETED steps_per_epoch: ", row.steps,
                     " images_per_epoch: 50000 batch_norm_images: ", row.global_batch / 2),
        point);
  for (int epoch = 0; epoch < row.epochs; ++epoch) {
    Merge(absl::StrCat("epoch { epoch: ", epoch, " mean_loss: ", loss, " train_accuracy: ", test / 100 + 0.05,
                       " train_seconds: 2 }"),
          point);
  }
  point.mutable_epoch(row.epochs - 1)->set_test_accuracy(test / 100);
  *point.mutable_training() = file.spec.training();
  point.mutable_training()->set_repeats(static_cast<uint32_t>(row.epochs) - point.training().warmup_epochs());
  Merge(row.training, *point.mutable_training());
  point.mutable_training()->set_seed(file.spec.training().seed() + seed);
  return point;
}

void AddRows(const std::vector<Row>& rows, LabScale& file) {
  for (const Row& row : rows) {
    for (size_t seed = 0; seed < row.loss_and_test.size(); ++seed) {
      file.points.push_back(PointOf(file, row, seed));
    }
  }
}

std::string Traffic(const std::string& kind, uint64_t calls, uint64_t bytes, uint64_t steps) {
  return absl::StrCat("traffic { kind: '", kind, "' calls: ", calls, " size_bytes: ", bytes, " steps: ", steps, " } ");
}

}  // namespace

LabScale SmallDataParallel() {
  LabScale file = Named("dp.rec", "mode: DP");
  file.spec.clear_batch_size();
  file.spec.add_batch_size(32);
  const std::string point = "batch_per_device: 32 outcome: COMPLETED images_per_epoch: 50000 mode: DP ";
  Merge(absl::StrCat(point, "ranks: 1 reduction: PLAIN steps_per_epoch: 1563 epoch_seconds { value: [4, 4] }"),
        file.points.emplace_back());
  Merge(absl::StrCat(point,
                     "ranks: 2 reduction: STAR steps_per_epoch: 782 epoch_seconds { value: [3, 3] } step_seconds { "
                     "value: [2.5, 2.5] } star { scatter_seconds { value: 0.1 } replicate_seconds { value: 0.2 } "
                     "forward_seconds { value: 0.7 } gather_seconds { value: 0.05 } loss_seconds { value: 0.02 } "
                     "output_gradient_seconds { value: 0.05 } backward_seconds { value: 1.1 } reduce_seconds { value: "
                     "0.1 } update_seconds { value: 0.08 } }"),
        file.points.emplace_back());
  return file;
}

LabCommModel SmallDataParallelModel() {
  LabCommModel file = SmallCommModel();
  file.input.set_path("/lab/dp_model.rec");
  file.input.set_sha256("digest of dp_model.rec");
  file.header.mutable_input(0)->set_sha256("digest of dp.rec");
  file.predictions.clear();
  file.what_ifs.clear();
  file.laws.clear();
  file.step_times.clear();
  file.all_reduce_fits.clear();
  file.rows.resize(2);
  for (proto::ScalingRow& row : file.rows) {
    Merge(
        "mode: DP preset: 'lab' step: AUTOGRAD precision: FP32 gradient_compression: 'none' buffers: 'local' reducer: "
        "'own' bucket_plan: 'ddp'",
        *row.mutable_settings());
  }
  file.rows[1].mutable_epoch_speedup()->set_value(4.0 / 3);
  proto::StarRow& star = file.stars.emplace_back();
  *star.mutable_settings() = file.rows[1].settings();
  Merge(
      "ranks: 2 batch_per_device: 32 formula_sent_bytes { value: 45e6 provenance: DERIVED } counted_sent_bytes { "
      "value: 45038560 provenance: MEASURED } formula_received_bytes { value: 44.7e6 provenance: DERIVED } "
      "counted_received_bytes { value: 44.7e6 provenance: MEASURED } measured_busy_seconds { value: 0.0005 provenance: "
      "DERIVED } modelled_busy_seconds { value: 0.00045 provenance: MODELLED } relative_error { value: -0.1 "
      "provenance: DERIVED } busy_share { value: 0.2 provenance: DERIVED } bytes_per_second { value: 179e9 "
      "provenance: DERIVED }",
      star);
  return file;
}

LabScale SmallLargeBatch() {
  LabScale file = Named("large.rec", "experiment: LARGE_BATCH seeds: 3 training { validation_images: 5000 }");
  file.spec.mutable_batch_size()->Clear();
  file.spec.add_batch_size(128);
  file.spec.add_batch_size(8192);
  const char* const all = "clip_norm: 1 zero_gamma: true schedule: COSINE";
  AddRows({{"128", 128, 5, 391, "", {{1.0, 60}, {1.1, 62}, {1.2, 64}}},
           {"128, cosine", 128, 5, 391, "schedule: COSINE", {{1.0, 61}, {1.1, 63}, {1.2, 65}}},
           {"128, longer", 128, 6, 391, "", {{1.0, 63}, {1.1, 65}, {1.2, 67}}},
           {"128, cosine, longer", 128, 6, 391, "schedule: COSINE", {{1.0, 64}, {1.1, 66}, {1.2, 68}}},
           {"8192", 8192, 5, 7, "", {{2.0, 20}, {2.0, 22}, {2.0, 24}}},
           {"8192, clipping", 8192, 5, 7, "clip_norm: 1", {{1.5, 41}, {1.5, 43}}},
           {"8192, label smoothing", 8192, 5, 7, "label_smoothing: 0.1", {{1.9, 24}, {1.9, 26}, {1.9, 28}}},
           {"8192, clipping and ghost batch norm",
            8192,
            5,
            7,
            "clip_norm: 1 accumulate: 32",
            {{1.5, 36}, {1.5, 38}, {1.5, 40}}},
           {"8192, all", 8192, 5, 7, all, {{1.4, 30}, {1.4, 32}, {1.4, 34}}},
           {"8192, longer", 8192, 6, 7, "", {{1.9, 23}, {1.9, 25}, {1.9, 27}}},
           {"8192, all, longer", 8192, 6, 7, all, {{1, 60}, {1, 61}, {1, 62}}}},
          file);
  for (proto::ScalePoint& point : file.points) {  // one point below the test accuracy
    proto::EpochResult& last = *point.mutable_epoch(point.epoch_size() - 1);
    last.set_validation_accuracy(last.test_accuracy() - 0.01);
  }
  return file;
}

LabScale OldLargeBatch() {
  LabScale file = SmallLargeBatch();
  file.spec.mutable_training()->clear_validation_images();
  std::vector<proto::ScalePoint> points;
  for (proto::ScalePoint& point : file.points) {
    if (point.global_batch() == 128 && point.row() != "128") {
      continue;
    }
    point.mutable_epoch(point.epoch_size() - 1)->clear_validation_accuracy();
    point.mutable_training()->clear_validation_images();
    points.push_back(point);
  }
  file.points = points;
  return file;
}

LabScale SmallSampler() {
  LabScale file = Named("sampler.rec", "experiment: SAMPLER_EPOCH seeds: 3");
  AddRows({{"with the epoch number", 128, 5, 391, "", {{1.0, 60}, {1.1, 62}, {1.2, 64}}},
           {"without", 128, 5, 391, "no_set_epoch: true", {{1.3, 50}, {1.3, 52}, {1.3, 54}}}},
          file);
  for (proto::ScalePoint& point : file.points) {
    const bool no_set_epoch = point.training().no_set_epoch();
    for (int rank = 0; rank < 2; ++rank) {
      proto::RankFacts& facts = *point.add_rank();
      facts.set_rank(static_cast<uint32_t>(rank));
      facts.set_distinct_images_ever(no_set_epoch ? 25000 : 48440);
      facts.set_repeated_batch_share(no_set_epoch ? 1 : 0);
      for (int epoch = 0; epoch < 5; ++epoch) {
        facts.add_epoch_order_sha256(absl::StrCat("order ", rank, " ", no_set_epoch ? 0 : epoch));
      }
    }
  }
  return file;
}

LabScale SmallSent() {
  LabScale file = Named("sent.rec", "experiment: WHAT_IS_SENT seeds: 3");
  AddRows({{"gradients only", 128, 5, 391, "", {{1.0, 60}, {1.1, 62}, {1.2, 64}}},
           {"buffers broadcast", 128, 5, 391, "", {{1.0, 61}, {1.1, 63}, {1.2, 65}}},
           {"batch norm over all ranks", 128, 5, 391, "", {{0.9, 65}, {0.9, 66}, {0.9, 67}}}},
          file);
  for (size_t i = 0; i < file.points.size(); ++i) {
    const char* const buffers[] = {"local", "broadcast", "sync_bn"};
    proto::ScalePoint& point = file.points[i];
    point.set_buffers(buffers[i / 3]);
    Merge(absl::StrCat(Traffic("gradients", 5 * 1955, uint64_t{44695848} * 1955, 1955),
                       Traffic("initial broadcast", 3, 44734408, 0),
                       point.buffers() == "broadcast" ? Traffic("batch-norm buffers", 1955, 38560 * 1955, 1955) : ""),
          point);
  }
  return file;
}

}  // namespace lockstep::testing
