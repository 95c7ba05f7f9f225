#include "lib/onnx/graph_writer.h"

#include <utility>

#include "lib/base/version.h"
#include "lib/onnx/model_names.h"

namespace lockstep {
namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

constexpr int64_t kIrVersion = 8;
constexpr int64_t kOpset = 13;

// Sets name, type and the shape (N, sizes...).
void SetType(const std::string& name, TensorProto::DataType type, const std::vector<uint32_t>& sizes,
             ValueInfoProto& info) {
  info.set_name(name);
  ::onnx::TypeProto::Tensor& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape()->add_dim()->set_dim_param("N");
  for (const uint32_t size : sizes) {
    tensor.mutable_shape()->add_dim()->set_dim_value(size);
  }
}

}  // namespace

void AddInts(const std::string& name, const std::vector<int64_t>& values, NodeProto& node) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INTS);
  attribute.mutable_ints()->Add(values.begin(), values.end());
}

void AddInt(const std::string& name, int64_t value, NodeProto& node) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INT);
  attribute.set_i(value);
}

void GraphWriter::Head(const std::string& doc_string) {
  model_.set_ir_version(kIrVersion);
  model_.set_producer_name("Lockstep");
  model_.set_producer_version(kVersion);
  model_.set_doc_string(doc_string);
  for (const auto& [domain, version] : {std::pair{"", kOpset}, {kMicrosoftDomain, int64_t{1}}}) {
    ::onnx::OperatorSetIdProto& set = *model_.add_opset_import();
    set.set_domain(domain);
    set.set_version(version);
  }
}

void GraphWriter::AddMetadata(const char* key, const std::string& value) {
  if (!value.empty()) {
    ::onnx::StringStringEntryProto& entry = *model_.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
}

void GraphWriter::Input(const std::string& name, const Extent& extent) {
  TakeName(name);
  SetType(name, TensorProto::FLOAT, {extent.channels, extent.height, extent.width},
          *model_.mutable_graph()->add_input());
}

void GraphWriter::Output(const std::string& name, TensorProto::DataType type, uint32_t size) {
  TakeName(name);
  SetType(name, type, {size}, *model_.mutable_graph()->add_output());
}

void GraphWriter::Constant(TensorProto tensor) {
  TakeName(tensor.name());
  *model_.mutable_graph()->add_initializer() = std::move(tensor);
}

void GraphWriter::Written(const std::string& name, const Extent& extent, LayerOutput output) {
  TakeName(name);
  ::onnx::GraphProto& graph = *model_.mutable_graph();
  SetType(name, TensorProto::UINT8, {extent.channels, extent.height, extent.width},
          all_tensors_ && output == LayerOutput::kFinal ? *graph.add_output() : *graph.add_value_info());
}

void GraphWriter::TakeName(const std::string& name) {
  if (!names_.insert(name).second && duplicate_.empty()) {
    duplicate_ = name;
  }
}

NodeProto& GraphWriter::Node(const char* op, const std::string& name, const std::vector<std::string>& inputs,
                             const std::string& output) {
  NodeProto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(op);
  node.set_name(name);
  node.mutable_input()->Add(inputs.begin(), inputs.end());
  node.add_output(output);
  return node;
}

}  // namespace lockstep
