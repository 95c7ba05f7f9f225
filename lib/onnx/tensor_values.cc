#include "lib/onnx/tensor_values.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

using ::onnx::TensorProto;

template <typename Value>
TensorProto MakeTensor(const std::string& name, const std::vector<int64_t>& dims, TensorProto::DataType type,
                       const std::vector<Value>& values) {
  TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(type);
  tensor.mutable_dims()->Add(dims.begin(), dims.end());
  const char* const bytes = reinterpret_cast<const char*>(values.data());
  tensor.mutable_raw_data()->assign(bytes, bytes + values.size() * sizeof(Value));
  return tensor;
}

absl::Status Broken(const TensorProto& tensor, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("ONNX model: tensor '", tensor.name(), "': ", what));
}

// Returns the number of elements that `dims` gives. Returns an error if it is more than `limit`, the number of stored
// values.
absl::StatusOr<size_t> ElementCount(const TensorProto& tensor, size_t limit) {
  const auto& dims = tensor.dims();
  if (std::any_of(dims.begin(), dims.end(), [](int64_t dim) { return dim < 0; })) {
    return Broken(tensor, "a dimension below 0");
  }
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) {
    return 0;
  }
  size_t count = 1;
  for (const int64_t dim : dims) {
    if (count > limit / static_cast<size_t>(dim)) {
      return Broken(tensor, "more values by its dimensions than the file holds");
    }
    count *= static_cast<size_t>(dim);
  }
  return count;
}

absl::Status CheckPlace(const TensorProto& tensor) {
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    return absl::FailedPreconditionError(
        absl::StrCat("ONNX model: tensor '", tensor.name(),
                     "': its values lie in a file next to the model; save the model with its weights in one file, in "
                     "Python by onnx.save(onnx.load('model.onnx'), 'one_file.onnx')"));
  }
  return absl::OkStatus();
}

// Returns values of type Stored from raw_data, or from the typed list `listed`.
template <typename Stored, typename Result, typename List>
absl::StatusOr<std::vector<Result>> Values(const TensorProto& tensor, const List& listed) {
  RETURN_IF_ERROR(CheckPlace(tensor));
  if (tensor.has_raw_data() && !listed.empty()) {
    return Broken(tensor, "its values are there twice, as raw_data and as a list");
  }
  const std::string& raw = tensor.raw_data();
  const size_t held = tensor.has_raw_data() ? raw.size() / sizeof(Stored) : static_cast<size_t>(listed.size());
  ASSIGN_OR_RETURN(const size_t count, ElementCount(tensor, held));
  if (count != held || (tensor.has_raw_data() && raw.size() % sizeof(Stored) != 0)) {
    return Broken(tensor, absl::StrCat(held, " values, its dimensions need ", count));
  }
  std::vector<Result> values(count);
  for (size_t i = 0; i < count; ++i) {
    if (tensor.has_raw_data()) {
      Stored value;
      std::memcpy(&value, raw.data() + i * sizeof(Stored), sizeof(Stored));
      values[i] = value;
      continue;
    }
    const auto value = listed[static_cast<int>(i)];
    if (value < std::numeric_limits<Stored>::lowest() || value > std::numeric_limits<Stored>::max()) {
      return Broken(tensor, absl::StrCat("the value ", value, " is outside of its type"));
    }
    values[i] = static_cast<Result>(value);
  }
  return values;
}

}  // namespace

TensorProto FloatTensor(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values) {
  return MakeTensor(name, dims, TensorProto::FLOAT, values);
}

TensorProto Int8Tensor(const std::string& name, const std::vector<int64_t>& dims, const std::vector<int8_t>& values) {
  return MakeTensor(name, dims, TensorProto::INT8, values);
}

TensorProto Uint8Tensor(const std::string& name, uint8_t value) {
  return MakeTensor(name, {}, TensorProto::UINT8, std::vector<uint8_t>{value});
}

TensorProto Int32Tensor(const std::string& name, const std::vector<int64_t>& dims, const std::vector<int32_t>& values) {
  return MakeTensor(name, dims, TensorProto::INT32, values);
}

absl::StatusOr<std::vector<float>> FloatValues(const TensorProto& tensor) {
  if (tensor.data_type() != TensorProto::FLOAT) {
    return absl::FailedPreconditionError(
        absl::StrCat("ONNX model: tensor '", tensor.name(), "': type ", tensor.data_type(), ", expected float32 (1)"));
  }
  return Values<float, float>(tensor, tensor.float_data());
}

absl::StatusOr<std::vector<int64_t>> IntegerValues(const TensorProto& tensor) {
  switch (tensor.data_type()) {
    case TensorProto::UINT8:
      return Values<uint8_t, int64_t>(tensor, tensor.int32_data());
    case TensorProto::INT8:
      return Values<int8_t, int64_t>(tensor, tensor.int32_data());
    case TensorProto::INT32:
      return Values<int32_t, int64_t>(tensor, tensor.int32_data());
    case TensorProto::INT64:
      return Values<int64_t, int64_t>(tensor, tensor.int64_data());
    default:
      return absl::FailedPreconditionError(absl::StrCat("ONNX model: tensor '", tensor.name(), "': type ",
                                                        tensor.data_type(),
                                                        ", expected uint8 (2), int8 (3), int32 (6) or int64 (7)"));
  }
}

}  // namespace lockstep
