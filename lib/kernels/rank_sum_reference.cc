#include "lib/kernels/rank_sum.h"

namespace lockstep {

template <typename W>
void RankSumReference(const RankSumInput<W>& input) {
  for (size_t i = 0; i < input.count; ++i) {
    auto sum = static_cast<float>(input.from[0][i]);
    for (uint32_t rank = 1; rank < input.ranks; ++rank) {
      sum += static_cast<float>(input.from[rank][i]);
    }
    input.to[i] = W(sum);
  }
}

template void RankSumReference(const RankSumInput<float>&);
template void RankSumReference(const RankSumInput<__nv_bfloat16>&);

}  // namespace lockstep
