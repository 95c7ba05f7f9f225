// Forward pass of a plain network by LibTorch's operators, on the CPU or a GPU: fp32 logits of many images, and the
// values between layers.
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

// Outputs of one layer for a batch: before and after ReLU, and as written to the next layer, that is, rounded if the
// layer is in int8. All are before max-pooling, image by image, in the same order. Without ReLU `after` is null.
struct BatchActivations {
  size_t layer;
  const float* before;
  const float* after;
  const float* written;
  size_t size;  // number of values in the whole batch
};
using BatchObserver = std::function<void(const BatchActivations&)>;

// Mask of the tensors that are rounded as in int8: the image's tensor, then that of each layer in turn. A masked layer
// also uses int8 weights. Empty: no tensor is rounded.
using Int8Mask = std::vector<bool>;

class TorchForward {
 public:
  // Copies the weights to the device, which then computes; inputs and outputs are in host memory. Errors as
  // CheckNetwork (FailedPreconditionError).
  static absl::StatusOr<std::unique_ptr<TorchForward>> Make(const FloatNetwork& network,
                                                            c10::Device device = c10::Device(c10::kCPU));
  // Does the same as Make above, and can imitate the int8 network that `record` describes: weights as int8 / scale,
  // outputs rounded to their steps and clamped (at::fake_quantize_per_tensor_affine). Sums and biases are not rounded.
  static absl::StatusOr<std::unique_ptr<TorchForward>> Make(const FloatNetwork& network,
                                                            const proto::QuantizedNetwork& record,
                                                            c10::Device device = c10::Device(c10::kCPU));
  ~TorchForward();

  // Runs the network. `images`: fp32 (count, channels, height, width), normalised. Returns fp32 (count, values of the
  // last layer). A mask that is not empty requires a record. `layer`: the only layer to observe, because observed
  // values are copied from the device; nullopt: all layers.
  absl::StatusOr<std::vector<float>> Run(const std::vector<float>& images, size_t count,
                                         const BatchObserver& observe = nullptr, const Int8Mask& int8 = {},
                                         std::optional<size_t> layer = std::nullopt) const;

  // Returns, for each layer and output channel, how much the rounding of the layer's weights changes its output before
  // ReLU, all else in fp32: the mean over a batch and its pixels. The entry of a layer without weights is empty.
  // `images` and `count` as for Run. Requires a record.
  absl::StatusOr<std::vector<std::vector<double>>> MeanWeightErrors(const std::vector<float>& images,
                                                                    size_t count) const;

 private:
  struct Layers;  // shapes, and LibTorch's tensors

  explicit TorchForward(std::unique_ptr<Layers> layers);

  const std::unique_ptr<Layers> layers_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_TORCH_FORWARD_H_
