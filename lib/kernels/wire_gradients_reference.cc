#include "lib/kernels/wire_gradients.h"

namespace lockstep {

template <typename G, typename W>
void WireGradientsReference(const WireInput<G, W>& input) {
  for (size_t i = 0; i < input.count; ++i) {
    const float share = input.share * static_cast<float>(input.gradient[i]);
    const float value = input.first ? share : input.sum[i] + share;
    if (input.last) {
      input.wire[i] = W(value);
    } else {
      input.sum[i] = value;
    }
  }
}

template void WireGradientsReference(const WireInput<float, float>&);
template void WireGradientsReference(const WireInput<float, __nv_bfloat16>&);
template void WireGradientsReference(const WireInput<__nv_bfloat16, float>&);
template void WireGradientsReference(const WireInput<__nv_bfloat16, __nv_bfloat16>&);

}  // namespace lockstep
