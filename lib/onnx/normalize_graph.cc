#include "lib/onnx/normalize_graph.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/model_names.h"
#include "lib/onnx/onnx_graph.h"
#include "lib/onnx/quantize_constant.h"

namespace lockstep {
namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

// Limit on the values of all folded constants: one constant may be quantized by many nodes.
constexpr size_t kMaxFolded = size_t{1} << 25;

class Normalizer {
 public:
  explicit Normalizer(::onnx::GraphProto& graph) : graph_(graph) {
    for (const TensorProto& tensor : graph.initializer()) {
      constants_.emplace(tensor.name(), &tensor);
    }
  }

  absl::Status Run() {
    google::protobuf::RepeatedPtrField<NodeProto> kept;
    for (NodeProto& node : *graph_.mutable_node()) {
      for (std::string& input : *node.mutable_input()) {
        Rename(input);
      }
      ASSIGN_OR_RETURN(const bool folded, Fold(node));
      if (!folded && !RemoveIfNoOperation(node)) {
        kept.Add()->Swap(&node);
      }
    }
    graph_.mutable_node()->Swap(&kept);
    RenameOutputs();
    return absl::OkStatus();
  }

 private:
  void Rename(std::string& name) const {
    if (const auto found = renamed_.find(name); found != renamed_.end()) {
      name = found->second;
    }
  }

  // Renames the graph's outputs. Of two outputs that become one tensor, the first stays.
  void RenameOutputs() {
    google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto> outputs;
    std::unordered_set<std::string> names;
    for (::onnx::ValueInfoProto& output : *graph_.mutable_output()) {
      Rename(*output.mutable_name());
      if (names.insert(output.name()).second) {
        outputs.Add()->Swap(&output);
      }
    }
    graph_.mutable_output()->Swap(&outputs);
  }

  const TensorProto* Constant(const NodeProto& node, int index) const {
    const auto found = HasInput(node, index) ? constants_.find(node.input(index)) : constants_.end();
    return found == constants_.end() ? nullptr : found->second;
  }

  void AddConstant(const std::string& name, TensorProto tensor) {
    tensor.set_name(name);
    TensorProto* const added = graph_.add_initializer();
    added->Swap(&tensor);
    constants_[name] = added;
  }

  // Returns true if the node's result is a constant, which is now an initializer.
  absl::StatusOr<bool> Fold(NodeProto& node) {
    if (node.output_size() != 1 || node.output(0).empty()) {
      return false;
    }
    if (node.op_type() == "Constant" && IsPlain(node)) {
      return FoldConstant(node);
    }
    if (node.op_type() == "QuantizeLinear" && (IsPlain(node) || node.domain() == kMicrosoftDomain)) {
      return FoldQuantize(node);
    }
    return false;
  }

  bool FoldConstant(NodeProto& node) {
    if (node.attribute_size() != 1) {
      return false;
    }
    AttributeProto& value = *node.mutable_attribute(0);
    TensorProto tensor;
    if (value.name() == "value" && value.has_t()) {
      tensor.Swap(value.mutable_t());
    } else if (value.name() == "value_float" || value.name() == "value_floats") {
      tensor.set_data_type(TensorProto::FLOAT);
      *tensor.mutable_float_data() = value.floats();
      value.name() == "value_float" ? tensor.add_float_data(value.f()) : tensor.add_dims(value.floats_size());
    } else if (value.name() == "value_int" || value.name() == "value_ints") {
      tensor.set_data_type(TensorProto::INT64);
      *tensor.mutable_int64_data() = value.ints();
      value.name() == "value_int" ? tensor.add_int64_data(value.i()) : tensor.add_dims(value.ints_size());
    } else {
      return false;
    }
    AddConstant(node.output(0), std::move(tensor));
    return true;
  }

  // Quantizes constant weights; they may be quantized by several nodes.
  absl::StatusOr<bool> FoldQuantize(const NodeProto& node) {
    const TensorProto *const weights = Constant(node, 0), *const scale = Constant(node, 1);
    const TensorProto* const zero_point = Constant(node, 2);
    if (weights == nullptr || scale == nullptr || (HasInput(node, 2) && zero_point == nullptr)) {
      return false;
    }
    ASSIGN_OR_RETURN(TensorProto folded, QuantizeConstant(node, *weights, *scale, zero_point));
    if ((folded_ += folded.raw_data().size()) > kMaxFolded) {
      return UnsupportedNode(node, absl::StrCat("with it more than ", kMaxFolded, " constant values are quantized"));
    }
    AddConstant(node.output(0), std::move(folded));
    return true;
  }

  bool IsZero(const TensorProto& tensor) const {
    const auto is_zero = [](auto value) { return value == 0; };
    return std::all_of(tensor.raw_data().begin(), tensor.raw_data().end(), is_zero) &&
           std::all_of(tensor.int32_data().begin(), tensor.int32_data().end(), is_zero);
  }

  // Returns true if the node passes its input on, and from now on renames its output to its input.
  bool RemoveIfNoOperation(const NodeProto& node) {
    const bool trains = HasInput(node, 2) && (Constant(node, 2) == nullptr || !IsZero(*Constant(node, 2)));
    const bool is_dropout = node.op_type() == "Dropout" && !trains;
    const bool has_one_output = node.output_size() == 1 || (node.output_size() == 2 && node.output(1).empty());
    if (!IsPlain(node) || !(is_dropout || node.op_type() == "Identity") || !has_one_output || !HasInput(node, 0) ||
        node.output(0).empty()) {
      return false;
    }
    renamed_.emplace(node.output(0), node.input(0));
    return true;
  }

  ::onnx::GraphProto& graph_;
  std::unordered_map<std::string, const TensorProto*> constants_;
  std::unordered_map<std::string, std::string> renamed_;
  size_t folded_ = 0;
};

}  // namespace

absl::Status NormalizeGraph(::onnx::GraphProto& graph) { return Normalizer(graph).Run(); }

}  // namespace lockstep
