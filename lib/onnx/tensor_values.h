// Conversion between the values of tensors and their form in an ONNX file.
#ifndef LOCKSTEP_LIB_ONNX_TENSOR_VALUES_H_
#define LOCKSTEP_LIB_ONNX_TENSOR_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/onnx/onnx.pb.h"

namespace lockstep {

// Return tensors with values in raw_data. `dims`: empty for a scalar.
::onnx::TensorProto FloatTensor(const std::string& name, const std::vector<int64_t>& dims,
                                const std::vector<float>& values);
::onnx::TensorProto Int8Tensor(const std::string& name, const std::vector<int64_t>& dims,
                               const std::vector<int8_t>& values);
::onnx::TensorProto Uint8Tensor(const std::string& name, uint8_t value);  // a scalar
::onnx::TensorProto Int32Tensor(const std::string& name, const std::vector<int64_t>& dims,
                                const std::vector<int32_t>& values);

// Return the values of a float32 tensor, and of a tensor of uint8, int8, int32 or int64. DataLoss: sizes that
// contradict each other, or a value outside of its type. FailedPrecondition: another type, or values stored in a
// separate file. Both errors name the tensor. Memory use is bounded by the size of the tensor itself.
absl::StatusOr<std::vector<float>> FloatValues(const ::onnx::TensorProto& tensor);
absl::StatusOr<std::vector<int64_t>> IntegerValues(const ::onnx::TensorProto& tensor);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_TENSOR_VALUES_H_
