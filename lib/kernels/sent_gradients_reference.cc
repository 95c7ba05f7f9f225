#include "lib/kernels/sent_gradients.h"

namespace lockstep {

template <typename G, typename W>
void ComputeSentGradientsReference(const SentGradientsInput<G, W>& input) {
  for (size_t i = 0; i < input.count; ++i) {
    const float share = input.share * static_cast<float>(input.gradient[i]);
    const float value = input.first ? share : input.sum[i] + share;
    if (input.last) {
      input.send_buffer[i] = W(value);
    } else {
      input.sum[i] = value;
    }
  }
}

template void ComputeSentGradientsReference(const SentGradientsInput<float, float>&);
template void ComputeSentGradientsReference(const SentGradientsInput<float, __nv_bfloat16>&);
template void ComputeSentGradientsReference(const SentGradientsInput<__nv_bfloat16, float>&);
template void ComputeSentGradientsReference(const SentGradientsInput<__nv_bfloat16, __nv_bfloat16>&);

}  // namespace lockstep
