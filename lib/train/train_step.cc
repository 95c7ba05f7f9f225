#include "lib/train/train_step.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/augmentation_spec.h"
#include "lib/device/compute_threads.h"
#include "lib/device/torch_status.h"
#include "lib/fused/resnet_units.h"
#include "lib/networks/optimizers.h"
#include "lib/nn/autocast.h"
#include "lib/nn/tf32.h"
#include "lib/nn/zero_gamma.h"
#include "lib/train/make_optimizer.h"
#include "lib/train/schedule.h"

namespace lockstep {
namespace {

// HostImages and HostLabels return images and labels first ... first + n - 1 of the batch, without a copy. from_blob
// takes no const pointer, but nothing writes through it.
torch::Tensor HostImages(const Batch& batch, const ModelShape& shape, uint32_t first, uint32_t n) {
  return at::from_blob(const_cast<float*>(batch.images.data()) + first * kChannels * shape.height * shape.width,
                       {n, kChannels, shape.height, shape.width}, at::kFloat);
}
torch::Tensor HostLabels(const Batch& batch, uint32_t first, uint32_t n) {
  return at::from_blob(const_cast<int64_t*>(batch.labels.data()) + first, {n}, at::kLong);
}

// Returns a copy in page-locked memory. A copy from there to the device is queued like a kernel, so the host does not
// wait; LibTorch keeps the block until that copy is done.
torch::Tensor PageLocked(const torch::Tensor& host) {
  torch::Tensor locked = at::empty(host.sizes(), host.options().pinned_memory(true));
  std::memcpy(locked.data_ptr(), host.data_ptr(), host.nbytes());
  return locked;
}

torch::Tensor ToDevice(const torch::Tensor& host, c10::Device device) {
  return device.is_cuda() ? PageLocked(host).to(device, /*non_blocking=*/true) : host;
}

// Lays out the convolutions' weights as (out, H, W, in). Only tensors of four dimensions have this memory format.
void ToChannelsLast(Model& model) {
  for (torch::Tensor& parameter : model.parameters()) {
    if (parameter.dim() == 4) {
      parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
    }
  }
}

// Returns the model on the device and in its memory format. Must come before the optimizer makes tensors like the
// parameters.
std::shared_ptr<Model> Prepared(std::shared_ptr<Model> model, bool channels_last, c10::Device device) {
  model->to(device);
  if (channels_last) {
    ToChannelsLast(*model);
  }
  return model;
}

absl::Status CheckRate(const char* name, double value) {
  if (value >= 0 && std::isfinite(value)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("--", name, "=", value, ": expected a number >= 0"));
}

absl::Status CheckRemedies(const proto::TrainingSpec& spec) {
  if (!(spec.label_smoothing() >= 0 && spec.label_smoothing() <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--label_smoothing=", spec.label_smoothing(), ": expected a number from 0 to 1"));
  }
  RETURN_IF_ERROR(CheckRate("clip_norm", spec.clip_norm()));
  RETURN_IF_ERROR(CheckRate("lars", spec.lars()));
  return spec.zero_gamma() ? CheckZeroGamma(spec.model()) : absl::OkStatus();
}

// Returns InvalidArgumentError for a spec that TrainStep does not support.
absl::Status CheckAutograd(const proto::TrainingSpec& spec) {
  const bool cpu = spec.device() != proto::CUDA;
  if (cpu && spec.precision() == proto::TF32) {
    return absl::InvalidArgumentError("precision TF32 needs a GPU; give fp32 or bf16 on the CPU, or --device=cuda");
  }
  if (cpu && spec.cuda_graph()) {
    return absl::InvalidArgumentError(
        "--cuda_graph=true captures a CUDA graph, but the device is a CPU; leave it out, also as part of "
        "--preset=fast, or give --device=cuda");
  }
  return spec.cuda_graph() && spec.accumulate() > 1
             ? absl::InvalidArgumentError(absl::StrCat("--cuda_graph=true with --accumulate=", spec.accumulate(),
                                                       ": a step in micro-batches is not captured; leave one out"))
             : absl::OkStatus();
}

// Returns InvalidArgumentError for a spec that the fused step (lib/fused) does not support.
absl::Status CheckFused(const proto::TrainingSpec& spec) {
  if (!FusedStageBlocks(spec.model()).has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--step=fused is written for resnet18 and resnet34, not ", spec.model(), "; use --step=autograd"));
  }
  if (!HasMomentum(spec.optimizer())) {
    return absl::InvalidArgumentError(absl::StrCat("--step=fused updates by sgd or nesterov, not by --optimizer=",
                                                   OptimizerWord(spec.optimizer()), "; use --step=autograd"));
  }
  if (spec.optimizer() == proto::NESTEROV && spec.accumulate() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--optimizer=nesterov with --accumulate=", spec.accumulate(),
        ": --step=fused adds the gradients of micro-batches to the momentum; leave one out, or use --step=autograd"));
  }
  if (!spec.channels_last()) {
    return absl::InvalidArgumentError("--channels_last=false: --step=fused is channels-last; leave one out");
  }
  return spec.device() == proto::CUDA
             ? absl::OkStatus()
             : absl::InvalidArgumentError("--step=fused needs CUDA, but the device is a CPU; give --step=autograd");
}

}  // namespace

