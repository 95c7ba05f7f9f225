#include "lib/onnx/shape_values.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/tensor_values.h"

namespace lockstep {
namespace {

using ::onnx::NodeProto;
using ::onnx::TensorProto;
using Inputs = std::vector<ShapeValues>;

constexpr size_t kMaxValues = 16;               // a tensor of the networks has 4 dimensions
constexpr int64_t kMaxSize = int64_t{1} << 31;  // limit of a product

absl::Status CannotCompute(const NodeProto& node) {
  return UnsupportedNode(node,
                         "computes a shape in a way that Lockstep does not follow; export the model with a fixed "
                         "shape, or with torch.flatten(x, 1)");
}

// Returns the known values of a vector or scalar.
absl::StatusOr<std::vector<int64_t>> Known(const NodeProto& node, const ShapeValues& values) {
  std::vector<int64_t> known;
  for (const std::optional<int64_t>& value : values.values) {
    if (!value) {
      return CannotCompute(node);
    }
    known.push_back(*value);
  }
  return known;
}

// Returns the position in [0, size), where negative ones count from the end.
int64_t FromStart(int64_t position, size_t size) {
  return position < 0 ? position + static_cast<int64_t>(size) : position;
}

absl::StatusOr<ShapeValues> Gather(const NodeProto& node, const Inputs& inputs) {
  ASSIGN_OR_RETURN(const int64_t axis, IntAttribute(node, "axis", 0));
  if (inputs.size() != 2 || inputs[0].is_scalar || (axis != 0 && axis != -1)) {
    return CannotCompute(node);
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> places, Known(node, inputs[1]));
  ShapeValues result;
  result.is_scalar = inputs[1].is_scalar;
  for (const int64_t place : places) {
    const int64_t index = FromStart(place, inputs[0].values.size());
    if (index < 0 || index >= static_cast<int64_t>(inputs[0].values.size())) {
      return BrokenNode(node, absl::StrCat("element ", place, " of ", inputs[0].values.size(), " sizes"));
    }
    result.values.push_back(inputs[0].values[static_cast<size_t>(index)]);
  }
  return result;
}

absl::StatusOr<ShapeValues> Slice(const NodeProto& node, const Inputs& inputs) {
  std::vector<std::vector<int64_t>> ends = {{}, {}, {0}, {1}};  // starts, ends, axes, steps
  if (inputs.size() < 3 || inputs.size() > 5 || inputs[0].is_scalar) {
    return CannotCompute(node);
  }
  for (size_t i = 1; i < inputs.size(); ++i) {
    ASSIGN_OR_RETURN(ends[i - 1], Known(node, inputs[i]));
  }
  if (ends[0].size() != 1 || ends[1].size() != 1 || ends[3] != std::vector<int64_t>{1} || ends[2].size() != 1 ||
      (ends[2][0] != 0 && ends[2][0] != -1)) {
    return CannotCompute(node);
  }
  const size_t size = inputs[0].values.size();
  const auto within = [&](int64_t position) {
    return std::max<int64_t>(0, std::min(static_cast<int64_t>(size), FromStart(position, size)));
  };
  const int64_t first = within(ends[0][0]), last = std::max(first, within(ends[1][0]));
  return ShapeValues{{inputs[0].values.begin() + first, inputs[0].values.begin() + last}, false};
}

// Computes Unsqueeze and Squeeze, whose axis 0 is an attribute or, since opset 13, an input.
absl::StatusOr<ShapeValues> ChangeDimensions(const NodeProto& node, const Inputs& inputs) {
  const bool adds = node.op_type() == "Unsqueeze";
  ASSIGN_OR_RETURN(std::vector<int64_t> axes,
                   IntsAttribute(node, "axes", adds ? std::vector<int64_t>() : std::vector<int64_t>{0}));
  if (inputs.size() == 2) {
    ASSIGN_OR_RETURN(axes, Known(node, inputs[1]));
  }
  if (inputs.empty() || axes.size() != 1 || (axes[0] != 0 && axes[0] != -1) || inputs[0].values.size() != 1 ||
      inputs[0].is_scalar != adds) {
    return CannotCompute(node);
  }
  return ShapeValues{inputs[0].values, !adds};
}

absl::StatusOr<ShapeValues> Concat(const NodeProto& node, const Inputs& inputs) {
  ASSIGN_OR_RETURN(const int64_t axis, IntAttribute(node, "axis", 0));
  ShapeValues result;
  for (const ShapeValues& input : inputs) {
    if (input.is_scalar || result.values.size() + input.values.size() > kMaxValues) {
      return CannotCompute(node);
    }
    result.values.insert(result.values.end(), input.values.begin(), input.values.end());
  }
  return axis == 0 || axis == -1 ? absl::StatusOr<ShapeValues>(result) : CannotCompute(node);
}

absl::StatusOr<ShapeValues> Cast(const NodeProto& node, const Inputs& inputs) {
  ASSIGN_OR_RETURN(const int64_t type, IntAttribute(node, "to", TensorProto::UNDEFINED));
  if (inputs.size() != 1 || (type != TensorProto::INT32 && type != TensorProto::INT64)) {
    return CannotCompute(node);
  }
  return inputs[0];
}

// Multiplies value by value; one factor may be a single value for all.
absl::StatusOr<ShapeValues> Mul(const NodeProto& node, const Inputs& inputs) {
  if (inputs.size() != 2) {
    return CannotCompute(node);
  }
  const ShapeValues& longer = inputs[0].values.size() >= inputs[1].values.size() ? inputs[0] : inputs[1];
  const ShapeValues& shorter = &longer == &inputs[0] ? inputs[1] : inputs[0];
  if (shorter.values.size() != 1 && shorter.values.size() != longer.values.size()) {
    return CannotCompute(node);
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> factors, Known(node, shorter));
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, Known(node, longer));
  ShapeValues result;
  result.is_scalar = inputs[0].is_scalar && inputs[1].is_scalar;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t factor = factors[factors.size() == 1 ? 0 : i];
    if (factor < 0 || values[i] < 0 || factor > kMaxSize || values[i] > kMaxSize || factor * values[i] > kMaxSize) {
      return CannotCompute(node);
    }
    result.values.push_back(factor * values[i]);
  }
  return result;
}

