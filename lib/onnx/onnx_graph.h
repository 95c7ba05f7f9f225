// Lookup in an ONNX graph: constants by name, readers of a tensor, attributes of a node. The graph is untrusted input.
//
// Errors about a node contain its name and operator. DataLoss: the file contradicts itself. FailedPrecondition: a valid
// model that Lockstep cannot run.
#ifndef LOCKSTEP_LIB_ONNX_ONNX_GRAPH_H_
#define LOCKSTEP_LIB_ONNX_ONNX_GRAPH_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/onnx/onnx.pb.h"

namespace lockstep {

// Return errors that begin with the node: "node '/conv1/Conv_quant' (QLinearConv): ...".
absl::Status BrokenNode(const ::onnx::NodeProto& node, absl::string_view what);
absl::Status UnsupportedNode(const ::onnx::NodeProto& node, absl::string_view what);

// Adds the node to a layer's error, which does not name it; OK stays OK.
absl::Status AboutNode(const ::onnx::NodeProto& node, const absl::Status& status);

// Return the value of an attribute, or `fallback` without the attribute: a list of integers, one integer, a text.
// DataLoss: the attribute has another type.
absl::StatusOr<std::vector<int64_t>> IntsAttribute(const ::onnx::NodeProto& node, absl::string_view name,
                                                   const std::vector<int64_t>& fallback);
absl::StatusOr<int64_t> IntAttribute(const ::onnx::NodeProto& node, absl::string_view name, int64_t fallback);
absl::StatusOr<std::string> TextAttribute(const ::onnx::NodeProto& node, absl::string_view name,
                                          absl::string_view fallback);
// Returns null if the node does not have the attribute.
const ::onnx::AttributeProto* FindAttribute(const ::onnx::NodeProto& node, absl::string_view name);

class OnnxGraph {
 public:
  // `graph` must outlive the result. Returns DataLossError if a name that must be unique occurs twice: two constants,
  // two inputs or two outputs of the graph, two attributes of one node, or a tensor that two nodes write. With such a
  // file, a reader that takes the first of two would run another network than a runtime that takes the last.
  static absl::StatusOr<OnnxGraph> Make(const ::onnx::GraphProto& graph);

  const ::onnx::GraphProto& proto() const { return *graph_; }

  // Returns the initializer with this name; null if there is none. NormalizeGraph makes initializers of Constant nodes.
  const ::onnx::TensorProto* FindConstant(const std::string& name) const;

  // Returns the number of node inputs and graph outputs with this name.
  int Readers(const std::string& name) const;

  // Returns the only input that is not a constant. FailedPrecondition: no such input, or several.
  absl::StatusOr<const ::onnx::ValueInfoProto*> Image() const;

  // Return input `index` of a node, which must be a constant.
  absl::StatusOr<const ::onnx::TensorProto*> Constant(const ::onnx::NodeProto& node, int index) const;
  absl::StatusOr<float> Scalar(const ::onnx::NodeProto& node, int index) const;  // a float32 constant of one value
  absl::StatusOr<std::vector<int64_t>> Integers(const ::onnx::NodeProto& node, int index) const;
  absl::StatusOr<std::vector<float>> Floats(const ::onnx::NodeProto& node, int index) const;

 private:
  explicit OnnxGraph(const ::onnx::GraphProto& graph) : graph_(&graph) {}
  absl::Status AddConstant(const std::string& name, const ::onnx::TensorProto& tensor);

  const ::onnx::GraphProto* graph_;
  std::unordered_map<std::string, const ::onnx::TensorProto*> constants_;
  std::unordered_map<std::string, int> readers_;
};

// Returns true if a node's operator is of ONNX's own domain.
inline bool IsPlain(const ::onnx::NodeProto& node) { return node.domain().empty() || node.domain() == "ai.onnx"; }

// Returns true if a node has input `index`. An absent input may be an empty name.
inline bool HasInput(const ::onnx::NodeProto& node, int index) {
  return index < node.input_size() && !node.input(index).empty();
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_ONNX_GRAPH_H_