absl::Status CheckStepShape(const proto::TrainingSpec& spec, const ModelShape& shape) {
  RETURN_IF_ERROR(
      CheckAugmentationFits(spec, {static_cast<uint32_t>(shape.height), static_cast<uint32_t>(shape.width)}));
  if (spec.step() != proto::FUSED) {
    return absl::OkStatus();
  }
  constexpr absl::string_view kRemedy = "use --step=autograd --cuda_graph, the captured graph of autograd's step";
  if (shape.classes > kMaxFusedClasses) {
    return absl::InvalidArgumentError(absl::StrCat("--step=fused: expected at most ", kMaxFusedClasses,
                                                   " classes, found ", shape.classes, "; ", kRemedy));
  }
  if (!IsFusedImageSize(shape.height, shape.width)) {
    return absl::InvalidArgumentError(absl::StrCat("--step=fused: expected square images of ", kMinFusedImageSize,
                                                   " to ", kMaxFusedImageSize, " pixels in steps of ",
                                                   kFusedImageSizeStep, ", found ", shape.height, "x", shape.width,
                                                   "; make such images by --resize=32 of cifar_prep, or ", kRemedy));
  }
  return absl::OkStatus();
}

absl::Status CheckTrainingSpec(const proto::TrainingSpec& spec) {
  RETURN_IF_ERROR(spec.step() == proto::FUSED ? CheckFused(spec) : CheckAutograd(spec));
  RETURN_IF_ERROR(CheckRate("learning_rate", spec.learning_rate()));
  RETURN_IF_ERROR(CheckRate("momentum", spec.momentum()));
  RETURN_IF_ERROR(CheckRate("weight_decay", spec.weight_decay()));
  RETURN_IF_ERROR(CheckAugmentation(spec));
  RETURN_IF_ERROR(CheckRemedies(spec));
  RETURN_IF_ERROR(CheckOptimizer(spec));
  RETURN_IF_ERROR(CheckEpochs(spec));
  RETURN_IF_ERROR(CheckComputeThreads(spec.threads()));
  return CheckSchedule(spec);
}

TrainStep::TrainStep(std::shared_ptr<Model> model, const proto::TrainingSpec& spec, c10::Device device,
                     uint32_t micro_batch)
    : model_(Prepared(std::move(model), spec.channels_last(), device)), device_(device), micro_batch_(micro_batch),
      bf16_(spec.precision() == proto::BF16), tf32_(spec.precision() == proto::TF32),
      label_smoothing_(spec.label_smoothing()),
      memory_format_(spec.channels_last() ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous),
      optimizer_(MakeOptimizer(model_->parameters(), spec)),
      captured_(*model_, *optimizer_, device_, memory_format_,
                [this](const torch::Tensor& images, const torch::Tensor& labels) { return Forward(images, labels); }),
      clock_(device) {}

torch::Tensor TrainStep::CopyImages(const Batch& batch, uint32_t first, uint32_t n) {
  return ToDevice(HostImages(batch, model_->shape(), first, n), device_).contiguous(memory_format_);
}

ForwardResult TrainStep::Forward(const torch::Tensor& images, const torch::Tensor& labels) {
  const Bf16Autocast autocast(bf16_ ? AutocastMode::kBf16 : AutocastMode::kOff, device_.type());
  ForwardResult result;
  result.logits = model_->forward(images);
  constexpr int64_t kNotIgnored = -100;  // not a label; LibTorch's default
  result.loss =
      at::cross_entropy_loss(result.logits, labels, /*weight=*/{}, at::Reduction::Mean, kNotIgnored, label_smoothing_);
  return result;
}

torch::Tensor TrainStep::CopyLabels(const Batch& batch, uint32_t first, uint32_t n) {
  return ToDevice(HostLabels(batch, first, n), device_);
}

absl::Status TrainStep::Capture(uint32_t images, GradientHook* hook, uint32_t rank) {
  return CatchTorchErrors(absl::StrCat("capturing a training step of ", images, " images"), [&] {
    const c10::DeviceGuard guard(device_);
    const Tf32Products tf32(tf32_);
    return captured_.Capture(images, hook, rank);
  });
}

void TrainStep::BeginEpoch() {
  steps_ = 0;
  images_ = 0;
  captured_.Clear();
  logits_.clear();
  losses_.clear();
  sizes_.clear();
  labels_.clear();
  model_->train();
  clock_.Start();
}

absl::Status TrainStep::Backward(const torch::Tensor& loss, GradientHook* hook) {
  if (hook != nullptr) {
    RETURN_IF_ERROR(hook->BeforeBackward());
  }
  loss.backward();
  return hook != nullptr ? hook->AfterBackward() : absl::OkStatus();
}

