// Data types of the tensors in a file of weights, by the names that each format has for them.
#ifndef LOCKSTEP_LIB_NN_DATA_TYPE_H_
#define LOCKSTEP_LIB_NN_DATA_TYPE_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace lockstep {

struct DataType {
  absl::string_view name;         // torch's name, without "torch."; the dtype's identity
  absl::string_view storage;      // class of its storage in a pickle: "FloatStorage"; empty: none
  absl::string_view safetensors;  // name in a safetensors file: "F32"; empty: none
  size_t bytes = 0;               // size of an element
};

inline constexpr DataType kFloat32 = {"float32", "FloatStorage", "F32", 4};
inline constexpr DataType kInt64 = {"int64", "LongStorage", "I64", 8};

// Return null if no data type has this name.
const DataType* FindStorageClass(absl::string_view storage);
const DataType* FindSafetensorsType(absl::string_view safetensors);

// Returns true for float16, bfloat16, float32 and float64.
bool IsFloatingPoint(const DataType& type);

// Returns true for the integer types of torch that have a storage class, and for bool.
bool IsInteger(const DataType& type);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_DATA_TYPE_H_
