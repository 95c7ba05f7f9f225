// Tensor maps: descriptions of tensors in global memory for Hopper's bulk copies (tensor_copy.cuh).
#ifndef LOCKSTEP_LIB_CUDA_TENSOR_MAP_H_
#define LOCKSTEP_LIB_CUDA_TENSOR_MAP_H_

#include <cuda.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace lockstep {

struct TensorMapDimension {
  uint64_t size = 0;    // elements
  uint64_t stride = 0;  // elements from one to the next; must be 1 for the innermost, which is the first
  uint32_t box = 0;     // elements of a copied box, up to 256
};

enum class TensorMapElement { kBf16, kInt8 };

// Describes a tensor at `data`, which must be aligned to 16 bytes, on the current device. In shared memory, a box is
// stored innermost dimension first; its lines of up to `swizzle` bytes (128 or 64) are swizzled by that number of
// bytes; 0: not swizzled. Elements outside of the tensor read as 0. Returns InternalError if the driver refuses the
// description, which the message contains, and UnimplementedError if the driver has no bulk copies.
absl::StatusOr<CUtensorMap> MakeTensorMap(const void* data, const std::vector<TensorMapDimension>& dimensions,
                                          TensorMapElement element = TensorMapElement::kBf16, uint32_t swizzle = 128);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_TENSOR_MAP_H_
