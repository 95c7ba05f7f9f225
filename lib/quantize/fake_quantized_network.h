// Differentiable network for fine-tuning: its forward pass gives the integers of an int8 record.
//
// Tensors between layers hold the integers themselves, in fp32: int8 values less their zero point. Sums of integers are
// exact in fp32 up to 2^24, in any order, and each rounding is that of lib/int8/requantize.h. Hence training computes
// the same bits as the int8 network where no sum is larger.
//
// In the backward pass, rounding counts as the identity, and a clamped value passes no gradient: the straight-through
// estimator (Bengio, Leonard, Courville 2013), as in torch.fake_quantize_per_tensor_affine. Scales get no gradient. The
// scales of weights are computed from the weights in each pass, as in QuantizeLayers; those of activations are the
// record's.
#ifndef LOCKSTEP_LIB_QUANTIZE_FAKE_QUANTIZED_NETWORK_H_
#define LOCKSTEP_LIB_QUANTIZE_FAKE_QUANTIZED_NETWORK_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <memory>
#include <vector>

#include "lib/int8/network.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Outputs of one forward pass, each fp32 (N, classes).
struct QuantizedOutput {
  at::Tensor integers;  // outputs of the int8 network: sums, or int8 values; without gradient
  at::Tensor logits;    // real numbers that the integers represent
};

// Wrapper of the layers' parameters. All functions throw c10::Error as LibTorch does.
class FakeQuantizedNetwork {
 public:
  // Copies the weights to the device. `record` must be a result of QuantizeLayers with `spec`, for `network` or for a
  // network of the same shapes.
  FakeQuantizedNetwork(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                       const proto::QuantizeSpec& spec, c10::Device device);
  ~FakeQuantizedNetwork();

  // Runs the forward pass. `images`: fp32 (N, channels, height, width), normalised, on the device.
  QuantizedOutput Run(const at::Tensor& images) const;

  // Returns weights and biases, fp32 leaves of the graph, to be trained in place.
  std::vector<at::Tensor> Parameters() const;

  // Returns the network with the current weights and biases.
  FloatNetwork Network() const;

 private:
  struct State;

  const std::unique_ptr<State> state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_FAKE_QUANTIZED_NETWORK_H_
