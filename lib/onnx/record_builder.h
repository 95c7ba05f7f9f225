// Builder of a record (lib/proto/quantized.proto) of a network that is int8 already, from the integers and steps of an
// ONNX file. The quantize stage, by contrast, makes records from fp32 weights and calibration images.
//
// A step is what ONNX calls scale: real value = (integer - zero point) * step. Lockstep's scale is 1 / step in double;
// its reciprocal in float32 is the step again, so that multipliers do not change in the conversion.
//
// Fields that require fp32 weights and images stay unset: histograms, ranges, accuracies, replay samples.
#ifndef LOCKSTEP_LIB_ONNX_RECORD_BUILDER_H_
#define LOCKSTEP_LIB_ONNX_RECORD_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/int8/network.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Meaning of a tensor's integers.
struct TensorParams {
  float step = 1;
  int32_t zero_point = 0;  // zero point of the int8 values
  bool operator==(const TensorParams& other) const { return step == other.step && zero_point == other.zero_point; }
  bool operator!=(const TensorParams& other) const { return !(*this == other); }
};

struct QuantizedWeights {
  std::vector<int8_t> values;  // (out, in, kernel, kernel), in [-127, 127]
  std::vector<float> steps;    // one, or one for each output channel
  std::vector<int32_t> bias;   // (out), in units of input step * weight step; empty: no bias
};

// Layers must be added in the order of the forward pass; a layer's inputs are numbered like LayerShape::inputs. All
// errors are FailedPrecondition and name the layer. Not thread-safe.
class RecordBuilder {
 public:
  // `image`: step and zero point of the image; `extent`: its size.
  RecordBuilder(const std::string& name, TensorParams image, Extent extent);

  // Add a layer and return the number of the tensor that it writes.
  absl::StatusOr<uint32_t> AddWeighted(LayerShape shape, const QuantizedWeights& weights, TensorParams output);
  absl::StatusOr<uint32_t> AddSums(LayerShape shape, const QuantizedWeights& weights);  // writes int32 sums
  absl::StatusOr<uint32_t> AddWithoutWeights(LayerShape shape, TensorParams output);    // an addition or a pool

  // Change the layer that writes tensor `tensor`, which must not be the image.
  void SetRelu(uint32_t tensor, bool relu);
  absl::Status SetPool(uint32_t tensor, uint32_t side);
  void SetBias(uint32_t tensor, const std::vector<int32_t>& bias);

  Extent Of(uint32_t tensor) const { return tensor == 0 ? image_extent_ : shapes_[tensor - 1].Pooled(); }
  const std::vector<LayerShape>& shapes() const { return shapes_; }
  const TensorParams& Params(uint32_t tensor) const { return params_[tensor]; }

  // Returns the record; may be called once. Sums that could overflow int32 are an error.
  absl::StatusOr<proto::QuantizedNetwork> Finish();

 private:
  absl::StatusOr<proto::QuantizedLayer*> Add(LayerShape shape, TensorParams output);

  const Extent image_extent_;
  std::vector<LayerShape> shapes_;
  std::vector<TensorParams> params_;  // parameters of the image and of each layer's output
  proto::QuantizedNetwork record_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_RECORD_BUILDER_H_