absl::Status TrainStep::AddGradients(const Batch& batch, uint32_t first, uint32_t n, GradientHook* hook) {
  clock_.Enter(Phase::kCopy);
  const torch::Tensor images = CopyImages(batch, first, n);
  const torch::Tensor labels = CopyLabels(batch, first, n);
  clock_.Enter(Phase::kForward);
  if (first == 0) {
    model_->zero_grad();  // frees the gradients before the activations need the memory, like Python's default
  }
  const ForwardResult result = Forward(images, labels);
  clock_.Enter(Phase::kBackward);
  // A micro-batch of n images contributes n / batch of the mean over the batch.
  const bool last = first + n == batch.size;
  RETURN_IF_ERROR(Backward(n == batch.size ? result.loss : result.loss * (static_cast<double>(n) / batch.size),
                           last ? hook : nullptr));
  logits_.push_back(result.logits.detach());
  losses_.push_back(result.loss.detach());
  sizes_.push_back(n);
  return absl::OkStatus();
}

absl::Status TrainStep::RunEager(const Batch& batch, GradientHook* hook) {
  const uint32_t micro_batch = micro_batch_ == 0 ? batch.size : micro_batch_;
  for (uint32_t first = 0; first < batch.size; first += micro_batch) {
    RETURN_IF_ERROR(AddGradients(batch, first, std::min(micro_batch, batch.size - first), hook));
  }
  clock_.Enter(Phase::kOptimizer);
  RETURN_IF_ERROR(optimizer_->Step());
  labels_.insert(labels_.end(), batch.labels.begin(), batch.labels.end());
  return absl::OkStatus();
}

absl::Status TrainStep::CopyTo(const CapturedSteps::Inputs& inputs, const Batch& batch) {
  inputs.images.copy_(PageLocked(HostImages(batch, model_->shape(), 0, batch.size)), /*non_blocking=*/true);
  inputs.labels.copy_(PageLocked(HostLabels(batch, 0, batch.size)), /*non_blocking=*/true);
  return absl::OkStatus();
}

absl::Status TrainStep::RunCaptured(uint32_t images, const Fill& fill) {
  clock_.Enter(Phase::kCopy);
  RETURN_IF_ERROR(fill(captured_.InputsOf(images)));
  clock_.Enter(Phase::kForward);
  captured_.Replay(images);
  return absl::OkStatus();
}

absl::Status TrainStep::RunStep(uint32_t images, const std::function<absl::Status()>& run) {
  return CatchTorchErrors(absl::StrCat("a training step of ", images, " images"), [&]() -> absl::Status {
    const c10::DeviceGuard guard(device_);
    const Tf32Products tf32(tf32_);
    RETURN_IF_ERROR(run());
    clock_.Enter(Phase::kDataWait);
    ++steps_;
    images_ += images;
    return absl::OkStatus();
  });
}

absl::Status TrainStep::Run(const Batch& batch, GradientHook* hook) {
  return RunStep(batch.size, [&] {
    return captured_.Has(batch.size, hook)
               ? RunCaptured(batch.size, [&](const CapturedSteps::Inputs& inputs) { return CopyTo(inputs, batch); })
               : RunEager(batch, hook);
  });
}

absl::Status TrainStep::RunFilled(uint32_t images, GradientHook* hook, const Fill& fill) {
  if (!captured_.Has(images, hook)) {
    return absl::FailedPreconditionError(absl::StrCat("no step of ", images, " images was captured"));
  }
  return RunStep(images, [&] { return RunCaptured(images, fill); });
}

absl::StatusOr<EpochTotals> TrainStep::EndEpoch() {
  EpochTotals totals;
  const absl::Status status = CatchTorchErrors("the end of an epoch", [&]() {
    const c10::DeviceGuard guard(device_);
    totals.times = clock_.Finish();
    totals.steps = steps_;
    totals.images = images_;
    if (images_ == 0) {
      return absl::OkStatus();
    }
    double loss = captured_.LossSum();
    int64_t correct = captured_.Correct();
    if (!labels_.empty()) {
      const torch::Tensor losses = at::stack(losses_).to(at::kCPU, at::kDouble);  // (steps)
      for (size_t i = 0; i < sizes_.size(); ++i) {
        loss += losses[static_cast<int64_t>(i)].item<double>() * sizes_[i];
      }
      const torch::Tensor predicted = at::cat(logits_).argmax(1).to(at::kCPU);  // int64 (images)
      const torch::Tensor labels = at::from_blob(labels_.data(), {static_cast<int64_t>(labels_.size())}, at::kLong);
      correct += predicted.eq(labels).sum().item<int64_t>();
    }
    totals.mean_loss = loss / static_cast<double>(images_);
    totals.accuracy = static_cast<double>(correct) / static_cast<double>(images_);
    return absl::OkStatus();
  });
  RETURN_IF_ERROR(status);
  return totals;
}

}  // namespace lockstep
