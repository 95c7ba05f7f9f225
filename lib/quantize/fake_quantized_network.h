// A network whose forward pass gives the integers of its int8 record and can be differentiated: what fine-tuning trains.
//
// Between the layers flow the integers themselves, in fp32: int8 values less their zero point. Sums of integers are exact
// in fp32 up to 2^24, in any order, and each rounding is that of lib/int8/requantize.h; so what trains is what runs, bit for
// bit, where no sum is larger.
//
// Backward, rounding counts as the identity, and what is clamped passes no gradient: the straight-through estimator (Bengio,
// Leonard, Courville 2013), as torch.fake_quantize_per_tensor_affine has it. Scales take no gradient. Those of weights are
// taken from the weights anew in each pass, as QuantizeLayers takes them; those of activations are the record's.
#ifndef LOCKSTEP_LIB_QUANTIZE_FAKE_QUANTIZED_NETWORK_H_
#define LOCKSTEP_LIB_QUANTIZE_FAKE_QUANTIZED_NETWORK_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <memory>
#include <vector>

#include "lib/int8/network.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// fp32 (N, classes), both.
struct QuantizedOutput {
  at::Tensor integers;  // as the int8 network writes them: sums, or int8 values; without gradient
  at::Tensor logits;    // the real numbers that they stand for
};

// All functions throw c10::Error as LibTorch does.
class FakeQuantizedNetwork {
 public:
  // Copies the weights to the device. `record`: what QuantizeLayers made of `network`, or of one of the same shapes, with
  // `spec`.
  FakeQuantizedNetwork(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                       const proto::QuantizeSpec& spec, c10::Device device);
  ~FakeQuantizedNetwork();

  // `images`: fp32 (N, channels, height, width), normalised, on the device.
  QuantizedOutput Run(const at::Tensor& images) const;

  // Weights and biases, fp32 leaves of the graph, to be trained in place.
  std::vector<at::Tensor> Parameters() const;

  // The network with the weights and biases as they now are.
  FloatNetwork Network() const;

 private:
  struct State;

  const std::unique_ptr<State> state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_FAKE_QUANTIZED_NETWORK_H_
