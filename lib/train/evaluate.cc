#include "lib/train/evaluate.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>
#include <torch/types.h>

#include <algorithm>

#include "absl/cleanup/cleanup.h"
#include "lib/base/stall_watch.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/device/torch_status.h"

namespace lockstep {
namespace {

// Returns `numbers` as float (1, 3, 1, 1) on the device. from_blob takes no const pointer, but nothing writes through
// it.
torch::Tensor PerChannel(const std::array<float, 3>& numbers, c10::Device device) {
  return at::from_blob(const_cast<float*>(numbers.data()), {1, kChannels, 1, 1}, at::kFloat).to(device);
}

// Returns the mirror images, in the memory format of `images`.
torch::Tensor Mirrored(const torch::Tensor& images) {
  return images.flip({3}).contiguous(images.suggest_memory_format());
}

int64_t ShareBegin(const ImageSet& images, uint32_t rank, uint32_t ranks) {
  return static_cast<int64_t>(uint64_t{images.size()} * rank / ranks);
}

}  // namespace

std::pair<int64_t, int64_t> RangeOfShare(const ImageSet& images, const EvaluationShare& share) {
  const int64_t first = ShareBegin(images, share.rank, share.ranks);
  return {first, ShareBegin(images, share.rank + 1, share.ranks) - first};
}

Evaluator::Evaluator(const ImageSet& images, const std::array<float, 3>& mean, const std::array<float, 3>& std,
                     uint32_t batch_size, c10::Device device, EvaluationShare share)
    : images_(images), first_(RangeOfShare(images, share).first), count_(RangeOfShare(images, share).second),
      mean_host_(mean), std_host_(std), batch_size_(batch_size), device_(device), often_(share.often) {}

void Evaluator::Upload() {
  const int64_t height = images_.height(), width = images_.width();
  pixels_ = at::from_blob(const_cast<uint8_t*>(images_.pixels.data()) + first_ * kChannels * height * width,
                          {count_, kChannels, height, width}, at::kByte)
                .to(device_);
  // LibTorch has no uint16 that all operators accept. Labels are at most kMaxDatasetClasses - 1, which int16 holds.
  labels_ = at::from_blob(const_cast<uint16_t*>(images_.labels.data()) + first_, {count_}, at::kShort).to(device_);
  // The divisor must be a device tensor: on CUDA, LibTorch replaces division by a number with multiplication by its
  // reciprocal, which rounds differently.
  full_ = at::full({1}, 255.0f, at::TensorOptions(at::kFloat).device(device_));
  mean_ = PerChannel(mean_host_, device_);
  std_ = PerChannel(std_host_, device_);
}

torch::Tensor Evaluator::Normalized(int64_t first, int64_t count) const {
  // Rounds once per operation, like the table of lib/dataset/augment.h.
  const torch::Tensor images = pixels_.narrow(0, first, count).to(at::kFloat).div_(full_).sub_(mean_).div_(std_);
  return device_.is_cuda() ? images.contiguous(at::MemoryFormat::ChannelsLast) : images;
}

absl::StatusOr<CorrectCounts> Evaluator::CountUploaded(Model& model, Views views) const {
  const at::TensorOptions counts(at::TensorOptions(at::kLong).device(device_));
  torch::Tensor plain = at::zeros({}, counts), mirrored = at::zeros({}, counts);
  for (int64_t first = 0; first < count_; first += batch_size_) {
    RETURN_IF_ERROR(CheckNotStopped());
    NoteProgress();
    const int64_t size = std::min(batch_size_, count_ - first);
    const torch::Tensor images = Normalized(first, size), labels = labels_.narrow(0, first, size);
    const torch::Tensor logits = model.forward(images);
    plain += logits.argmax(1).eq(labels).sum();
    if (views == Views::kPlainAndMirrored) {
      // The sum has the largest element where the mean has it.
      mirrored += logits.add(model.forward(Mirrored(images))).argmax(1).eq(labels).sum();
    }
  }
  CorrectCounts correct;
  correct.plain = plain.item<int64_t>();
  correct.mirrored = mirrored.item<int64_t>();
  return correct;
}

absl::StatusOr<CorrectCounts> Evaluator::Count(Model& model, Views views) {
  CorrectCounts correct;
  RETURN_IF_ERROR(CatchTorchErrors("evaluation", [&]() -> absl::Status {
    const at::NoGradGuard no_grad;
    const c10::DeviceGuard guard(device_);
    const bool training = model.is_training();
    const bool tries_engines = at::globalContext().benchmarkCuDNN();
    const auto restore = absl::MakeCleanup([&] {
      model.train(training);
      at::globalContext().setBenchmarkCuDNN(tries_engines);
    });
    model.eval();
    at::globalContext().setBenchmarkCuDNN(tries_engines && often_);
    if (!pixels_.defined()) {
      Upload();
    }
    ASSIGN_OR_RETURN(correct, CountUploaded(model, views));
    return absl::OkStatus();
  }));
  return correct;
}

absl::StatusOr<int64_t> Evaluator::CountCorrect(Model& model) {
  ASSIGN_OR_RETURN(const CorrectCounts correct, Count(model, Views::kPlain));
  return correct.plain;
}

absl::StatusOr<CorrectCounts> Evaluator::CountCorrectMirrored(Model& model) {
  return Count(model, Views::kPlainAndMirrored);
}

absl::StatusOr<double> Evaluator::Accuracy(double correct) const {
  if (images_.size() == 0) {
    return absl::InvalidArgumentError("no images to evaluate on");
  }
  return correct / static_cast<double>(images_.size());
}

}  // namespace lockstep
