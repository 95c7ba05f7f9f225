#include "lib/cuda/tensor_map.h"

#include <cuda_runtime.h>

#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/driver_function.h"

namespace lockstep {
namespace {

constexpr size_t kMaxDimensions = 5;  // CUDA driver API, cuTensorMapEncodeTiled

using Encode = decltype(&cuTensorMapEncodeTiled);

absl::StatusOr<Encode> FindEncode() {
  ASSIGN_OR_RETURN(void* const function,
                   FindDriverFunction("cuTensorMapEncodeTiled", "asking the driver for tensor maps"));
  if (function == nullptr) {
    return absl::UnimplementedError("the CUDA driver has no tensor maps: expected one of CUDA 12.0 or newer");
  }
  return reinterpret_cast<Encode>(function);
}

std::string Describe(const std::vector<TensorMapDimension>& dimensions) {
  std::string text;
  for (const TensorMapDimension& dimension : dimensions) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", dimension.size, " by ", dimension.stride, " in boxes of ",
                    dimension.box);
  }
  return text;
}

}  // namespace

absl::StatusOr<CUtensorMap> MakeTensorMap(const void* data, const std::vector<TensorMapDimension>& dimensions,
                                          TensorMapElement element, uint32_t swizzle) {
  if (dimensions.empty() || dimensions.size() > kMaxDimensions) {
    return absl::InternalError(absl::StrCat("a tensor map of ", dimensions.size(), " dimensions"));
  }
  ASSIGN_OR_RETURN(const Encode encode, FindEncode());
  const bool is_int8 = element == TensorMapElement::kInt8;
  const uint64_t element_bytes = is_int8 ? 1 : 2;
  std::array<cuuint64_t, kMaxDimensions> sizes = {}, strides = {};
  std::array<cuuint32_t, kMaxDimensions> box = {}, steps = {};
  for (size_t i = 0; i < dimensions.size(); ++i) {
    sizes[i] = dimensions[i].size;
    box[i] = dimensions[i].box;
    steps[i] = 1;
    if (i > 0) {
      strides[i - 1] = dimensions[i].stride * element_bytes;
    }
  }
  CUtensorMap map;
  const CUresult result = encode(&map, is_int8 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                                 static_cast<cuuint32_t>(dimensions.size()), const_cast<void*>(data), sizes.data(),
                                 strides.data(), box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 swizzle == 0    ? CU_TENSOR_MAP_SWIZZLE_NONE
                                 : swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                 : CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    return absl::InternalError(absl::StrCat("the CUDA driver refused a tensor map of ", Describe(dimensions),
                                            ": error ", static_cast<int>(result)));
  }
  return map;
}

}  // namespace lockstep
