#include "lib/train/resident_batches.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/dataset/augment.h"
#include "lib/kernels/augment_batch.h"

namespace lockstep {
namespace {

// Returns a copy of host memory on the device, and waits for the copy. The device has no uint16 and uint32 of its own
// in LibTorch's older versions, so `type` names a type of the same size.
template <typename T>
at::Tensor Upload(const T* values, size_t count, at::ScalarType type, c10::Device device) {
  const at::Tensor host =
      at::from_blob(const_cast<T*>(values), {static_cast<int64_t>(count)}, at::TensorOptions().dtype(type));
  at::Tensor copy = at::empty(host.sizes(), host.options().device(device));
  return copy.copy_(host);
}

template <typename T>
const T* PointerTo(const at::Tensor& tensor) {
  return static_cast<const T*>(tensor.const_data_ptr());
}

class CudaResidentBatches : public ResidentBatches {
 public:
  CudaResidentBatches(const ImageSet& images, const LoaderOptions& options, c10::Device device)
      : images_(static_cast<uint32_t>(images.size())), device_(device),
        pixels_(Upload(images.pixels.data(), images.pixels.size(), at::kByte, device)),
        labels_(Upload(images.labels.data(), images.labels.size(), at::kShort, device)) {
    const NormalizationTable table = MakeNormalizationTable(options.mean, options.std);
    table_ = Upload(table[0].data(), table.size() * table[0].size(), at::kFloat, device);
    const uint32_t start[] = {0, 0};
    start_ = Upload(start, 2, at::kInt, device);
    input_.pixels = PointerTo<uint8_t>(pixels_);
    input_.labels = PointerTo<uint16_t>(labels_);
    input_.table = PointerTo<float>(table_);
    input_.first = PointerTo<uint32_t>(start_);
    input_.epoch = input_.first + 1;
    input_.seed = options.seed;
    input_.augment = options.augment;
    input_.rule = options.rule;
    input_.extent = {images.height(), images.width()};
  }

  absl::Status StartEpoch(uint32_t epoch, const std::vector<uint32_t>& order) override {
    const auto beyond = std::find_if(order.begin(), order.end(), [this](uint32_t image) { return image >= images_; });
    if (beyond != order.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("epoch ", epoch, " needs image ", *beyond, ", but there are ", images_));
    }
    const uint32_t start[] = {0, epoch};
    start_.copy_(at::from_blob(const_cast<uint32_t*>(start), {2}, at::TensorOptions().dtype(at::kInt)));
    order_ = Upload(order.data(), order.size(), at::kInt, device_);
    input_.order = PointerTo<uint32_t>(order_);
    return absl::OkStatus();
  }

  absl::Status Fill(uint32_t first, const at::Tensor& images, const at::Tensor& labels) override {
    AugmentBatchInput input = input_;
    input.ahead = first;
    input.batch = static_cast<uint32_t>(labels.size(0));
    const ImageLayout layout = images.is_contiguous() ? ImageLayout::kNchw : ImageLayout::kNhwc;
    return CudaStatus(AugmentBatch(input, layout, images.mutable_data_ptr<float>(), labels.mutable_data_ptr<int64_t>(),
                                   c10::cuda::getCurrentCUDAStream(device_.index())),
                      "making a batch on the GPU");
  }

 private:
  const uint32_t images_;
  const c10::Device device_;
  const at::Tensor pixels_;  // uint8 (images * 3 * height * width)
  const at::Tensor labels_;  // uint16 (images)
  at::Tensor table_;         // float (3 * 256)
  at::Tensor start_;         // uint32 (2): 0 and the epoch
  at::Tensor order_;         // uint32 (images of the epoch)
  AugmentBatchInput input_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ResidentBatches>> ResidentBatches::Make(const ImageSet& images,
                                                                       const LoaderOptions& options,
                                                                       c10::Device device) {
  return std::make_unique<CudaResidentBatches>(images, options, device);
}

}  // namespace lockstep
