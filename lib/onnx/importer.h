// The import of one model, node by node. Not for other packages.
//
// Each tensor that a node writes gets a Value, its meaning for Lockstep. Some nodes become a layer (import_layers.cc);
// others change the layer that wrote their input, or only pass it on (import_passes.cc).
#ifndef LOCKSTEP_LIB_ONNX_IMPORTER_H_
#define LOCKSTEP_LIB_ONNX_IMPORTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/onnx/node_parts.h"
#include "lib/onnx/onnx.pb.h"
#include "lib/onnx/onnx_graph.h"
#include "lib/onnx/record_builder.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Meaning of a tensor of the model.
struct OnnxValue {
  enum Kind {
    kImage,      // the float32 image
    kQuantized,  // int8 or uint8, the values of the record's tensor `tensor`
    kReal,       // float32, the same values dequantized
    kRealMean,   // float32, the average of tensor `tensor` over all pixels, not yet quantized
    kSums,       // int32 output of the last layer
    kRealSums,   // float32, the same sums
  };
  Kind kind = kImage;
  uint32_t tensor = 0;
  bool is_signed = false;                   // true: int8 in the file
  bool flat = false;                        // true: (N, features)
  bool sole = false;                        // true: each tensor has one reader, from the output of the layer to here
  const ::onnx::NodeProto* mean = nullptr;  // node that averages, for kRealMean
};

// Returns the numbers in a text separated by spaces; empty if a word is not a finite number.
std::vector<float> ParseNumbers(const std::string& text);

// Returns a short, printable name: a character other than an ASCII letter, digit or punctuation mark becomes '_'.
std::string PlainName(absl::string_view text);

// Import of one model, which must outlive the importer.
class Importer {
 public:
  Importer(const ::onnx::ModelProto& model, OnnxGraph graph);
  absl::StatusOr<proto::QuantizedNetwork> Run();

 private:
  using Value = OnnxValue;
  using NodeProto = ::onnx::NodeProto;
  using Reader = absl::StatusOr<Value> (Importer::*)(const NodeProto&);

  bool IsPool(uint32_t tensor) const;  // true if a pool writes the tensor
  absl::Status CheckOpset() const;
  absl::Status ReadImage();
  absl::Status Read(const NodeProto& node);
  absl::Status CheckLogits() const;
  std::string NetworkName() const;
  void ReadMetadata(proto::QuantizedNetwork& record) const;

  // Inputs of nodes.
  absl::StatusOr<Value> Input(const NodeProto& node, int index) const;
  absl::Status CheckSame(const NodeProto& node, const FileParams& params, const Value& value) const;
  // Returns the quantized tensor at input `index`, whose scale and zero point must be the next inputs.
  absl::StatusOr<Value> Operand(const NodeProto& node, int index) const;
  absl::StatusOr<NodeWeights> Weights(const NodeProto& node, int index, int dims, int zero_point_index);

  // Nodes that become layers, and shared helpers.
  std::string LayerName(const NodeProto& node, absl::string_view weight);
  // Returns the value that a new layer writes.
  absl::StatusOr<Value> Written(const NodeProto& node, const absl::StatusOr<uint32_t>& tensor, Value value);
  // Adds a fully connected layer over `input`. `weights` must hold its values as (out, in).
  absl::StatusOr<Value> Linear(const NodeProto& node, const Value& input, int weight_index, int64_t out, int64_t in,
                               const QuantizedWeights& weights, const FileParams* output);
  absl::StatusOr<Value> Convolution(const NodeProto& node);
  absl::Status CheckOutputs(const NodeProto& node, int64_t out) const;
  absl::StatusOr<Value> MatMul(const NodeProto& node);
  absl::StatusOr<Value> Gemm(const NodeProto& node);
  absl::StatusOr<Value> MatMulSums(const NodeProto& node);
  // Returns the steps of the weights of MatMulInteger, which has no input for them. Our own models have them in the
  // metadata; for other models, they are taken as 1.
  std::vector<float> LogitsSteps(size_t outputs) const;
  // Reads the bias of a layer that writes sums.
  absl::StatusOr<Value> AddBias(const NodeProto& node);
  absl::StatusOr<Value> Addition(const NodeProto& node);
  // Averages quantized values, or their float32 values; in the latter case, a later node quantizes the average.
  absl::StatusOr<Value> GlobalAveragePool(const NodeProto& node);
  // Adds a pool with the name of `pool`, whose result `node` writes.
  absl::StatusOr<Value> Mean(const NodeProto& pool, const NodeProto& node, const Value& input,
                             const FileParams& output);
  absl::StatusOr<Value> AveragePool(const NodeProto& node);

  // Nodes that change a layer or pass its result on.
  // Returns `value` after a node, with one more tensor whose readers count.
  Value Passed(const NodeProto& node, Value value) const;
  // Returns an error unless the layer that wrote `value` may be changed: no other node may have read its output.
  absl::Status CheckCanChange(const NodeProto& node, const Value& value) const;
  absl::StatusOr<Value> Quantize(const NodeProto& node);
  absl::StatusOr<Value> Dequantize(const NodeProto& node);
  absl::StatusOr<Value> MaxPool(const NodeProto& node);
  absl::StatusOr<Value> Flatten(const NodeProto& node);
  absl::StatusOr<Value> Reshape(const NodeProto& node);
  int64_t Features(const Value& value) const;  // number of features after flattening
  absl::StatusOr<Value> Relu(const NodeProto& node);
  // Reads a Clip: a ReLU if its lower end is the real number 0, or no operation if no end lies within the range of
  // values.
  absl::StatusOr<Value> Clip(const NodeProto& node);
  // Returns an end of Clip as an int8 value, without rounding if Clip works on real numbers.
  absl::StatusOr<double> ClipEnd(const NodeProto& node, int index, const Value& value, double fallback) const;

  const ::onnx::ModelProto& model_;
  const OnnxGraph graph_;
  std::map<std::string, std::string> metadata_;
  std::unordered_map<std::string, Value> values_;
  std::set<std::string> names_;             // names of layers
  std::unique_ptr<RecordBuilder> builder_;  // created at the image's QuantizeLinear
  size_t weights_ = 0;
  bool has_sum_bias_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_IMPORTER_H_
