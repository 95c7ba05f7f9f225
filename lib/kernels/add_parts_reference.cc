#include "lib/kernels/add_parts.h"

namespace lockstep {

template <typename T>
void AddPartsReference(const PartsToAdd& shape, const T* parts, T* sum) {
  for (size_t i = 0; i < shape.count; ++i) {
    float total = static_cast<float>(sum[i]);
    for (size_t part = 0; part < shape.parts; ++part) {
      total += static_cast<float>(parts[part * shape.stride + i]);
    }
    sum[i] = T(total);
  }
}

template void AddPartsReference(const PartsToAdd&, const float*, float*);
template void AddPartsReference(const PartsToAdd&, const __nv_bfloat16*, __nv_bfloat16*);

}  // namespace lockstep
