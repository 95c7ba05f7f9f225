// Scales: what real numbers are multiplied by to become integers. Symmetric, one per tensor, zero point 0.
//
// The lab's notation: a layer reads inputs of scale S_in (real value * S_in = int8), its weights have the scale n_w, so
// its accumulator has the scale A = S_in * n_w; the accumulator times n_out is the output, of scale S_out = A * n_out,
// which the next layer reads. Thus, for layer l,
//
//     A     = S_input * prod over the layers before of (n_w * n_out) * n_w
//     n_w   = 127 / (range of the weights)
//     n_out = 127 / (max|a| * A)
//     bias  = round_half_even(real bias * A), an int32
//
// where a are the real values that the next layer reads, over the calibration images.
//
// 127 and not 128, so that weights lie in [-127, 127] (ONNX Runtime, TensorRT, TFLite) and +max and -max are treated
// alike.
#ifndef LOCKSTEP_LIB_INT8_QUANT_PARAMS_H_
#define LOCKSTEP_LIB_INT8_QUANT_PARAMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// A running summary of real values. Exact minimum and maximum; mean and standard deviation in double.
class RangeSummary {
 public:
  void Add(const float* values, size_t size);

  bool finite() const { return finite_; }  // no NaN or infinity among the values
  size_t size() const { return size_; }
  double min() const { return min_; }  // 0 before the first value
  double max() const { return max_; }
  double MaxAbs() const;
  // |mean| + 3 standard deviations: the farther end of the 3-sigma range.
  double ThreeSigma() const;

 private:
  size_t size_ = 0;
  bool finite_ = true;
  double min_ = 0;
  double max_ = 0;
  double sum_ = 0;
  double sum_of_squares_ = 0;
};

// Weights in int8.
struct QuantizedTensor {
  std::vector<int8_t> values;  // in [-127, 127]
  double scale = 1;            // n_w: of the whole tensor
  // n_w of each output channel; empty: `scale` is that of all.
  std::vector<double> channel_scale;
  double max_abs = 0;  // max|w|
  double three_sigma = 0;
  size_t saturated = 0;  // values that clamping to +-127 changed

  double ScaleOf(size_t channel) const { return channel_scale.empty() ? scale : channel_scale[channel]; }
};

// Weights in int8: round_half_even(w * n_w), clamped to [-127, 127]. `range` decides what maps to 127:
// MAX_ABS max|w|; THREE_SIGMA min(max|w|, |mean| + 3 standard deviations).
// A tensor of zeros has scale 1 and stays zeros: whatever the scale, it is exact.
// FailedPrecondition: a NaN or an infinity; says which value of `name`, and what to do.
absl::StatusOr<QuantizedTensor> QuantizeWeights(const std::vector<float>& weights, proto::WeightRange range,
                                                absl::string_view name);

// The same with a scale for each of `outputs` channels, the tensor's first dimension, from that channel's own weights.
// A channel of zeros takes the scale of the whole tensor, so that its bias is as fine as the others'. With `bias` not
// empty a channel's scale is at most 2^30 / (input_scale * |bias|): where weights are tiny beside their bias, they lose
// digits instead of the bias overflowing.
absl::StatusOr<QuantizedTensor> QuantizeChannels(const std::vector<float>& weights, size_t outputs,
                                                 const std::vector<float>& bias, double input_scale,
                                                 proto::WeightRange range, absl::string_view name);

// Biases as int32 in the accumulator's scale, input_scale times the weights'. FailedPrecondition: a NaN or an infinity,
// or a value that int32 cannot hold; says which value of `name`.
absl::StatusOr<std::vector<int32_t>> QuantizeBias(const std::vector<float>& bias, double input_scale,
                                                  const QuantizedTensor& weights, absl::string_view name);

// No int8 input with this zero point can make an accumulator's magnitude larger: the maximum over outputs of
//     max(128 + zero_point, 127 - zero_point) * sum of |weight| + |bias|
// `weights`: int8 (out, terms); `bias`: int32 (out) or empty.
int64_t AccumulatorBound(const std::vector<int8_t>& weights, const std::vector<int32_t>& bias, size_t outputs,
                         int32_t zero_point = 0);

// OK when the bound fits int32, so that no sum can overflow: every partial sum is within it too.
absl::Status CheckAccumulatorBound(int64_t bound, absl::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_QUANT_PARAMS_H_
