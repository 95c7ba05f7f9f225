// Conversion of a model in the QOperator form to the QDQ form: each quantized operator becomes the operator in float32
// between DequantizeLinear and QuantizeLinear. MatMulInteger, which has no scales, and nodes that change no scale stay
// as they are. Test-only.
#ifndef LOCKSTEP_LIB_ONNX_QDQ_FORM_TESTING_H_
#define LOCKSTEP_LIB_ONNX_QDQ_FORM_TESTING_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/onnx/onnx.pb.h"
#include "lib/onnx/tensor_values.h"

namespace lockstep::testing {

class QdqForm {
 public:
  // `model` must come from ExportOnnx.
  explicit QdqForm(::onnx::ModelProto model) : model_(std::move(model)) {}

  ::onnx::ModelProto Make() {
    google::protobuf::RepeatedPtrField<::onnx::NodeProto> nodes;
    nodes.Swap(model_.mutable_graph()->mutable_node());
    for (const ::onnx::NodeProto& node : nodes) {
      const std::string& op = node.op_type();
      if (op == "QLinearConv") {
        const std::string x = Dequantize(node, 0), w = Dequantize(node, 3);
        const std::string bias = node.input_size() > 8 ? DequantizeBias(node) : "";
        Quantize(node, "Conv", bias.empty() ? std::vector<std::string>{x, w} : std::vector<std::string>{x, w, bias}, 6);
      } else if (op == "QLinearAdd") {
        const std::string a = Dequantize(node, 0), b = Dequantize(node, 3);
        Quantize(node, "Add", {a, b}, 6);
      } else if (op == "QLinearGlobalAveragePool") {
        Quantize(node, "GlobalAveragePool", {Dequantize(node, 0)}, 3);
      } else {
        *model_.mutable_graph()->add_node() = node;
      }
    }
    return std::move(model_);
  }

 private:
  // Returns the name of a new tensor. Names of exported tensors have no line breaks.
  std::string NewName() { return "qdq\n" + std::to_string(++names_); }

  ::onnx::NodeProto& AddNode(const std::string& op, const std::vector<std::string>& inputs, const std::string& output) {
    ::onnx::NodeProto& node = *model_.mutable_graph()->add_node();
    node.set_op_type(op);
    node.mutable_input()->Add(inputs.begin(), inputs.end());
    node.add_output(output);
    return node;
  }

  // Dequantizes inputs `first` to `first` + 2 of the node, along dimension 0 if there are several scales.
  std::string Dequantize(const ::onnx::NodeProto& node, int first) {
    const std::string output = NewName();
    ::onnx::AttributeProto& axis =
        *AddNode("DequantizeLinear", {node.input(first), node.input(first + 1), node.input(first + 2)}, output)
             .add_attribute();
    axis.set_name("axis");
    axis.set_type(::onnx::AttributeProto::INT);
    axis.set_i(0);
    return output;
  }

  std::vector<float> Floats(const std::string& name) const {
    for (const ::onnx::TensorProto& tensor : model_.graph().initializer()) {
      if (tensor.name() == name) {
        return FloatValues(tensor).value();
      }
    }
    return {};
  }

  // Dequantizes the bias of a QLinearConv by input scale * weight scale.
  std::string DequantizeBias(const ::onnx::NodeProto& node) {
    const std::string scale = NewName(), output = NewName();
    std::vector<float> scales = Floats(node.input(4));
    for (float& step : scales) {
      step *= Floats(node.input(1))[0];
    }
    *model_.mutable_graph()->add_initializer() = FloatTensor(scale, {static_cast<int64_t>(scales.size())}, scales);
    ::onnx::AttributeProto& axis = *AddNode("DequantizeLinear", {node.input(8), scale}, output).add_attribute();
    axis.set_name("axis");
    axis.set_type(::onnx::AttributeProto::INT);
    axis.set_i(0);
    return output;
  }

  // Adds the operator in float32, with the name and attributes of `node`, and quantizes it by inputs `scale` and
  // `scale` + 1 of `node`.
  void Quantize(const ::onnx::NodeProto& node, const std::string& op, const std::vector<std::string>& inputs,
                int scale) {
    const std::string real = NewName();
    ::onnx::NodeProto& computed = AddNode(op, inputs, real);
    computed.set_name(node.name());
    *computed.mutable_attribute() = node.attribute();
    AddNode("QuantizeLinear", {real, node.input(scale), node.input(scale + 1)}, node.output(0));
  }

  ::onnx::ModelProto model_;
  int names_ = 0;
};

// Returns the model in the QDQ form.
inline ::onnx::ModelProto AsQdq(const ::onnx::ModelProto& model) { return QdqForm(model).Make(); }

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_ONNX_QDQ_FORM_TESTING_H_
