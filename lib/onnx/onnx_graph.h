// An ONNX graph that can be asked: constants by name, who reads a tensor, attributes of a node. Believes nothing.
//
// Errors about a node name it and its operator. DataLoss: the file contradicts itself. FailedPrecondition: it is a model,
// but not one that Lockstep can run.
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

// Errors that begin with the node: "node '/conv1/Conv_quant' (QLinearConv): ...".
absl::Status BrokenNode(const ::onnx::NodeProto& node, absl::string_view what);
absl::Status UnsupportedNode(const ::onnx::NodeProto& node, absl::string_view what);

// The same of a layer's error, which knows nothing of the node; OK stays OK.
absl::Status AboutNode(const ::onnx::NodeProto& node, const absl::Status& status);

// The integers of an attribute, `fallback` without it; one integer; a text. DataLoss: it is of another kind.
absl::StatusOr<std::vector<int64_t>> IntsAttribute(const ::onnx::NodeProto& node, absl::string_view name,
                                                   const std::vector<int64_t>& fallback);
absl::StatusOr<int64_t> IntAttribute(const ::onnx::NodeProto& node, absl::string_view name, int64_t fallback);
absl::StatusOr<std::string> TextAttribute(const ::onnx::NodeProto& node, absl::string_view name,
                                          absl::string_view fallback);
// Null without it.
const ::onnx::AttributeProto* FindAttribute(const ::onnx::NodeProto& node, absl::string_view name);

class OnnxGraph {
 public:
  // `graph` must outlive the result. Returns DataLossError if a name that must be unique is there twice: two constants,
  // two inputs or two outputs of the graph, two attributes of one node, or a tensor that two nodes write. A reader that took
  // the first of two would run another network than a runtime that takes the last.
  static absl::StatusOr<OnnxGraph> Make(const ::onnx::GraphProto& graph);

  const ::onnx::GraphProto& proto() const { return *graph_; }

  // The constant, an initializer or a Constant node's; null without it.
  const ::onnx::TensorProto* FindConstant(const std::string& name) const;

  // How many node inputs and graph outputs have this name.
  int Readers(const std::string& name) const;

  // The one input that is no constant. FailedPrecondition: none, or several.
  absl::StatusOr<const ::onnx::ValueInfoProto*> Image() const;

  // Input `index` of a node, which is a constant.
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

// Whether a node has input `index`; one that is absent may be an empty name.
inline bool HasInput(const ::onnx::NodeProto& node, int index) {
  return index < node.input_size() && !node.input(index).empty();
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_ONNX_GRAPH_H_