using Computation = absl::StatusOr<ShapeValues> (*)(const NodeProto&, const Inputs&);

const std::map<std::string, Computation, std::less<>>& Computations() {
  static const auto& computations =
      *new std::map<std::string, Computation, std::less<>>{{"Gather", Gather},
                                                           {"Slice", Slice},
                                                           {"Unsqueeze", ChangeDimensions},
                                                           {"Squeeze", ChangeDimensions},
                                                           {"Concat", Concat},
                                                           {"Cast", Cast},
                                                           {"Mul", Mul}};
  return computations;
}

}  // namespace

absl::StatusOr<ShapeValues> ShapeConstant(const NodeProto& node, const TensorProto& tensor) {
  size_t size = 1;
  if (tensor.dims_size() == 1) {
    size = static_cast<size_t>(tensor.dims(0));
  }
  if (tensor.dims_size() > 1 || size > kMaxValues) {
    return CannotCompute(node);
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntegerValues(tensor));
  return ShapeValues{{values.begin(), values.end()}, tensor.dims_size() == 0};
}

bool IsShapeOperator(absl::string_view op) { return Computations().count(op) != 0; }

absl::StatusOr<ShapeValues> ComputeShape(const NodeProto& node, const std::vector<ShapeValues>& inputs) {
  const auto found = Computations().find(node.op_type());
  return found == Computations().end() ? CannotCompute(node) : (*found->second)(node, inputs);
}

}  // namespace lockstep
