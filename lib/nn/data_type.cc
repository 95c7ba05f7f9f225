#include "lib/nn/data_type.h"

#include <algorithm>
#include <iterator>

namespace lockstep {
namespace {

// Storage classes of torch (torch/storage.py, _dtype_to_storage_type_map) and dtypes of the safetensors format
// (github.com/huggingface/safetensors, README). UntypedStorage counts its elements in bytes.
constexpr DataType kDataTypes[] = {kFloat32,
                                   {"float16", "HalfStorage", "F16", 2},
                                   {"bfloat16", "BFloat16Storage", "BF16", 2},
                                   {"float64", "DoubleStorage", "F64", 8},
                                   kInt64,
                                   {"int32", "IntStorage", "I32", 4},
                                   {"int16", "ShortStorage", "I16", 2},
                                   {"int8", "CharStorage", "I8", 1},
                                   {"uint8", "ByteStorage", "U8", 1},
                                   {"bool", "BoolStorage", "BOOL", 1},
                                   {"complex64", "ComplexFloatStorage", "C64", 8},
                                   {"complex128", "ComplexDoubleStorage", "", 16},
                                   {"qint8", "QInt8Storage", "", 1},
                                   {"quint8", "QUInt8Storage", "", 1},
                                   {"qint32", "QInt32Storage", "", 4},
                                   {"untyped", "UntypedStorage", "", 1},
                                   {"uint16", "", "U16", 2},
                                   {"uint32", "", "U32", 4},
                                   {"uint64", "", "U64", 8},
                                   {"float8_e4m3fn", "", "F8_E4M3", 1},
                                   {"float8_e5m2", "", "F8_E5M2", 1}};

const DataType* Find(absl::string_view DataType::*field, absl::string_view name) {
  const auto found = std::find_if(std::begin(kDataTypes), std::end(kDataTypes),
                                  [&](const DataType& type) { return !name.empty() && type.*field == name; });
  return found == std::end(kDataTypes) ? nullptr : &*found;
}

bool IsOneOf(absl::string_view name, std::initializer_list<absl::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

const DataType* FindStorageClass(absl::string_view storage) { return Find(&DataType::storage, storage); }

const DataType* FindSafetensorsType(absl::string_view safetensors) { return Find(&DataType::safetensors, safetensors); }

bool IsFloatingPoint(const DataType& type) { return IsOneOf(type.name, {"float16", "bfloat16", "float32", "float64"}); }

bool IsInteger(const DataType& type) {
  return IsOneOf(type.name, {"int64", "int32", "int16", "int8", "uint8", "bool"});
}

}  // namespace lockstep
