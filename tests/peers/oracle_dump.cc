// C++ half of oracle_test.py: Lockstep's results for given weights and a batch, in files that Python reads.
//
//   oracle_dump MODEL SEED WEIGHTS DATASET FOLDER fp32|bf16 nchw|channels_last STEPS [TRAINING]
//
// TRAINING: fields of TrainingSpec as text, such as "lars: 0.02", that replace the lab's.
//
// Writes into FOLDER: init.pt (MakeModel's weights for SEED), images.f32 and labels.i64 (the data set's first 32
// training images, normalised), and, starting from WEIGHTS, STEPS steps of TrainStep on that batch: losses.txt, the
// first step's gradients as NAME.grad.f32, and the weights after the first step and after all, first.pt and trained.pt.
#include <ATen/core/grad_mode.h>

#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/text_format.h"
#include "lib/base/exit_status.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dataset/dataset.h"
#include "lib/device/device.h"
#include "lib/nn/checkpoint.h"
#include "lib/nn/load_checkpoint.h"
#include "lib/nn/model.h"
#include "lib/train/gradient_hook.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

constexpr uint32_t kBatch = 32;

absl::Status WriteBytes(const std::string& path, const void* bytes, size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  return file.flush().good() ? absl::OkStatus() : absl::NotFoundError(absl::StrCat("cannot write ", path));
}

// Writes the gradients of the first step, as the optimizer is about to read them.
class GradientDump : public GradientHook {
 public:
  GradientDump(Model& model, std::string folder) : model_(model), folder_(std::move(folder)) {}
  absl::Status BeforeBackward() override { return absl::OkStatus(); }
  absl::Status AfterBackward() override {
    if (step_++ > 0) {
      return absl::OkStatus();
    }
    for (const auto& parameter : model_.named_parameters()) {
      const torch::Tensor gradient = parameter.value().grad().contiguous();
      RETURN_IF_ERROR(
          WriteBytes(absl::StrCat(folder_, "/", parameter.key(), ".grad.f32"), gradient.data_ptr(), gradient.nbytes()));
    }
    return absl::OkStatus();
  }

 private:
  Model& model_;
  const std::string folder_;
  int step_ = 0;
};

absl::StatusOr<Batch> FirstBatch(const std::string& path) {
  ASSIGN_OR_RETURN(const Dataset dataset, ReadDataset(path));
  LoaderOptions options;
  options.batch_size = kBatch;
  options.augment = false;
  RETURN_IF_ERROR(NormalizeAsTrained(dataset.train.info, options));
  BatchLoader loader(dataset.train, options);
  std::vector<uint32_t> order(kBatch);
  std::iota(order.begin(), order.end(), 0u);
  loader.StartEpoch(0, order);
  Batch batch;
  RETURN_IF_ERROR(loader.Next(&batch).status());
  return batch;
}

// Returns the lab's spec with the changes of `training`.
absl::StatusOr<proto::TrainingSpec> Spec(const std::string& precision, const std::string& memory_format,
                                         const std::string& training) {
  proto::TrainingSpec spec;
  spec.set_precision(precision == "bf16" ? proto::BF16 : proto::FP32);
  spec.set_channels_last(memory_format == "channels_last");
  spec.set_learning_rate(0.1);
  spec.set_momentum(0.9);
  spec.set_weight_decay(5e-4);
  if (!google::protobuf::TextFormat::MergeFromString(training, &spec)) {
    return absl::InvalidArgumentError(absl::StrCat("not a TrainingSpec: ", training));
  }
  return spec;
}

absl::Status Dump(const std::string& name, uint64_t seed, const std::string& weights, const std::string& dataset,
                  const std::string& folder, const absl::StatusOr<proto::TrainingSpec>& asked, int steps) {
  ASSIGN_OR_RETURN(const proto::TrainingSpec spec, asked);
  RETURN_IF_ERROR(CheckTrainingSpec(spec));
  RETURN_IF_ERROR(SetNumerics({.threads = 1}));
  ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, MakeModel(name, seed));
  RETURN_IF_ERROR(SaveCheckpoint(*model, {}, folder + "/init.pt", ReplaceAnything()).status());
  RETURN_IF_ERROR(LoadCheckpoint(*model, weights));
  ASSIGN_OR_RETURN(const Batch batch, FirstBatch(dataset));
  RETURN_IF_ERROR(WriteBytes(folder + "/images.f32", batch.images.data(), batch.images.size() * sizeof(float)));
  RETURN_IF_ERROR(WriteBytes(folder + "/labels.i64", batch.labels.data(), batch.labels.size() * sizeof(int64_t)));
  TrainStep step(model, spec, c10::Device(c10::kCPU));
  GradientDump hook(*model, folder);
  std::string losses;
  for (int i = 0; i < steps; ++i) {
    step.BeginEpoch();  // an epoch of one step, so that each loss is returned
    RETURN_IF_ERROR(step.Run(batch, &hook));
    ASSIGN_OR_RETURN(const EpochTotals totals, step.EndEpoch());
    absl::StrAppendFormat(&losses, "%.17g\n", totals.mean_loss);
    if (i == 0) {
      RETURN_IF_ERROR(SaveCheckpoint(*model, {}, folder + "/first.pt", ReplaceAnything()).status());
    }
  }
  RETURN_IF_ERROR(WriteBytes(folder + "/losses.txt", losses.data(), losses.size()));
  return SaveCheckpoint(*model, {}, folder + "/trained.pt", ReplaceAnything()).status();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  uint64_t seed = 0;
  int steps = 0;
  if (argc < 9 || argc > 10 || !absl::SimpleAtoi(argv[2], &seed) || !absl::SimpleAtoi(argv[8], &steps)) {
    std::fprintf(
        stderr, "usage: oracle_dump MODEL SEED WEIGHTS DATASET FOLDER fp32|bf16 nchw|channels_last STEPS [TRAINING]\n");
    return 2;
  }
  const std::string training = argc > 9 ? argv[9] : "";
  return lockstep::ExitStatus("oracle_dump", lockstep::Dump(argv[1], seed, argv[3], argv[4], argv[5],
                                                            lockstep::Spec(argv[6], argv[7], training), steps));
}
