#include "lib/train/evaluate.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/DeviceGuard.h>

#include <numeric>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/cifar/batch_loader.h"
#include "lib/nn/torch_status.h"

namespace lockstep {
namespace {

// Images of `batch` that the model gets right.
int64_t CountCorrect(Model& model, Batch& batch, c10::Device device) {
  const torch::Tensor images =
      at::from_blob(batch.images.data(), {batch.size, kChannels, kImageSize, kImageSize}, at::kFloat).to(device);
  const torch::Tensor labels = at::from_blob(batch.labels.data(), {batch.size}, at::kLong);
  return model.forward(images).argmax(1).to(at::kCPU).eq(labels).sum().item<int64_t>();
}

absl::StatusOr<int64_t> CountAllCorrect(Model& model, BatchLoader& loader, c10::Device device) {
  int64_t correct = 0;
  Batch batch;
  while (true) {
    RETURN_IF_ERROR(CheckNotStopped());
    ASSIGN_OR_RETURN(const bool more, loader.Next(&batch));
    if (!more) {
      return correct;
    }
    correct += CountCorrect(model, batch, device);
  }
}

}  // namespace

absl::StatusOr<double> Evaluate(Model& model, const ImageSet& images, const std::array<float, 3>& mean,
                                const std::array<float, 3>& std, uint32_t batch_size, c10::Device device) {
  if (images.size() == 0) {
    return absl::InvalidArgumentError("no images to evaluate on");
  }
  LoaderOptions options;
  options.batch_size = batch_size;
  options.augment = false;
  options.mean = mean;
  options.std = std;
  BatchLoader loader(images, options);
  std::vector<uint32_t> order(images.size());
  std::iota(order.begin(), order.end(), 0u);
  loader.StartEpoch(0, std::move(order));

  int64_t correct = 0;
  RETURN_IF_ERROR(CatchTorchErrors("evaluation", [&]() -> absl::Status {
    const at::NoGradGuard no_grad;
    const c10::DeviceGuard guard(device);
    const bool training = model.is_training();
    const auto restore = absl::MakeCleanup([&] { model.train(training); });
    model.eval();
    ASSIGN_OR_RETURN(correct, CountAllCorrect(model, loader, device));
    return absl::OkStatus();
  }));
  return static_cast<double>(correct) / static_cast<double>(images.size());
}

}  // namespace lockstep
