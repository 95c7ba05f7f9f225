// A plain network run by LibTorch's operators, on the CPU or a GPU: fp32 logits of many images, and what lies between the layers.
#ifndef LOCKSTEP_LIB_QUANTIZE_TORCH_FORWARD_H_
#define LOCKSTEP_LIB_QUANTIZE_TORCH_FORWARD_H_

#include <c10/core/Device.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/int8/network.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// What a layer gave for a batch: its values before and after ReLU, and as it wrote them, rounded where it is as int8 has
// it; all before max-pooling, image by image, and always in the same order. Without ReLU `after` is null.
struct BatchActivations {
  size_t layer;
  const float* before;
  const float* after;
  const float* written;
  size_t size;  // values of the whole batch
};
using BatchObserver = std::function<void(const BatchActivations&)>;

// Which tensors are as int8 would have them: the image's, then those of each layer in turn, whose weights are as int8
// would have them too. Empty: none.
using Int8Mask = std::vector<bool>;

class TorchForward {
 public:
  // Copies the weights to the device, which then computes; what goes in and comes out is the host's. FailedPrecondition: as
  // CheckNetwork.
  static absl::StatusOr<std::unique_ptr<TorchForward>> Make(const FloatNetwork& network,
                                                            c10::Device device = c10::Device(c10::kCPU));
  // Can imitate the int8 network that `record` makes of it: weights as int8 / scale, outputs rounded to their steps and
  // clamped (at::fake_quantize_per_tensor_affine), but sums and biases, which stay as they are.
  static absl::StatusOr<std::unique_ptr<TorchForward>> Make(const FloatNetwork& network,
                                                            const proto::QuantizedNetwork& record,
                                                            c10::Device device = c10::Device(c10::kCPU));
  ~TorchForward();

  // `images`: fp32 (count, channels, height, width), normalised. Returns fp32 (count, values of the last layer).
  // A mask that is not empty wants a record. `layer`: which one is observed, for what is shown comes from the device; none:
  // all.
  absl::StatusOr<std::vector<float>> Run(const std::vector<float>& images, size_t count,
                                         const BatchObserver& observe = nullptr, const Int8Mask& int8 = {},
                                         std::optional<size_t> layer = std::nullopt) const;

  // For each layer and output channel what the rounding of the layer's weights changes in its output before ReLU, all
  // else in fp32: the mean over a batch and its pixels. Empty of a layer without weights. `images`, `count` as Run's; wants a record.
  absl::StatusOr<std::vector<std::vector<double>>> MeanWeightErrors(const std::vector<float>& images,
                                                                    size_t count) const;

 private:
  struct Layers;  // shapes, and LibTorch's tensors

  explicit TorchForward(std::unique_ptr<Layers> layers);

  const std::unique_ptr<Layers> layers_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_TORCH_FORWARD_H_
