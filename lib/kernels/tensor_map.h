// Descriptions of tensors in global memory for Hopper's bulk copies (tensor_copy.cuh).
#ifndef LOCKSTEP_LIB_KERNELS_TENSOR_MAP_H_
#define LOCKSTEP_LIB_KERNELS_TENSOR_MAP_H_

#include <cuda.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace lockstep {

struct TensorMapDimension {
  uint64_t size = 0;    // elements
  uint64_t stride = 0;  // elements from one to the next; of the innermost, the first, 1
  uint32_t box = 0;     // elements of a copied box, up to 256
};

enum class TensorMapElement { kBf16, kInt8 };

// Describes a tensor at `data`, at a multiple of 16 bytes, on the current device. In shared memory a box lies innermost
// dimension first, its lines of up to `swizzle` bytes (128 or 64) swizzled by as many; 0: as they are. What lies outside of the tensor
// reads as 0. Internal: the driver refused; the message says which description. Unimplemented: a driver without bulk
// copies.
absl::StatusOr<CUtensorMap> MakeTensorMap(const void* data, const std::vector<TensorMapDimension>& dimensions,
                                          TensorMapElement element = TensorMapElement::kBf16, uint32_t swizzle = 128);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_TENSOR_MAP_H_
