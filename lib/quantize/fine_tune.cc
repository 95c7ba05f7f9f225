#include "lib/quantize/fine_tune.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/progress.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/stopwatch.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dataset/normalization.h"
#include "lib/dataset/sampler.h"
#include "lib/device/torch_status.h"
#include "lib/int8/integer_reference.h"
#include "lib/int8/quantized_record.h"
#include "lib/quantize/fake_quantized_network.h"
#include "lib/train/sgd.h"

namespace lockstep {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr size_t kComparedBatch = 100;  // images per batch

// Returns the momentum of PyTorch's reference for fine-tuning quantized networks
// (vision/references/classification/train_quantization.py), which also has a weight decay of 1e-4. Here batch norm is
// folded in, so decay would not only shorten weights, but make outputs smaller.
SgdOptions OptimizerOptions() {
  SgdOptions options;
  options.momentum = 0.9;
  options.weight_decay = 0;
  return options;
}

// Fine-tuning of one network.
class Tuner {
 public:
  Tuner(const FloatNetwork& network, const proto::QuantizedNetwork& record, const ImageSet& train,
        const LoaderOptions& loader, const proto::QuantizeSpec& spec, c10::Device device)
      : spec_(spec), device_(device), images_(static_cast<uint32_t>(train.size())),
        network_(network, record, spec, device), optimizer_(network_.Parameters(), OptimizerOptions()),
        loader_(train, loader), total_steps_(uint64_t{spec.fine_tune_epochs()} * loader_.BatchCount()) {}

  absl::Status Run(const ProgressPart& part) {
    Progress progress(part, uint64_t{spec_.fine_tune_epochs()} * images_, "images");
    for (uint32_t epoch = 0; epoch < spec_.fine_tune_epochs(); ++epoch) {
      RETURN_IF_ERROR(RunEpoch(epoch, progress));
    }
    return absl::OkStatus();
  }

  const FakeQuantizedNetwork& network() const { return network_; }
  const proto::FineTuning& summary() const { return summary_; }

 private:
  absl::Status RunEpoch(uint32_t epoch, Progress& progress) {
    loader_.StartEpoch(epoch, EpochOrder(images_, spec_.seed(), epoch));
    Batch batch;
    double sum = 0;
    uint64_t done = 0;
    while (true) {
      RETURN_IF_ERROR(CheckNotStopped());
      ASSIGN_OR_RETURN(const bool more, loader_.Next(&batch));
      if (!more) {
        break;
      }
      ASSIGN_OR_RETURN(const double loss, RunStep(batch));
      sum += loss * batch.size;
      done += batch.size;
      progress.Update(uint64_t{epoch} * images_ + done);
    }
    summary_.add_epoch_loss(sum / static_cast<double>(done));
    return CheckLoss(summary_.epoch_loss(static_cast<int>(epoch)), first_loss_ + std::log(classes_));
  }

  // Trains on one batch. Returns the loss, the mean over the batch.
  absl::StatusOr<double> RunStep(Batch& batch) {
    const at::Tensor images =
        at::from_blob(batch.images.data(), {batch.size, kImageChannels, kImageHeight, kImageWidth}).to(device_);
    const at::Tensor labels = at::from_blob(batch.labels.data(), {batch.size}, at::kLong).to(device_);
    for (const at::Tensor& parameter : network_.Parameters()) {
      parameter.mutable_grad().reset();
    }
    const at::Tensor logits = network_.Run(images).logits;
    const at::Tensor loss = at::cross_entropy_loss(logits, labels);
    const double value = loss.item<double>();
    if (summary_.steps() == 0) {
      first_loss_ = value;
      classes_ = static_cast<double>(logits.size(1));
    }
    RETURN_IF_ERROR(CheckLoss(value, std::numeric_limits<double>::max()));
    loss.backward();
    optimizer_.set_learning_rate(LearningRate());
    RETURN_IF_ERROR(optimizer_.Step());
    summary_.set_steps(summary_.steps() + 1);
    return value;
  }

  double LearningRate() const {
    return spec_.fine_tune_learning_rate() / 2 *
           (1 + std::cos(kPi * summary_.steps() / static_cast<double>(total_steps_)));
  }

