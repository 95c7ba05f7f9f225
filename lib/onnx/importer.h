// The import of one model, node by node. Not for other packages.
//
// Each tensor that a node writes gets a Value: what it is to us. Some nodes become a layer (import_layers.cc); others
// change the layer that wrote their input, or only pass it on (import_passes.cc).
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

// What a tensor of the model is to us.
struct OnnxValue {
  enum Kind {
    kImage,      // the float32 image
    kQuantized,  // int8 or uint8, what tensor `tensor` of the record holds
    kReal,       // the same as float32: dequantized
    kRealMean,   // its average over all pixels, float32, not yet quantized: tensor `tensor` is what is averaged
    kSums,       // int32, what the last layer writes
    kRealSums,   // the same as float32
  };
  Kind kind = kImage;
  uint32_t tensor = 0;
  bool is_signed = false;                   // int8 in the file
  bool flat = false;                        // (N, features)
  bool sole = false;                        // from the layer that wrote it down to here each tensor has one reader
  const ::onnx::NodeProto* mean = nullptr;  // of kRealMean: the node that averages
};

// Numbers separated by spaces; none when a word is no finite number.
std::vector<float> ParseNumbers(const std::string& text);

// Printable and short: what is neither a letter nor a sign becomes '_'.
std::string PlainName(absl::string_view text);

// `model` must outlive it.
class Importer {
 public:
  Importer(const ::onnx::ModelProto& model, OnnxGraph graph);
  absl::StatusOr<proto::QuantizedNetwork> Run();

 private:
  using Value = OnnxValue;
  using NodeProto = ::onnx::NodeProto;
  using Reader = absl::StatusOr<Value> (Importer::*)(const NodeProto&);

  bool IsPool(uint32_t tensor) const;  // whether a pool writes it
  absl::Status CheckOpset() const;
  absl::Status ReadImage();
  absl::Status Read(const NodeProto& node);
  absl::Status CheckLogits() const;
  std::string NetworkName() const;
  void ReadMetadata(proto::QuantizedNetwork& record) const;

  // What nodes read.
  absl::StatusOr<Value> Input(const NodeProto& node, int index) const;
  absl::Status CheckSame(const NodeProto& node, const FileParams& params, const Value& value) const;
  // A quantized tensor at input `index`, with its scale and zero point behind it.
  absl::StatusOr<Value> Operand(const NodeProto& node, int index) const;
  absl::StatusOr<NodeWeights> Weights(const NodeProto& node, int index, int dims, int zero_point_index);

  // Nodes that become layers, and what they share.
  std::string LayerName(const NodeProto& node, absl::string_view weight);
  // The value that a new layer writes.
  absl::StatusOr<Value> Written(const NodeProto& node, const absl::StatusOr<uint32_t>& tensor, Value value);
  // A fully connected layer over `input`; `weights` has its values as (out, in).
  absl::StatusOr<Value> Linear(const NodeProto& node, const Value& input, int weight_index, int64_t out, int64_t in,
                               const QuantizedWeights& weights, const FileParams* output);
  absl::StatusOr<Value> Convolution(const NodeProto& node);
  absl::Status CheckOutputs(const NodeProto& node, int64_t out) const;
  absl::StatusOr<Value> MatMul(const NodeProto& node);
  absl::StatusOr<Value> Gemm(const NodeProto& node);
  absl::StatusOr<Value> MatMulSums(const NodeProto& node);
  // Steps of the weights of MatMulInteger, which has none. Ours are in the metadata; others' are taken as 1.
  std::vector<float> LogitsSteps(size_t outputs) const;
  // The bias of a layer that writes sums.
  absl::StatusOr<Value> AddBias(const NodeProto& node);
  absl::StatusOr<Value> Addition(const NodeProto& node);
  // Averages quantized values, or the same in float32; then the average is quantized behind it.
  absl::StatusOr<Value> GlobalAveragePool(const NodeProto& node);
  // A pool named as `pool` is, whose result `node` writes.
  absl::StatusOr<Value> Mean(const NodeProto& pool, const NodeProto& node, const Value& input,
                             const FileParams& output);
  absl::StatusOr<Value> AveragePool(const NodeProto& node);

  // Nodes that change a layer or pass its result on.
  // The value behind a node that has one reader more on the way.
  Value Passed(const NodeProto& node, Value value) const;
  // Whether the layer that wrote `value` may be changed: nobody has read it as it was.
  absl::Status CheckCanChange(const NodeProto& node, const Value& value) const;
  absl::StatusOr<Value> Quantize(const NodeProto& node);
  absl::StatusOr<Value> Dequantize(const NodeProto& node);
  absl::StatusOr<Value> MaxPool(const NodeProto& node);
  absl::StatusOr<Value> Flatten(const NodeProto& node);
  absl::StatusOr<Value> Reshape(const NodeProto& node);
  int64_t Features(const Value& value) const;  // when it is flattened
  absl::StatusOr<Value> Relu(const NodeProto& node);
  // A ReLU when its lower end is the real number 0; nothing when no end is within the values.
  absl::StatusOr<Value> Clip(const NodeProto& node);
  // An end of Clip as an int8 value; not rounded, where Clip works on real numbers.
  absl::StatusOr<double> ClipEnd(const NodeProto& node, int index, const Value& value, double fallback) const;

  const ::onnx::ModelProto& model_;
  const OnnxGraph graph_;
  std::map<std::string, std::string> metadata_;
  std::unordered_map<std::string, Value> values_;
  std::set<std::string> names_;             // of layers
  std::unique_ptr<RecordBuilder> builder_;  // from the image's QuantizeLinear on
  size_t weights_ = 0;
  bool has_sum_bias_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_IMPORTER_H_
