#include "lib/kernels/add_partials.h"

namespace lockstep {

template <typename T>
void AddPartialsReference(const PartialsToAdd& shape, const T* partials, T* sum) {
  for (size_t i = 0; i < shape.count; ++i) {
    float total = static_cast<float>(sum[i]);
    for (size_t partial = 0; partial < shape.partials; ++partial) {
      total += static_cast<float>(partials[partial * shape.stride + i]);
    }
    sum[i] = T(total);
  }
}

template void AddPartialsReference(const PartialsToAdd&, const float*, float*);
template void AddPartialsReference(const PartialsToAdd&, const __nv_bfloat16*, __nv_bfloat16*);

}  // namespace lockstep
