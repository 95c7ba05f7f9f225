#include "lib/train/fused_point.h"

#include <memory>

#include "lib/base/progress.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/sampler.h"
#include "lib/fused/resnet18_epoch.h"
#include "lib/fused/resnet18_step.h"
#include "lib/train/fused_weights.h"

namespace lockstep {
namespace {

ConvolutionType TypeOf(proto::Precision precision) {
  return precision == proto::BF16   ? ConvolutionType::kBf16
         : precision == proto::TF32 ? ConvolutionType::kTf32
                                    : ConvolutionType::kFp32;
}

ResNet18StepOptions ToStepOptions(const proto::TrainingSpec& spec, const LoaderOptions& loader) {
  ResNet18StepOptions options;
  options.type = TypeOf(spec.precision());
  options.max_batch = loader.batch_size;
  options.momentum = static_cast<float>(spec.momentum());
  options.weight_decay = static_cast<float>(spec.weight_decay());
  options.seed = loader.seed;
  options.augment = loader.augment;
  options.two_streams = spec.second_stream();
  options.autotune = !spec.deterministic();  // which engine wins is not repeatable
  options.deterministic = spec.deterministic();
  return options;
}

ResidentImages ToResident(const ImageSet& images, const LoaderOptions& loader) {
  ResidentImages resident;
  resident.pixels = images.pixels.data();
  resident.labels = images.labels.data();
  resident.count = static_cast<uint32_t>(images.size());
  resident.mean = loader.mean;
  resident.std = loader.std;
  return resident;
}

EpochTimes ToEpochTimes(const FusedEpoch& epoch) {
  EpochTimes times;
  times.epoch_seconds = epoch.seconds;
  times.step_seconds = epoch.device_seconds;
  times.data_wait_seconds = epoch.seconds - epoch.device_seconds;
  times.steps = epoch.steps;
  times.images = epoch.images;
  times.mean_loss = epoch.mean_loss;
  times.accuracy = epoch.accuracy;
  return times;
}

}  // namespace

absl::Status TrainFusedEpochs(const proto::TrainingSpec& spec, const LoaderOptions& loader, const ImageSet& images,
                              Model& model, FusedMemory& memory,
                              const std::function<absl::Status(uint32_t, const EpochTimes&)>& keep) {
  const ResNet18StepOptions options = ToStepOptions(spec, loader);
  const auto count = static_cast<uint32_t>(images.size());
  memory.predicted_bytes = ResNet18Step::PredictBytes(options, count);
  ASSIGN_OR_RETURN(const std::unique_ptr<ResNet18Step> step, ResNet18Step::Make(options, ToResident(images, loader)));
  ASSIGN_OR_RETURN(const ResNet18Values values, ToFusedValues(model));
  RETURN_IF_ERROR(step->SetValues(values));
  ResNet18Epochs epochs(*step, loader.batch_size, spec.cuda_graph());
  RETURN_IF_ERROR(epochs.Prepare(count, loader.drop_last));
  memory.taken_bytes = step->bytes();
  const uint32_t epoch_count = spec.warmup_epochs() + spec.repeats();
  const auto rate = static_cast<float>(spec.learning_rate());
  Progress progress(spec.model(), uint64_t{epoch_count} * count, "images");
  for (uint32_t epoch = 0; epoch < epoch_count; ++epoch) {
    ASSIGN_OR_RETURN(const FusedEpoch result,
                     epochs.Train(EpochOrder(count, spec.seed(), epoch), epoch, [rate](uint32_t) { return rate; },
                                  [&](uint64_t done) { progress.Update(uint64_t{epoch} * count + done); }));
    RETURN_IF_ERROR(keep(epoch, ToEpochTimes(result)));
  }
  ASSIGN_OR_RETURN(const ResNet18Values trained, step->GetValues());
  return FromFusedValues(trained, model);
}

}  // namespace lockstep
