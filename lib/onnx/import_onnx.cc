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

Importer::Importer(const ::onnx::ModelProto& model, OnnxGraph graph) : model_(model), graph_(std::move(graph)) {
  for (const ::onnx::StringStringEntryProto& entry : model.metadata_props()) {
    metadata_.emplace(entry.key(), entry.value());
  }
}

absl::StatusOr<proto::QuantizedNetwork> Importer::Run() {
  RETURN_IF_ERROR(CheckOpset());
  RETURN_IF_ERROR(ReadImage());
  for (const NodeProto& node : graph_.proto().node()) {
    RETURN_IF_ERROR(Read(node));
  }
  RETURN_IF_ERROR(CheckLogits());
  // If the zero point is -128, the clamp is a ReLU. An average of values that are not negative needs no ReLU.
  for (uint32_t tensor = 1; tensor <= builder_->shapes().size(); ++tensor) {
    if (builder_->Params(tensor).zero_point == -128) {
      builder_->SetRelu(tensor, !IsPool(tensor));
    }
  }
  ASSIGN_OR_RETURN(proto::QuantizedNetwork record, builder_->Finish());
  ReadMetadata(record);
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

absl::Status Importer::ReadImage() {
  ASSIGN_OR_RETURN(const ::onnx::ValueInfoProto* const image, graph_.Image());
  const ::onnx::TypeProto::Tensor& type = image->type().tensor_type();
  const auto& dims = type.shape().dim();
  if (type.elem_type() != TensorProto::FLOAT) {
    return absl::FailedPreconditionError(
        absl::StrCat("ONNX model: its input '", ReadableLine(image->name()), "' has type ", type.elem_type(),
                     ", expected float32 (1), the normalised image before QuantizeLinear"));
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

absl::Status Importer::Read(const NodeProto& node) {
  static const auto& readers = *new std::map<std::string, Reader>{
      {"QuantizeLinear", &Importer::Quantize},
      {"DequantizeLinear", &Importer::Dequantize},
      {"QLinearConv", &Importer::Convolution},
      {"QLinearMatMul", &Importer::MatMul},
      {"com.microsoft.QGemm", &Importer::Gemm},
      {"MatMulInteger", &Importer::MatMulSums},
      {"Add", &Importer::AddBias},
      {"com.microsoft.QLinearAdd", &Importer::Addition},
      {"com.microsoft.QLinearGlobalAveragePool", &Importer::GlobalAveragePool},
      {"com.microsoft.QLinearAveragePool", &Importer::AveragePool},
      {"GlobalAveragePool", &Importer::GlobalAveragePool},
      {"AveragePool", &Importer::AveragePool},
      {"MaxPool", &Importer::MaxPool},
      {"Flatten", &Importer::Flatten},
      {"Reshape", &Importer::Reshape},
      {"Relu", &Importer::Relu},
      {"Clip", &Importer::Clip},
  };
  if (node.op_type() == "Constant" && node.output_size() == 1 && graph_.FindConstant(node.output(0)) != nullptr) {
    return absl::OkStatus();
  }
  const bool is_plain = node.domain().empty() || node.domain() == "ai.onnx";
  const auto reader = readers.find(is_plain ? node.op_type() : absl::StrCat(node.domain(), ".", node.op_type()));
  if (reader == readers.end()) {
    return UnsupportedNode(node,
                           "not an operator that Lockstep runs. It runs QLinearConv, QLinearMatMul, QGemm, "
                           "QLinearAdd, QLinearGlobalAveragePool, MaxPool, Flatten, Reshape, Relu and Clip on "
                           "int8: quantize the model in the QOperator form, and leave no layer in float");
  }
  if (node.output_size() != 1 || node.output(0).empty() || values_.count(node.output(0)) != 0 ||
      graph_.FindConstant(node.output(0)) != nullptr) {
    return BrokenNode(node, "expected one output, with a name that nothing else has");
  }
  ASSIGN_OR_RETURN(const Value value, (this->*reader->second)(node));
  values_[node.output(0)] = value;
  return absl::OkStatus();
}

absl::Status Importer::CheckLogits() const {
  const std::string name = graph_.proto().output().empty() ? "" : graph_.proto().output(0).name();
  const auto found = values_.find(name);
  if (found == values_.end()) {
    return absl::DataLossError(
        absl::StrCat("ONNX model: its first output '", PlainName(name), "' is written by no node"));
  }
  if (builder_ == nullptr || found->second.kind == Value::kImage || found->second.kind == Value::kRealMean ||
      found->second.tensor == 0 || found->second.tensor != builder_->shapes().size()) {
    return absl::FailedPreconditionError(absl::StrCat("ONNX model: its first output '", PlainName(name),
                                                      "' is not what its last quantized layer writes"));
  }
  if (const Extent extent = builder_->Of(found->second.tensor); extent.height != 1 || extent.width != 1) {
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
  ASSIGN_OR_RETURN(OnnxGraph graph, OnnxGraph::Make(model.graph()));
  return Importer(model, std::move(graph)).Run();
}

}  // namespace lockstep
