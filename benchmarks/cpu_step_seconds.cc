// Measures the time of TrainStep on the CPU: ResNet-18 on one batch of random images: copy, forward, loss, backward and
// update.
//
//   cpu_step_seconds BATCH THREADS fp32|bf16 nchw|channels_last
//
// For each line on standard input, a number of steps, the program runs these steps and prints "STEPS SECONDS
// CPU_SECONDS": wall clock, and all threads. Never timed: making the batch, loading, augmentation.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/batch_loader.h"
#include "lib/device/device.h"
#include "lib/nn/model.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

struct Given {
  uint32_t batch_size;
  uint32_t threads;
  proto::Precision precision;
  bool channels_last;
};

Batch RandomBatch(uint32_t size) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Batch batch;
  batch.size = size;
  for (uint32_t i = 0; i < size * 3 * 32 * 32; ++i) {
    batch.images.push_back(normal(random));
  }
  for (uint32_t i = 0; i < size; ++i) {
    batch.labels.push_back(i % 10);
  }
  return batch;
}

proto::TrainingSpec MakeSpec(const Given& given) {
  proto::TrainingSpec spec;
  spec.set_model("resnet18");
  spec.set_device(proto::CPU);
  spec.set_precision(given.precision);
  spec.set_channels_last(given.channels_last);
  spec.set_learning_rate(0.01);  // the same batch in every step: a small rate keeps the weights finite
  spec.set_momentum(0.9);
  spec.set_weight_decay(5e-4);
  return spec;
}

absl::Status RunSteps(TrainStep& step, const Batch& batch, int steps) {
  step.BeginEpoch();
  const std::clock_t cpu_begin = std::clock();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) {
    RETURN_IF_ERROR(step.Run(batch));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const double cpu_seconds = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  ASSIGN_OR_RETURN(const EpochTotals totals, step.EndEpoch());
  if (!(totals.mean_loss > 0 && totals.mean_loss < 100)) {
    return absl::InternalError("the loss is not finite");
  }
  std::printf("%u %.6f %.6f\n", totals.steps, seconds.count(), cpu_seconds);
  std::fflush(stdout);
  return absl::OkStatus();
}

absl::Status Run(const Given& given) {
  RETURN_IF_ERROR(SetNumerics({.threads = given.threads}));
  const proto::TrainingSpec spec = MakeSpec(given);
  RETURN_IF_ERROR(CheckTrainingSpec(spec));
  ASSIGN_OR_RETURN(std::shared_ptr<Model> model, MakeModel(spec.model(), 1));
  TrainStep step(std::move(model), spec, c10::Device(c10::kCPU));
  const Batch batch = RandomBatch(given.batch_size);
  int steps = 0;
  while (std::scanf("%d", &steps) == 1) {
    RETURN_IF_ERROR(RunSteps(step, batch, steps));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const std::string precision = argc == 5 ? argv[3] : "", format = argc == 5 ? argv[4] : "";
  if ((precision != "fp32" && precision != "bf16") || (format != "nchw" && format != "channels_last")) {
    std::fprintf(stderr, "usage: cpu_step_seconds BATCH THREADS fp32|bf16 nchw|channels_last\n");
    return 2;
  }
#ifndef __OPTIMIZE__
  std::fprintf(stderr, "warning: built without optimisation; do not use its times\n");
#endif
  const lockstep::Given given = {static_cast<uint32_t>(std::atoi(argv[1])), static_cast<uint32_t>(std::atoi(argv[2])),
                                 precision == "bf16" ? lockstep::proto::BF16 : lockstep::proto::FP32,
                                 format == "channels_last"};
  const absl::Status status = lockstep::Run(given);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return 1;
  }
  return 0;
}
