// The import of one model, node by node. Not for other packages.
//
// Each tensor that a node writes gets a Value, its meaning for Lockstep. Nodes are of four kinds:
// - Quantized operators become a layer (import_layers.cc).
// - Operators in float32 between DequantizeLinear and QuantizeLinear become a layer once the QuantizeLinear is known
//   (import_float_layers.cc).
// - Some nodes change the layer that wrote their input, or only pass it on (import_passes.cc).
// - Nodes that compute the shape for a Reshape are computed here (import_shapes.cc).
// import_added_layers.cc adds layers that have no node of their own.
#ifndef LOCKSTEP_LIB_ONNX_IMPORTER_H_
#define LOCKSTEP_LIB_ONNX_IMPORTER_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/onnx/node_parts.h"
#include "lib/onnx/node_weights.h"
#include "lib/onnx/onnx.pb.h"
#include "lib/onnx/onnx_graph.h"
#include "lib/onnx/record_builder.h"
#include "lib/onnx/shape_values.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Layer whose inputs and weights are known. A layer of the QDQ form waits for its output's scale.
struct OnnxLayer {
  const ::onnx::NodeProto* node = nullptr;  // node that computes it
  std::string weight_name;                  // name of the weights in the file; empty if there are none
  LayerShape shape;                         // shape without name and ReLU
  std::shared_ptr<const NodeWeights> weights;
  std::shared_ptr<const std::vector<int32_t>> bias;
  bool flat = false;                                    // true: its output's shape is (N, features)
  float low = -std::numeric_limits<float>::infinity();  // limits of the real output, from Relu and Clip
  float high = std::numeric_limits<float>::infinity();

  bool IsUnlimited() const { return low == -std::numeric_limits<float>::infinity() && std::isinf(high) && high > 0; }
};

// Meaning of a tensor of the model.
struct OnnxValue {
  enum Kind {
    kImage,          // the float32 image
    kQuantized,      // int8 or uint8, the values of the record's tensor `tensor`
    kReal,           // float32, the same values dequantized
    kUnquantized,    // float32, the output of `layer`, which a later node quantizes
    kSums,           // int32 output of the last layer
    kRealSums,       // float32, the same sums
    kProbabilities,  // softmax of the logits in `tensor`, float32 or quantized
    kConstant,       // float32, constants that the DequantizeLinear `node` dequantizes
    kShape,          // `shape`, integers from which a Reshape takes its shape
  };
  Kind kind = kImage;
  uint32_t tensor = 0;
  bool is_signed = false;  // true: int8 in the file
  bool flat = false;       // true: (N, features)
  bool sole = false;       // true: each tensor has one reader, from the output of the layer to here
  std::shared_ptr<const OnnxLayer> layer = nullptr;
  const ::onnx::NodeProto* node = nullptr;
  std::shared_ptr<const ShapeValues> shape = nullptr;
};

// Returns the numbers in a text separated by spaces; empty if a word is not a finite number.
std::vector<float> ParseNumbers(const std::string& text);

// Returns a short, printable name: a character other than an ASCII letter, digit or punctuation mark becomes '_'.
std::string PlainName(absl::string_view text);

