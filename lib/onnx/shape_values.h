// Sizes of tensors as values: the nodes by which a model computes the shape for a Reshape, such as
// x.view(x.size(0), -1) in PyTorch, which becomes Shape, Gather, Unsqueeze and Concat.
//
// Errors as in onnx_graph.h: DataLoss and FailedPrecondition, with the node's name.
#ifndef LOCKSTEP_LIB_ONNX_SHAPE_VALUES_H_
#define LOCKSTEP_LIB_ONNX_SHAPE_VALUES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/onnx/onnx_graph.h"

namespace lockstep {

// Integers of a model; an element without value is the batch size, which the file leaves open.
struct ShapeValues {
  std::vector<std::optional<int64_t>> values;
  bool is_scalar = false;  // true: no dimension, one value; false: one dimension
  bool operator==(const ShapeValues& other) const { return values == other.values && is_scalar == other.is_scalar; }
};

// Returns the integers of a constant of at most one dimension. Returns FailedPreconditionError if there are more than a
// shape can have.
absl::StatusOr<ShapeValues> ShapeConstant(const ::onnx::NodeProto& node, const ::onnx::TensorProto& tensor);

// Returns true for the operators that ComputeShape knows: Gather, Slice, Unsqueeze, Squeeze, Concat, Cast, Mul.
bool IsShapeOperator(absl::string_view op);

// Computes a node with the operator IsShapeOperator from its inputs, all of them, in their order. For Shape, the
// importer knows the result.
absl::StatusOr<ShapeValues> ComputeShape(const ::onnx::NodeProto& node, const std::vector<ShapeValues>& inputs);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_SHAPE_VALUES_H_
