#include "lib/onnx/onnx_graph.h"

#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/utf8.h"
#include "lib/onnx/tensor_values.h"

namespace lockstep {
namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

constexpr size_t kShownBytes = 80;  // bytes of a name that a message shows

std::string Shown(const std::string& name) {
  return name.size() <= kShownBytes ? name : absl::StrCat(FirstBytes(name, kShownBytes), "...");
}

std::string Words(const NodeProto& node, absl::string_view what) {
  const std::string& name = !node.name().empty() || node.output().empty() ? node.name() : node.output(0);
  const std::string op = node.domain().empty() ? node.op_type() : absl::StrCat(node.domain(), ".", node.op_type());
  return absl::StrCat("ONNX model: node '", Shown(name), "' (", Shown(op), "): ", what);
}

}  // namespace

absl::Status BrokenNode(const NodeProto& node, absl::string_view what) {
  return absl::DataLossError(Words(node, what));
}

absl::Status UnsupportedNode(const NodeProto& node, absl::string_view what) {
  return absl::FailedPreconditionError(Words(node, what));
}

absl::Status AboutNode(const NodeProto& node, const absl::Status& status) {
  return status.ok() ? status : UnsupportedNode(node, status.message());
}

const AttributeProto* FindAttribute(const NodeProto& node, absl::string_view name) {
  for (const AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == name) {
      return &attribute;
    }
  }
  return nullptr;
}

absl::StatusOr<std::vector<int64_t>> IntsAttribute(const NodeProto& node, absl::string_view name,
                                                   const std::vector<int64_t>& fallback) {
  const AttributeProto* const attribute = FindAttribute(node, name);
  if (attribute == nullptr) {
    return fallback;
  }
  if (attribute->has_type() && attribute->type() != AttributeProto::INTS) {
    return BrokenNode(node, absl::StrCat("its attribute ", name, " is not a list of integers"));
  }
  return std::vector<int64_t>(attribute->ints().begin(), attribute->ints().end());
}

absl::StatusOr<int64_t> IntAttribute(const NodeProto& node, absl::string_view name, int64_t fallback) {
  const AttributeProto* const attribute = FindAttribute(node, name);
  if (attribute == nullptr) {
    return fallback;
  }
  if (attribute->has_type() && attribute->type() != AttributeProto::INT) {
    return BrokenNode(node, absl::StrCat("its attribute ", name, " is not an integer"));
  }
  return attribute->i();
}

absl::StatusOr<std::string> TextAttribute(const NodeProto& node, absl::string_view name, absl::string_view fallback) {
  const AttributeProto* const attribute = FindAttribute(node, name);
  if (attribute == nullptr) {
    return std::string(fallback);
  }
  if (attribute->has_type() && attribute->type() != AttributeProto::STRING) {
    return BrokenNode(node, absl::StrCat("its attribute ", name, " is not a text"));
  }
  return attribute->s();
}

namespace {

using Names = std::unordered_set<std::string>;

absl::Status CheckAttributes(const NodeProto& node) {
  Names names;
  for (const AttributeProto& attribute : node.attribute()) {
    if (!names.insert(attribute.name()).second) {
      return BrokenNode(node, absl::StrCat("expected one attribute '", Shown(attribute.name()),
                                           "', found two; export the model again"));
    }
  }
  return absl::OkStatus();
}

// Adds the names of the graph's inputs or outputs to `names`, and rejects duplicates. `what`: "inputs" or "outputs".
absl::Status TakeNames(const google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto>& values, const char* what,
                       Names& names) {
  for (const ::onnx::ValueInfoProto& value : values) {
    if (!names.insert(value.name()).second) {
      return absl::DataLossError(
          absl::StrCat("ONNX model: two ", what, " are named '", Shown(value.name()), "'; export the model again"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNames(const ::onnx::GraphProto& graph) {
  Names outputs, written;
  RETURN_IF_ERROR(TakeNames(graph.output(), "outputs", outputs));
  RETURN_IF_ERROR(TakeNames(graph.input(), "inputs", written));
  for (const TensorProto& tensor : graph.initializer()) {
    written.insert(tensor.name());  // an initializer may also be an input, and is then its value
  }
  for (const NodeProto& node : graph.node()) {
    RETURN_IF_ERROR(CheckAttributes(node));
    for (const std::string& output : node.output()) {
      if (!output.empty() && !written.insert(output).second) {
        return BrokenNode(node, absl::StrCat("expected outputs with a name that nothing else has, found '",
                                             Shown(output), "' twice; export the model again"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OnnxGraph> OnnxGraph::Make(const ::onnx::GraphProto& graph) {
  RETURN_IF_ERROR(CheckNames(graph));
  OnnxGraph result(graph);
  for (const TensorProto& tensor : graph.initializer()) {
    RETURN_IF_ERROR(result.AddConstant(tensor.name(), tensor));
  }
  for (const NodeProto& node : graph.node()) {
    for (const std::string& input : node.input()) {
      ++result.readers_[input];
    }
  }
  for (const ::onnx::ValueInfoProto& output : graph.output()) {
    ++result.readers_[output.name()];
  }
  return result;
}

absl::Status OnnxGraph::AddConstant(const std::string& name, const TensorProto& tensor) {
  if (!constants_.emplace(name, &tensor).second) {
    return absl::DataLossError(absl::StrCat("ONNX model: two constants are named '", Shown(name), "'"));
  }
  return absl::OkStatus();
}

const TensorProto* OnnxGraph::FindConstant(const std::string& name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? nullptr : found->second;
}

int OnnxGraph::Readers(const std::string& name) const {
  const auto found = readers_.find(name);
  return found == readers_.end() ? 0 : found->second;
}

absl::StatusOr<const ::onnx::ValueInfoProto*> OnnxGraph::Image() const {
  const ::onnx::ValueInfoProto* image = nullptr;
  int count = 0;
  for (const ::onnx::ValueInfoProto& input : graph_->input()) {
    if (FindConstant(input.name()) == nullptr) {
      image = &input;
      ++count;
    }
  }
  if (count != 1) {
    return absl::FailedPreconditionError(absl::StrCat("ONNX model: ", count, " inputs, expected one, the image"));
  }
  return image;
}

absl::StatusOr<const TensorProto*> OnnxGraph::Constant(const NodeProto& node, int index) const {
  if (!HasInput(node, index)) {
    return BrokenNode(node, absl::StrCat("has ", node.input_size(), " inputs, and number ", index + 1, " is absent"));
  }
  const TensorProto* const tensor = FindConstant(node.input(index));
  if (tensor == nullptr) {
    return UnsupportedNode(
        node, absl::StrCat("its input '", Shown(node.input(index)), "' is not a constant of the file, expected one"));
  }
  return tensor;
}

absl::StatusOr<std::vector<float>> OnnxGraph::Floats(const NodeProto& node, int index) const {
  ASSIGN_OR_RETURN(const TensorProto* const tensor, Constant(node, index));
  return FloatValues(*tensor);
}

absl::StatusOr<std::vector<int64_t>> OnnxGraph::Integers(const NodeProto& node, int index) const {
  ASSIGN_OR_RETURN(const TensorProto* const tensor, Constant(node, index));
  return IntegerValues(*tensor);
}

absl::StatusOr<float> OnnxGraph::Scalar(const NodeProto& node, int index) const {
  ASSIGN_OR_RETURN(const std::vector<float> values, Floats(node, index));
  if (values.size() != 1) {
    return UnsupportedNode(node, absl::StrCat("input ", index + 1, " has ", values.size(), " values, expected one"));
  }
  return values[0];
}

}  // namespace lockstep
