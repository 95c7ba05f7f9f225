#include "lib/onnx/import_onnx.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/quantized_record.h"
#include "lib/onnx/importer.h"
#include "lib/onnx/model_names.h"
#include "lib/onnx/normalize_graph.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;

constexpr size_t kMaxNameBytes = 100;
constexpr int64_t kOldestOpset = 10;  // the first opset with QLinearConv

}  // namespace

std::vector<float> ParseNumbers(const std::string& text) {
  std::vector<float> numbers;
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    float number = 0;
    if (!absl::SimpleAtof(word, &number) || !std::isfinite(number)) {
      return {};
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::string PlainName(absl::string_view text) {
  std::string name(text.substr(0, kMaxNameBytes));
  for (char& c : name) {
    c = absl::ascii_isgraph(static_cast<unsigned char>(c)) ? c : '_';
  }
  return name;
}

absl::Status UnsupportedOperator(const NodeProto& node) {
  return UnsupportedNode(node,
                         "not an operator that Lockstep runs. It runs convolutions, fully connected layers, additions, "
                         "average pools over all pixels, MaxPool, Flatten, Reshape, Relu and Clip, all on int8 or "
                         "between DequantizeLinear and QuantizeLinear: leave other layers out of the network");
}

Importer::Importer(const ::onnx::ModelProto& model, OnnxGraph graph) : model_(model), graph_(std::move(graph)) {
  for (const ::onnx::StringStringEntryProto& entry : model.metadata_props()) {
    metadata_.emplace(entry.key(), entry.value());
  }
}

absl::StatusOr<proto::QuantizedNetwork> Importer::Run() {
  RETURN_IF_ERROR(CheckOpset());
  RETURN_IF_ERROR(CheckIsStatic());
  RETURN_IF_ERROR(ReadImage());
  for (const NodeProto& node : graph_.proto().node()) {
    if (node.output_size() != 1 || node.output(0).empty() || values_.count(node.output(0)) != 0 ||
        graph_.FindConstant(node.output(0)) != nullptr) {
      return BrokenNode(node, "expected one output, with a name that nothing else has");
    }
    ASSIGN_OR_RETURN(values_[node.output(0)], ReadNode(node));
  }
  RETURN_IF_ERROR(ReadLogits());
  // If the zero point is -128, the clamp is a ReLU. An average of values that are not negative needs no ReLU.
  for (uint32_t tensor = 1; tensor <= builder_->shapes().size(); ++tensor) {
    if (builder_->Params(tensor).zero_point == -128) {
      builder_->SetRelu(tensor, !IsPool(tensor));
    }
  }
  ASSIGN_OR_RETURN(proto::QuantizedNetwork record, builder_->Finish());
  ReadMetadata(record);
  record.set_onnx_form(has_float_operators_ ? has_quantized_operators_ ? kMixedForm : kQdqForm : kQOperatorForm);
  if (const absl::Status status = ToIntegerNetwork(record).status(); !status.ok()) {
    return absl::FailedPreconditionError(absl::StrCat("ONNX model: Lockstep cannot run it: ", status.message()));
  }
  return record;
}

bool Importer::IsPool(uint32_t tensor) const {
  return builder_->shapes()[tensor - 1].kind == LayerKind::kGlobalAveragePool;
}

// Checks the opset version, and that metadata keys and domains are unique. Otherwise a reader that takes the first of
// two would differ from a reader that takes the last.
absl::Status Importer::CheckOpset() const {
  std::set<std::string> domains, keys;
  for (const ::onnx::StringStringEntryProto& entry : model_.metadata_props()) {
    if (!keys.insert(entry.key()).second) {
      return absl::DataLossError(absl::StrCat("ONNX model: expected one metadata entry '", PlainName(entry.key()),
                                              "', found two; export the model again"));
    }
  }
  for (const ::onnx::OperatorSetIdProto& set : model_.opset_import()) {
    if (!domains.insert(set.domain() == "ai.onnx" ? "" : set.domain()).second) {
      return absl::DataLossError(absl::StrCat("ONNX model: expected one opset of domain '", PlainName(set.domain()),
                                              "', found two; export the model again"));
    }
    if ((set.domain().empty() || set.domain() == "ai.onnx") && set.version() < kOldestOpset) {
      return absl::FailedPreconditionError(absl::StrCat("ONNX model: opset ", set.version(), ", expected ",
                                                        kOldestOpset, " or newer: older opsets have no QLinearConv"));
    }
  }
  return absl::OkStatus();
}

absl::Status Importer::CheckIsStatic() const {
  for (const NodeProto& node : graph_.proto().node()) {
    if (node.op_type() == "DynamicQuantizeLinear") {
      return UnsupportedNode(node,
                             "dynamic quantization, whose scales depend on each image; Lockstep runs fixed scales: "
                             "quantize the model by onnxruntime.quantization.quantize_static");
    }
  }
  return absl::OkStatus();
}

absl::Status Importer::ReadImage() {
  ASSIGN_OR_RETURN(const ::onnx::ValueInfoProto* const image, graph_.Image());
  const ::onnx::TypeProto::Tensor& type = image->type().tensor_type();
  const auto& dims = type.shape().dim();
  if (type.elem_type() != TensorProto::FLOAT) {
    return absl::FailedPreconditionError(
        absl::StrCat("ONNX model: its input '", ReadableLine(image->name()), "' has type ", type.elem_type(),
                     ", expected float32 (1), the normalized image before QuantizeLinear; export the model without the "
                     "preprocessing of pixels, and give its normalization by quantize --normalization"));
  }
  if (dims.size() != 4 || dims[1].dim_value() != kImageChannels || dims[2].dim_value() != kImageHeight ||
      dims[3].dim_value() != kImageWidth) {
    return absl::FailedPreconditionError(absl::StrCat("ONNX model: its input '", ReadableLine(image->name()),
                                                      "' is not (N, ", kImageChannels, ", ", kImageHeight, ", ",
                                                      kImageWidth, "), the images of the data set"));
  }
  values_[image->name()] = Value();
  return absl::OkStatus();
}

absl::StatusOr<OnnxValue> Importer::ReadNode(const NodeProto& node) {
  static const auto& readers = *new std::map<std::string, Reader>{
      {"QuantizeLinear", &Importer::Quantize},
      {"DequantizeLinear", &Importer::Dequantize},
      {"QLinearConv", &Importer::QLinearConv},
      {"QLinearMatMul", &Importer::QLinearMatMul},
      {"MatMulInteger", &Importer::MatMulSums},
      {"com.microsoft.QuantizeLinear", &Importer::Quantize},
      {"com.microsoft.DequantizeLinear", &Importer::Dequantize},
      {"com.microsoft.QGemm", &Importer::QGemm},
      {"com.microsoft.QLinearAdd", &Importer::QLinearAdd},
      {"com.microsoft.QLinearGlobalAveragePool", &Importer::QLinearAveragePool},
      {"com.microsoft.QLinearAveragePool", &Importer::QLinearAveragePool},
      {"com.microsoft.QLinearSoftmax", &Importer::Softmax},
      {"Conv", &Importer::Conv},
      {"Gemm", &Importer::Gemm},
      {"MatMul", &Importer::MatMul},
      {"Add", &Importer::Add},
      {"GlobalAveragePool", &Importer::AveragePool},
      {"AveragePool", &Importer::AveragePool},
      {"MaxPool", &Importer::MaxPool},
      {"Flatten", &Importer::Flatten},
      {"Reshape", &Importer::Reshape},
      {"Relu", &Importer::Relu},
      {"Clip", &Importer::Clip},
      {"Cast", &Importer::Cast},
      {"Softmax", &Importer::Softmax},
      {"LogSoftmax", &Importer::Softmax},
      {"Shape", &Importer::Shape},
  };
  const auto reader = readers.find(IsPlain(node) ? node.op_type() : absl::StrCat(node.domain(), ".", node.op_type()));
  if (reader != readers.end()) {
    return (this->*reader->second)(node);
  }
  return IsPlain(node) && IsShapeOperator(node.op_type()) ? ShapeOperator(node) : UnsupportedOperator(node);
}

absl::Status Importer::ReadLogits() {
  const std::string name = graph_.proto().output().empty() ? "" : graph_.proto().output(0).name();
  const auto found = values_.find(name);
  if (found == values_.end()) {
    return absl::DataLossError(
        absl::StrCat("ONNX model: its first output '", PlainName(name), "' is written by no node"));
  }
  Value& logits = found->second;
  if (logits.kind == Value::kUnquantized) {
    ASSIGN_OR_RETURN(logits, AddSums(*logits.layer->node, *logits.layer, Value::kRealSums));
  }
  if (builder_ == nullptr || logits.tensor == 0 || logits.tensor != builder_->shapes().size()) {
    return absl::FailedPreconditionError(absl::StrCat("ONNX model: its first output '", PlainName(name),
                                                      "' is not what its last quantized layer writes"));
  }
  if (const Extent extent = builder_->Of(logits.tensor); extent.height != 1 || extent.width != 1) {
    return absl::FailedPreconditionError(absl::StrCat("ONNX model: its first output '", PlainName(name), "' is ",
                                                      extent.channels, " x ", extent.height, " x ", extent.width,
                                                      ", expected one value for each class"));
  }
  return absl::OkStatus();
}

std::string Importer::NetworkName() const {
  const auto found = metadata_.find(kNetworkKey);
  const std::string& name = found == metadata_.end() ? graph_.proto().name() : found->second;
  return name.empty() ? "onnx" : PlainName(name);
}

void Importer::ReadMetadata(proto::QuantizedNetwork& record) const {
  const auto numbers = [&](const char* key) {
    const auto found = metadata_.find(key);
    const std::vector<float> values = found == metadata_.end() ? std::vector<float>() : ParseNumbers(found->second);
    return values.size() == kImageChannels ? values : std::vector<float>();
  };
  const std::vector<float> mean = numbers(kMeanKey), std = numbers(kStdKey);
  if (!mean.empty() && std::all_of(std.begin(), std.end(), [](float s) { return std::isnormal(s) && s > 0; }) &&
      !std.empty()) {
    record.mutable_mean()->Add(mean.begin(), mean.end());
    record.mutable_std()->Add(std.begin(), std.end());
  }
  if (const auto found = metadata_.find(kCheckpointKey); found != metadata_.end()) {
    record.set_checkpoint_sha256(PlainName(found->second));
  }
}

absl::StatusOr<proto::QuantizedNetwork> ImportOnnx(const ::onnx::ModelProto& model) {
  if (!model.has_graph() || model.graph().node().empty()) {
    return absl::DataLossError("ONNX model: it has no graph, or one without nodes; is the file a whole ONNX model?");
  }
  RETURN_IF_ERROR(OnnxGraph::Make(model.graph()).status());
  ::onnx::ModelProto normalized = model;
  RETURN_IF_ERROR(NormalizeGraph(*normalized.mutable_graph()));
  ASSIGN_OR_RETURN(OnnxGraph graph, OnnxGraph::Make(normalized.graph()));
  return Importer(normalized, std::move(graph)).Run();
}

}  // namespace lockstep