  absl::Status CheckLoss(double loss, double max_loss) const {
    if (loss <= max_loss) {  // false for NaN
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "fine-tuning diverged: the loss is ", loss, " after ", summary_.steps(), " steps, and was ", first_loss_,
        " before them; give a --fine_tune_learning_rate below ", spec_.fine_tune_learning_rate()));
  }

  const proto::QuantizeSpec& spec_;
  const c10::Device device_;
  const uint32_t images_;
  const FakeQuantizedNetwork network_;
  Sgd optimizer_;
  BatchLoader loader_;
  const uint64_t total_steps_;
  double first_loss_ = 0;
  double classes_ = 1;
  proto::FineTuning summary_;
};

// Returns the logits of some images from the forward pass of training, in the int8 network's integers.
std::vector<int32_t> TrainedLogits(const FakeQuantizedNetwork& network, const ImageSelection& images, size_t first,
                                   size_t count, c10::Device device) {
  std::vector<float> batch;
  for (size_t i = first; i < first + count; ++i) {
    const std::vector<float> image = NormalizedImage(images.set, images.indices[i], images.normalization);
    batch.insert(batch.end(), image.begin(), image.end());
  }
  const at::NoGradGuard no_grad;
  const auto size = static_cast<int64_t>(count);
  const at::Tensor pixels = at::from_blob(batch.data(), {size, kImageChannels, kImageHeight, kImageWidth}).to(device);
  const at::Tensor found = network.Run(pixels).integers.to(at::kInt).cpu().contiguous();
  return {found.const_data_ptr<int32_t>(), found.const_data_ptr<int32_t>() + found.numel()};
}

}  // namespace

absl::StatusOr<FineTuned> FineTune(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                   const ImageSet& train, const proto::QuantizeSpec& spec, c10::Device device,
                                   const ProgressPart& part) {
  const Stopwatch watch;
  LoaderOptions loader;
  loader.batch_size = spec.fine_tune_batch();
  loader.seed = spec.seed();
  RETURN_IF_ERROR(NormalizationOf(record).status());
  SetNormalization(RecordedNormalization("", record.mean(), record.std()), loader);
  FineTuned result;
  RETURN_IF_ERROR(
      CatchTorchErrors(absl::StrCat(part.label, " at batch ", spec.fine_tune_batch()), [&]() -> absl::Status {
        Tuner tuner(network, record, train, loader, spec, device);
        RETURN_IF_ERROR(tuner.Run(part));
        result.network = tuner.network().Network();
        result.summary = tuner.summary();
        return absl::OkStatus();
      }));
  result.summary.set_seconds(watch.Seconds());
  return result;
}

absl::Status CompareWithIntegers(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                 const proto::QuantizeSpec& spec, const ImageSelection& images,
                                 const MakeIntegerRunner& make, c10::Device device, proto::FineTuning& summary) {
  ASSIGN_OR_RETURN(const IntegerNetwork integers, ToIntegerNetwork(record));
  ASSIGN_OR_RETURN(const ImageTable table, ImageTableOf(record));
  ASSIGN_OR_RETURN(const IntegerRunner run, make(integers));
  return CatchTorchErrors("the forward pass of fine-tuning", [&]() -> absl::Status {
    const FakeQuantizedNetwork trained(network, record, spec, device);
    std::vector<int8_t> pixels(kComparedBatch * kImageBytes);
    for (size_t first = 0; first < images.indices.size(); first += kComparedBatch) {
      RETURN_IF_ERROR(CheckNotStopped());
      const size_t count = std::min(kComparedBatch, images.indices.size() - first);
      const std::vector<int32_t> found = TrainedLogits(trained, images, first, count, device);
      for (size_t i = 0; i < count; ++i) {
        QuantizeImage(images.set.pixels.data() + size_t{images.indices[first + i]} * kImageBytes, table,
                      &pixels[i * kImageBytes]);
      }
      std::vector<int32_t> expected(found.size());
      RETURN_IF_ERROR(run(pixels.data(), count, expected.data(), nullptr));
      uint64_t different = 0;
      for (size_t i = 0; i < found.size(); ++i) {
        different += found[i] != expected[i] ? 1 : 0;
      }
      summary.set_compared_logits(summary.compared_logits() + found.size());
      summary.set_different_logits(summary.different_logits() + different);
    }
    return absl::OkStatus();
  });
}

}  // namespace lockstep
