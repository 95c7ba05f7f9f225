#include "lib/onnx/export_onnx.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/requantize.h"
#include "lib/onnx/graph_writer.h"
#include "lib/onnx/model_names.h"
#include "lib/onnx/tensor_values.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

absl::Status Cannot(absl::string_view where, absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat("ONNX export: ", where, ": ", what));
}

std::string InText(const std::vector<double>& numbers) {
  return absl::StrJoin(numbers, " ",
                       [](std::string* out, double number) { absl::StrAppendFormat(out, "%.17g", number); });
}

// Writer of one network's model, node by node.
class ModelWriter {
 public:
  ModelWriter(const proto::QuantizedNetwork& record, const IntegerNetwork& network, bool all_tensors)
      : record_(record), network_(network), writer_(all_tensors) {}

  absl::StatusOr<::onnx::ModelProto> Run() {
    RETURN_IF_ERROR(CheckVersion());
    Head();
    Image();
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      RETURN_IF_ERROR(CheckMultipliers(i));
      Layer(i);
    }
    if (!writer_.duplicate().empty()) {
      return Cannot(record_.name(),
                    absl::StrCat("two tensors would be named '", writer_.duplicate(), "'; rename a layer"));
    }
    return writer_.Take();
  }

 private:
  const IntegerLayer& LayerOf(uint32_t tensor) const { return network_.layers[tensor - 1]; }
  const std::string& NameOf(uint32_t tensor) const { return tensor == 0 ? kImage : LayerOf(tensor).shape.name; }
  float StepOf(uint32_t tensor) const {
    return tensor == 0 ? record_.input_step() : Step(record_.layer(static_cast<int>(tensor - 1)).tensor_scale());
  }

  // Returns the steps of the layer's weights: one, or one per output channel.
  std::vector<float> WeightSteps(size_t index) const {
    const proto::QuantizedLayer& layer = record_.layer(static_cast<int>(index));
    std::vector<float> steps(static_cast<size_t>(std::max(1, layer.channel_weight_scale_size())));
    for (size_t i = 0; i < steps.size(); ++i) {
      steps[i] = Step(WeightScaleOf(layer, i));
    }
    return steps;
  }

  absl::Status CheckVersion() const {
    if (record_.input_step() == 0) {
      return Cannot(record_.name(),
                    "its record is of version 1, whose images and multipliers ONNX computes otherwise; "
                    "make it again with quantize");
    }
    const LayerShape& last = network_.layers.back().shape;
    if (const Extent logits = last.Pooled(); logits.height != 1 || logits.width != 1) {
      return Cannot(last.name, "it is the last layer, and writes more than one value for each class");
    }
    const bool covers = last.kernel == last.in_height && last.kernel == last.in_width && last.padding == 0;
    if (network_.HasSumLogits() && !covers) {
      return Cannot(last.name, "it writes sums, and its kernel does not cover its input");
    }
    return absl::OkStatus();
  }

  // Checks that a reader of the file computes the record's multipliers.
  absl::Status CheckMultipliers(size_t index) const {
    const IntegerLayer& layer = network_.layers[index];
    const auto wrong = [&](float computed, float recorded) {
      return Cannot(layer.shape.name, absl::StrFormat("its scales give the multiplier %.9g, its record has %.9g; make "
                                                      "it again with quantize",
                                                      computed, recorded));
    };
    const float input = StepOf(layer.shape.inputs[0]), output = StepOf(static_cast<uint32_t>(index + 1));
    if (layer.shape.kind == LayerKind::kAdd) {
      const float a = input / output, b = StepOf(layer.shape.inputs[1]) / output;
      return a != layer.add.a ? wrong(a, layer.add.a) : b != layer.add.b ? wrong(b, layer.add.b) : absl::OkStatus();
    }
    if (layer.shape.kind == LayerKind::kGlobalAveragePool) {
      const float divisor = output * static_cast<float>(layer.shape.in_height * layer.shape.in_width);
      return input / divisor != layer.multiplier[0] ? wrong(input / divisor, layer.multiplier[0]) : absl::OkStatus();
    }
    const std::vector<float> weights = WeightSteps(index);
    if (weights.size() != 1 && weights.size() != layer.shape.out_channels) {
      return Cannot(layer.shape.name, absl::StrCat(weights.size(), " weight scales for ", layer.shape.out_channels,
                                                   " channels; make it again with quantize"));
    }
    for (size_t o = 0; o < layer.multiplier.size(); ++o) {
      const float product = input * weights[weights.size() == 1 ? 0 : o];
      if (product / output != layer.multiplier[o]) {
        return wrong(product / output, layer.multiplier[o]);
      }
    }
    return absl::OkStatus();
  }

  void Head() {
    writer_.Head(
        "An int8 network in the QOperator form. image is normalised as the metadata say. Activations are uint8, the "
        "int8 value + 128.");
    writer_.AddMetadata(kNetworkKey, record_.name());
    writer_.AddMetadata(kMeanKey, InText({record_.mean().begin(), record_.mean().end()}));
    writer_.AddMetadata(kStdKey, InText({record_.std().begin(), record_.std().end()}));
    writer_.AddMetadata("classes", absl::StrCat(network_.layers.back().shape.out_channels));
    if (network_.HasSumLogits()) {
      const std::vector<float> steps = WeightSteps(network_.layers.size() - 1);
      writer_.AddMetadata("logits", "int32: sums of the last layer");
      writer_.AddMetadata(kLogitsWeightScaleKey, InText({steps.begin(), steps.end()}));
    } else {
      writer_.AddMetadata("logits", "uint8: int8 value + 128");
    }
    writer_.AddMetadata(kCheckpointKey, record_.checkpoint_sha256());
    writer_.SetGraphName(record_.name().empty() ? "network" : record_.name());
  }

  void Image() {
    const Extent extent = network_.layers.front().shape.In();
    writer_.Input(kImage, extent);
    writer_.Output(kLogits, network_.HasSumLogits() ? TensorProto::INT32 : TensorProto::UINT8,
                   network_.layers.back().shape.out_channels);
    AddParams(0);
    writer_.Node("QuantizeLinear", kImage, {kImage, kImage + ".scale", kImage + ".zero_point"}, kQuantizedImage);
    writer_.Written(kQuantizedImage, extent, GraphWriter::LayerOutput::kFinal);
  }

  void Layer(size_t index) {
    const IntegerLayer& layer = network_.layers[index];
    const LayerShape& shape = layer.shape;
    if (layer.WritesSums()) {
      SumLogits(index);
      return;
    }
    const uint32_t tensor = static_cast<uint32_t>(index + 1);
    AddParams(tensor);
    const bool relu = shape.relu && layer.zero_point != -128;  // a zero point of -128 makes the clamp a ReLU
    std::string written = shape.name + (relu ? ".before_relu" : shape.pool != 0 ? ".before_pool" : "");
    Compute(index, written);
    writer_.Written(
        written, shape.Out(),
        relu || shape.pool != 0 ? GraphWriter::LayerOutput::kIntermediate : GraphWriter::LayerOutput::kFinal);
    if (relu) {
      const std::string after = shape.name + (shape.pool != 0 ? ".before_pool" : "");
      writer_.Node("Clip", shape.name + ".relu", {written, shape.name + ".zero_point"}, after);
      writer_.Written(after, shape.Out(),
                      shape.pool != 0 ? GraphWriter::LayerOutput::kIntermediate : GraphWriter::LayerOutput::kFinal);
      written = after;
    }
    if (shape.pool != 0) {
      NodeProto& pool = writer_.Node("MaxPool", shape.name + ".max_pool", {written}, shape.name);
      AddInts("kernel_shape", {shape.pool, shape.pool}, pool);
      AddInts("strides", {shape.pool, shape.pool}, pool);
      writer_.Written(shape.name, shape.Pooled(), GraphWriter::LayerOutput::kFinal);
    }
    if (index + 1 == network_.layers.size()) {
      AddInt("axis", 1, writer_.Node("Flatten", kLogits, {shape.name}, kLogits));
    }
  }

  // Adds the node with which the layer writes `output`, before ReLU and pooling.
  void Compute(size_t index, const std::string& output) {
    const IntegerLayer& layer = network_.layers[index];
    const LayerShape& shape = layer.shape;
    std::vector<std::string> inputs = Operand(shape.inputs[0]);
    const std::string scale = shape.name + ".scale", zero_point = shape.name + ".zero_point";
    if (shape.kind == LayerKind::kAdd) {
      for (const std::string& part : Operand(shape.inputs[1])) {
        inputs.push_back(part);
      }
      inputs.insert(inputs.end(), {scale, zero_point});
      writer_.Node("QLinearAdd", shape.name, inputs, output).set_domain(kMicrosoftDomain);
      return;
    }
    if (shape.kind == LayerKind::kGlobalAveragePool) {
      inputs.insert(inputs.end(), {scale, zero_point});
      NodeProto& pool = writer_.Node("QLinearGlobalAveragePool", shape.name, inputs, output);
      pool.set_domain(kMicrosoftDomain);
      AddInt("channels_last", 0, pool);
      return;
    }
    AddWeights(index);
    inputs.insert(inputs.end(), {shape.name + ".weight", shape.name + ".weight_scale",
                                 shape.name + ".weight_zero_point", scale, zero_point});
    if (!layer.bias.empty()) {
      inputs.push_back(AddBias(layer));
    }
    NodeProto& conv = writer_.Node("QLinearConv", shape.name, inputs, output);
    AddInts("kernel_shape", {shape.kernel, shape.kernel}, conv);
    AddInts("strides", {shape.stride, shape.stride}, conv);
    AddInts("pads", std::vector<int64_t>(4, shape.padding), conv);
  }

  void SumLogits(size_t index) {
    const IntegerLayer& layer = network_.layers[index];
    const LayerShape& shape = layer.shape;
    const std::string flat = shape.name + ".input", weight = shape.name + ".weight_transposed";
    const std::string sums = layer.bias.empty() ? kLogits : shape.name + ".sums";
    writer_.TakeName(flat);
    AddInt("axis", 1, writer_.Node("Flatten", flat, {TensorOf(shape.inputs[0])}, flat));
    std::vector<int8_t> transposed(layer.weight.size());
    for (size_t o = 0; o < shape.out_channels; ++o) {
      for (size_t i = 0; i < shape.Terms(); ++i) {
        transposed[i * shape.out_channels + o] = layer.weight[o * shape.Terms() + i];
      }
    }
    const int64_t terms = static_cast<int64_t>(shape.Terms());
    writer_.Constant(Int8Tensor(weight, {terms, shape.out_channels}, transposed));
    writer_.Constant(Int8Tensor(shape.name + ".weight_zero_point", {}, {0}));
    writer_.Node("MatMulInteger", shape.name,
                 {flat, weight, NameOf(shape.inputs[0]) + ".zero_point", shape.name + ".weight_zero_point"}, sums);
    if (!layer.bias.empty()) {
      writer_.TakeName(sums);
      writer_.Node("Add", kLogits, {sums, AddBias(layer)}, kLogits);
    }
  }

  // Returns a tensor as inputs of a quantized operator: values, scale, zero point.
  std::vector<std::string> Operand(uint32_t tensor) const {
    return {TensorOf(tensor), NameOf(tensor) + ".scale", NameOf(tensor) + ".zero_point"};
  }
  const std::string& TensorOf(uint32_t tensor) const { return tensor == 0 ? kQuantizedImage : NameOf(tensor); }

  void AddParams(uint32_t tensor) {
    writer_.Constant(FloatTensor(NameOf(tensor) + ".scale", {}, {StepOf(tensor)}));
    writer_.Constant(
        Uint8Tensor(NameOf(tensor) + ".zero_point", static_cast<uint8_t>(network_.ZeroPoint(tensor) + 128)));
  }

  void AddWeights(size_t index) {
    const LayerShape& shape = network_.layers[index].shape;
    writer_.Constant(Int8Tensor(shape.name + ".weight",
                                {shape.out_channels, shape.in_channels, shape.kernel, shape.kernel},
                                network_.layers[index].weight));
    const std::vector<float> steps = WeightSteps(index);
    const int64_t count = static_cast<int64_t>(steps.size());
    const std::vector<int64_t> dims = count == 1 ? std::vector<int64_t>() : std::vector<int64_t>{count};
    writer_.Constant(FloatTensor(shape.name + ".weight_scale", dims, steps));
    writer_.Constant(Int8Tensor(shape.name + ".weight_zero_point", dims, std::vector<int8_t>(steps.size())));
  }

  std::string AddBias(const IntegerLayer& layer) {
    const std::string name = layer.shape.name + ".bias";
    writer_.Constant(Int32Tensor(name, {layer.shape.out_channels}, layer.bias));
    return name;
  }

  const std::string kImage = "image", kQuantizedImage = "image_quantized", kLogits = "logits";
  const proto::QuantizedNetwork& record_;
  const IntegerNetwork& network_;
  GraphWriter writer_;
};

}  // namespace

absl::StatusOr<::onnx::ModelProto> ExportOnnx(const proto::QuantizedNetwork& record, const ExportOnnxOptions& options) {
  ASSIGN_OR_RETURN(const IntegerNetwork network, ToIntegerNetwork(record));
  return ModelWriter(record, network, options.all_tensors).Run();
}

}  // namespace lockstep
