// Scales: factors that convert real numbers to integers. Symmetric, one per tensor, zero point 0.
//
// The lab's notation for one layer:
//     S_in             scale of the inputs (real value * S_in = int8)
//     n_w              scale of the weights
//     A = S_in * n_w   scale of the accumulator
//     n_out            factor from the accumulator to the output
//     S_out = A * n_out  scale of the output, which is the next layer's input
// Thus, for layer l,
//
//     A     = S_input * prod over the layers before of (n_w * n_out) * n_w
//     n_w   = 127 / (range of the weights)
//     n_out = 127 / (max|a| * A)
//     bias  = round_half_even(real bias * A), an int32
//
// where a are the real values that the next layer reads, over the calibration images.
//
// The range ends at 127, not 128, so that weights lie in [-127, 127] (as in ONNX Runtime, TensorRT and TFLite) and +max
// and -max are treated alike.
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

// Running summary of real values. Minimum and maximum are exact; mean and standard deviation are computed in double.
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
  std::vector<int8_t> values;  // int8 weights, in [-127, 127]
  double scale = 1;            // n_w of the whole tensor
  // n_w of each output channel; empty: `scale` applies to all channels.
  std::vector<double> channel_scale;
  double max_abs = 0;  // max|w|
  double three_sigma = 0;
  size_t saturated = 0;  // values that clamping to +-127 changed

  double ScaleOf(size_t channel) const { return channel_scale.empty() ? scale : channel_scale[channel]; }
};

// Quantizes weights: round_half_even(w * n_w), clamped to [-127, 127]. `range` selects the value that maps to 127:
// MAX_ABS max|w|; THREE_SIGMA min(max|w|, |mean| + 3 standard deviations). A tensor of zeros has scale 1; zeros are
// exact at any scale. Returns FailedPreconditionError with the position in `name` and a remedy if a weight is NaN or
// infinite.
absl::StatusOr<QuantizedTensor> QuantizeWeights(const std::vector<float>& weights, proto::WeightRange range,
                                                absl::string_view name);

// Quantizes like QuantizeWeights, but with one scale per channel, computed from that channel's weights. The channels
// are the tensor's first dimension, of size `outputs`. A channel of zeros takes the scale of the whole tensor, so that
// its bias is as fine as the others'. If `bias` is not empty, a channel's scale is at most 2^30 / (input_scale *
// |bias|): weights that are tiny compared with their bias lose digits, but the bias does not overflow.
absl::StatusOr<QuantizedTensor> QuantizeChannels(const std::vector<float>& weights, size_t outputs,
                                                 const std::vector<float>& bias, double input_scale,
                                                 proto::WeightRange range, absl::string_view name);

// Quantizes biases to int32 in the accumulator's scale, input_scale times the weights' scale. Returns
// FailedPreconditionError with the position in `name` if a value is NaN, infinite or too large for int32.
absl::StatusOr<std::vector<int32_t>> QuantizeBias(const std::vector<float>& bias, double input_scale,
                                                  const QuantizedTensor& weights, absl::string_view name);

// Returns an upper bound of an accumulator's magnitude for any int8 input with this zero point: the maximum over
// outputs of
//     max(128 + zero_point, 127 - zero_point) * sum of |weight| + |bias|
// `weights`: int8 (out, terms); `bias`: int32 (out) or empty.
int64_t AccumulatorBound(const std::vector<int8_t>& weights, const std::vector<int32_t>& bias, size_t outputs,
                         int32_t zero_point = 0);

// Returns FailedPreconditionError unless the bound fits int32. If it fits, no sum can overflow: every partial sum is
// within the bound, too.
absl::Status CheckAccumulatorBound(int64_t bound, absl::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_QUANT_PARAMS_H_
