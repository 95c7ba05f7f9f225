// Builder of an ONNX model: nodes, constants, and each tensor's type and shape. Detects duplicate names. Not for other
// packages.
#ifndef LOCKSTEP_LIB_ONNX_GRAPH_WRITER_H_
#define LOCKSTEP_LIB_ONNX_GRAPH_WRITER_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lib/int8/network.h"
#include "lib/onnx/onnx.pb.h"

namespace lockstep {

void AddInts(const std::string& name, const std::vector<int64_t>& values, ::onnx::NodeProto& node);
void AddInt(const std::string& name, int64_t value, ::onnx::NodeProto& node);

class GraphWriter {
 public:
  // Result of a node: the final output of a layer, or an intermediate one.
  enum class LayerOutput { kFinal, kIntermediate };

  // `all_tensors`: final outputs that Written declares become outputs of the graph.
  explicit GraphWriter(bool all_tensors) : all_tensors_(all_tensors) {}

  void Head(const std::string& doc_string);                     // sets versions and producer
  void AddMetadata(const char* key, const std::string& value);  // does nothing if `value` is empty
  void SetGraphName(const std::string& name) { model_.mutable_graph()->set_name(name); }

  void Input(const std::string& name, const Extent& extent);  // float32 (N, channels, height, width)
  void Output(const std::string& name, ::onnx::TensorProto::DataType type, uint32_t size);  // (N, size)
  void Constant(::onnx::TensorProto tensor);
  // Declares a uint8 tensor that a node writes.
  void Written(const std::string& name, const Extent& extent, LayerOutput output);
  // Reserves a name for a tensor that no function above declares.
  void TakeName(const std::string& name);

  // Adds a node and returns it, so that attributes and domain can be set. The reference is valid until the next call.
  ::onnx::NodeProto& Node(const char* op, const std::string& name, const std::vector<std::string>& inputs,
                          const std::string& output);

  const std::string& duplicate() const { return duplicate_; }  // the first name used twice; empty if there is none
  ::onnx::ModelProto Take() { return std::move(model_); }

 private:
  const bool all_tensors_;
  ::onnx::ModelProto model_;
  std::set<std::string> names_;
  std::string duplicate_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_GRAPH_WRITER_H_