// Returns the error about a node that Lockstep does not run.
absl::Status UnsupportedOperator(const ::onnx::NodeProto& node);

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
  absl::Status CheckIsStatic() const;  // rejects dynamic quantization
  absl::Status ReadImage();
  absl::StatusOr<Value> ReadNode(const NodeProto& node);
  absl::Status ReadLogits();
  std::string NetworkName() const;
  void ReadMetadata(proto::QuantizedNetwork& record) const;

  // Inputs of nodes.
  absl::StatusOr<Value> Input(const NodeProto& node, int index) const;
  Extent ExtentOf(const Value& value) const;  // extent of an image or of a layer's output
  absl::Status CheckSame(const NodeProto& node, const FileParams& params, const Value& value) const;
  // Returns the quantized tensor at input `index`, whose scale and zero point must be the next inputs.
  absl::StatusOr<Value> Operand(const NodeProto& node, int index) const;
  // Returns the dequantized tensor at input `index`.
  absl::StatusOr<Value> RealOperand(const NodeProto& node, int index) const;
  // Counts constants that the importer copies, and returns an error if they are more than any network has.
  absl::Status Count(const NodeProto& node, size_t constants);
  absl::StatusOr<NodeWeights> Weights(const NodeProto& node, int index, size_t dims, size_t out, int zero_point_index);
  // Reads weights from input 1, which a DequantizeLinear of constants writes.
  absl::StatusOr<NodeWeights> RealWeights(const NodeProto& node, size_t dims, size_t out);
  // Reads the bias of a layer over `input` from input `index`: a dequantized constant, or a float32 one.
  absl::StatusOr<std::vector<int32_t>> RealBias(const NodeProto& node, int index, const Value& input,
                                                const NodeWeights& weights);
  // Returns the name of the weights at input 1, before they are dequantized.
  const std::string& RealWeightName(const NodeProto& node) const;

  // Layers.
  // Returns a name for a layer: that of its weights in the file, or of its node.
  std::string LayerName(const NodeProto& node, absl::string_view weight);
  std::string UniqueName(const std::string& name);  // adds a number if the name is taken
  // Returns a convolution or fully connected layer over `input`. `weights` must be (out, in, k, k) or (out, in).
  absl::StatusOr<OnnxLayer> ConvolutionLayer(const NodeProto& node, const Value& input, NodeWeights weights,
                                             std::vector<int32_t> bias) const;
  absl::StatusOr<OnnxLayer> LinearLayer(const NodeProto& node, const Value& input, NodeWeights weights,
                                        std::vector<int32_t> bias) const;
  absl::StatusOr<OnnxLayer> AdditionLayer(const NodeProto& node, const Value& a, const Value& b) const;
  absl::StatusOr<OnnxLayer> AverageLayer(const NodeProto& node, const Value& input) const;
  // Add the layer, whose result `node` writes, and return its value.
  absl::StatusOr<Value> AddQuantized(const NodeProto& node, const OnnxLayer& layer, const FileParams& output);
  absl::StatusOr<Value> AddSums(const NodeProto& node, const OnnxLayer& layer, Value::Kind kind);
  // Returns true if the limits, in units of an output's integers, act as a ReLU, and false if they change no integer.
  // Returns an error for other limits.
  absl::StatusOr<bool> IsRelu(const NodeProto& node, double low, double high, int32_t zero_point) const;
  // Returns the layer's weights in int8. If these need copies of the input, `shape` reads the copies.
  absl::StatusOr<QuantizedWeights> Split(const NodeProto& node, const OnnxLayer& layer, LayerShape& shape);
  // Returns the number of a tensor of the builder, or its error together with the node.
  absl::StatusOr<uint32_t> Added(const NodeProto& node, const absl::StatusOr<uint32_t>& tensor) const;
  // Returns the value of a tensor that `node` writes.
  Value Written(const NodeProto& node, uint32_t tensor, Value value) const;

  // Layers without a node of their own.
  // Adds a 1x1 convolution that writes `copies` copies of the tensor's channels. It multiplies them by `step`.
  absl::StatusOr<uint32_t> AddIdentity(const NodeProto& node, const std::string& name, uint32_t tensor, uint32_t copies,
                                       float step, const TensorParams& output);
  // Returns a tensor of `copies` exact copies of the channels of `tensor`, for weights outside of [-127, 127].
  absl::StatusOr<uint32_t> Copies(const NodeProto& node, uint32_t tensor, uint32_t copies);
  // Adds a layer that gives the values of `value` another scale and zero point.
  absl::StatusOr<Value> Rescale(const NodeProto& node, const Value& value, const FileParams& output);
  // Adds a layer that writes a constant, which has the extent of `value` and one value for each channel. `scale_node`
  // has the constant at input `index`, with scale and zero point at the next inputs.
  absl::StatusOr<Value> AddConstantTensor(const NodeProto& node, const Value& value, const NodeProto& scale_node,
                                          int index);

  // Nodes that become layers.
  absl::StatusOr<Value> QLinearConv(const NodeProto& node);
  absl::StatusOr<Value> QLinearMatMul(const NodeProto& node);
  absl::StatusOr<Value> QGemm(const NodeProto& node);
  // Checks alpha, beta and transA, and returns transB.
  absl::StatusOr<bool> IsGemmTransposed(const NodeProto& node) const;
  absl::StatusOr<Value> MatMulSums(const NodeProto& node);
  // Returns the steps of the weights of MatMulInteger, which has no input for them. Our own models have them in the
  // metadata; for other models, they are taken as 1.
  std::vector<float> LogitsSteps(size_t outputs) const;
  absl::StatusOr<Value> QLinearAdd(const NodeProto& node);
  absl::StatusOr<Value> QLinearAveragePool(const NodeProto& node);
  absl::Status CheckAverages(const NodeProto& node, const Value& input) const;  // checks that it averages all pixels

  // Nodes in float32 that become layers at their QuantizeLinear.
  Value Unquantized(OnnxLayer layer);
  absl::StatusOr<Value> Conv(const NodeProto& node);
  absl::StatusOr<Value> Gemm(const NodeProto& node);
  absl::StatusOr<Value> MatMul(const NodeProto& node);
  absl::StatusOr<Value> Add(const NodeProto& node);
  // Read a constant, input `bias_index`, that is added to the output of a layer: its int32 sums, or real numbers.
  absl::StatusOr<Value> AddSumBias(const NodeProto& node, const Value& sums, int bias_index);
  absl::StatusOr<Value> AddRealBias(const NodeProto& node, const Value& value, int bias_index);
  absl::StatusOr<Value> AveragePool(const NodeProto& node);

  // Nodes that change a layer or pass its result on.
  // Returns `value` after a node, with one more tensor whose readers count.
  Value Passed(const NodeProto& node, Value value) const;
  // Returns an error unless the layer that wrote `value` may be changed: no other node may have read its output.
  absl::Status CheckCanChange(const NodeProto& node, const Value& value) const;
  absl::StatusOr<Value> Quantize(const NodeProto& node);
  absl::StatusOr<Value> Dequantize(const NodeProto& node);
  absl::StatusOr<Value> Cast(const NodeProto& node);
  absl::StatusOr<Value> MaxPool(const NodeProto& node);
  absl::StatusOr<Value> Flatten(const NodeProto& node);
  absl::StatusOr<Value> Reshape(const NodeProto& node);
  absl::StatusOr<Value> Relu(const NodeProto& node);
  // Reads a Clip: a ReLU if its lower end is the real number 0, or no operation if no end lies within the range of
  // values.
  absl::StatusOr<Value> Clip(const NodeProto& node);
  // Returns `value`, an unquantized layer, with its output limited to [low, high].
  Value Limited(const Value& value, float low, float high);
  // Returns an end of Clip in the units of its input.
  absl::StatusOr<double> ClipEnd(const NodeProto& node, int index, const Value& value, double fallback) const;
  // Reads Softmax, LogSoftmax and QLinearSoftmax, after which only the logits' order counts.
  absl::StatusOr<Value> Softmax(const NodeProto& node);

  // Nodes that compute a shape.
  absl::StatusOr<Value> Shape(const NodeProto& node);
  absl::StatusOr<Value> ShapeOperator(const NodeProto& node);
  absl::StatusOr<ShapeValues> ShapeInput(const NodeProto& node, int index) const;

  const ::onnx::ModelProto& model_;
  const OnnxGraph graph_;
  std::map<std::string, std::string> metadata_;
  std::unordered_map<std::string, Value> values_;
  std::set<std::string> names_;                               // names of layers
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> copies_;  // (tensor, copies) -> tensor of copies
  std::unique_ptr<RecordBuilder> builder_;                    // created at the image's QuantizeLinear
  size_t constants_ = 0;
  bool has_sum_bias_ = false;
  bool has_quantized_operators_ = false;
  bool has_float_operators_ = false;  // except averages, which the QOperator form has, too
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_IMPORTER_H_
