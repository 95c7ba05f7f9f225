#include "lib/kernels/stem_gradient_reference.h"

#include "lib/kernels/stem_gradient.h"

namespace lockstep {

std::vector<double> StemGradientReference(uint32_t rows, const __nv_bfloat16* x, const __nv_bfloat16* g,
                                          const float* const (&of_batch_norm)[3], const __nv_bfloat16* patches) {
  std::vector<double> dw(size_t{kStemGradientChannels} * kStemGradientPatch, 0);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t o = 0; o < kStemGradientChannels; ++o) {
      const size_t at = row * kStemGradientChannels + o;
      const float dx = of_batch_norm[0][o] * static_cast<float>(g[at]) +
                       of_batch_norm[1][o] * static_cast<float>(x[at]) + of_batch_norm[2][o];
      const auto rounded = static_cast<double>(static_cast<float>(__nv_bfloat16(dx)));
      for (size_t c = 0; c < kStemGradientPatch; ++c) {
        dw[o * kStemGradientPatch + c] +=
            rounded * static_cast<double>(static_cast<float>(patches[row * kStemGradientPatch + c]));
      }
    }
  }
  return dw;
}

}  // namespace lockstep
