// What a thread of SgdStep does, for kernels that do more: four elements at once, 16 bytes a load.
#ifndef LOCKSTEP_LIB_KERNELS_SGD_ELEMENTS_CUH_
#define LOCKSTEP_LIB_KERNELS_SGD_ELEMENTS_CUH_

#include <cstddef>
#include <cstdint>

#include "lib/kernels/sgd.h"
#include "lib/kernels/sgd_element.h"

namespace lockstep {

inline constexpr uint32_t kSgdVector = 4;

template <typename G>
struct alignas(sizeof(G) * kSgdVector) SgdFour {
  G value[kSgdVector];
};

// The sum of the ranks' vectors of this index.
template <typename G>
__device__ SgdFour<G> SgdSumOfRanks(const SgdInput<G>& input, size_t i) {
  float sum[kSgdVector];
  for (uint32_t rank = 0; rank < input.ranks; ++rank) {
    const SgdFour<G> of_rank = reinterpret_cast<const SgdFour<G>*>(input.of_rank[rank])[i];
#pragma unroll
    for (uint32_t k = 0; k < kSgdVector; ++k) {
      const auto value = static_cast<float>(of_rank.value[k]);
      sum[k] = rank == 0 ? value : __fadd_rn(sum[k], value);
    }
  }
  SgdFour<G> four;
#pragma unroll
  for (uint32_t k = 0; k < kSgdVector; ++k) {
    four.value[k] = G(sum[k]);
  }
  return four;
}

template <typename G>
__device__ inline float SgdGradientOf(const SgdInput<G>& input, bool ranks, size_t i) {
  if (!ranks) {
    return static_cast<float>(input.gradient[i]);
  }
  auto sum = static_cast<float>(input.of_rank[0][i]);
  for (uint32_t rank = 1; rank < input.ranks; ++rank) {
    sum = __fadd_rn(sum, static_cast<float>(input.of_rank[rank][i]));
  }
  return static_cast<float>(G(sum));
}

// `thread` of `threads`, which share the work. kWhole: the step has one micro-batch and no factors, which is the usual
// case: nothing is looked at for each element. kRanks: the gradient is a sum. kAtOnce: fours that a thread has under way.
template <typename G, bool kWhole, bool kRanks, uint32_t kAtOnce>
__device__ __forceinline__ void SgdElements(const SgdInput<G>& input, size_t thread, size_t threads) {
  const bool factors = !kWhole && input.factors != nullptr;
  const SgdElementInput element = {*input.learning_rate,
                                   input.momentum,
                                   factors ? input.factors[1] : input.weight_decay,
                                   kWhole    ? 1.0f
                                   : factors ? input.factors[0]
                                             : input.gradient_scale,
                                   kWhole || input.first,
                                   kWhole || input.last};
  const size_t whole = input.count / kSgdVector;
  for (size_t first = thread; first < whole; first += threads * kAtOnce) {
    SgdFour<G> gradient[kAtOnce];
    SgdFour<float> parameter[kAtOnce], velocity[kAtOnce];
#pragma unroll
    for (uint32_t n = 0; n < kAtOnce; ++n) {
      const size_t i = min(first + n * threads, whole - 1);
      gradient[n] = kRanks ? SgdSumOfRanks(input, i) : reinterpret_cast<const SgdFour<G>*>(input.gradient)[i];
      parameter[n] = reinterpret_cast<SgdFour<float>*>(input.parameter)[i];
      velocity[n] = reinterpret_cast<SgdFour<float>*>(input.velocity)[i];
    }
#pragma unroll
    for (uint32_t n = 0; n < kAtOnce; ++n) {
      const size_t i = first + n * threads;
      if (i >= whole) {
        break;
      }
      SgdFour<__nv_bfloat16> copy;
#pragma unroll
      for (uint32_t k = 0; k < kSgdVector; ++k) {
        SgdElement(element, static_cast<float>(gradient[n].value[k]), parameter[n].value[k], velocity[n].value[k]);
        copy.value[k] = __float2bfloat16_rn(parameter[n].value[k]);
      }
      reinterpret_cast<SgdFour<float>*>(input.velocity)[i] = velocity[n];
      if (!element.last) {
        continue;
      }
      reinterpret_cast<SgdFour<float>*>(input.parameter)[i] = parameter[n];
      if (input.bf16_copy != nullptr) {
        reinterpret_cast<SgdFour<__nv_bfloat16>*>(input.bf16_copy)[i] = copy;
        for (uint32_t other = 0; other < input.other_copies; ++other) {
          reinterpret_cast<SgdFour<__nv_bfloat16>*>(input.other_copy[other])[i] = copy;
        }
      }
    }
  }
  // The last one to three elements.
  const size_t last = whole * kSgdVector + thread;
  if (last < input.count) {
    SgdElement(element, SgdGradientOf(input, kRanks, last), input.parameter[last], input.velocity[last]);
    if (element.last && input.bf16_copy != nullptr) {
      input.bf16_copy[last] = __float2bfloat16_rn(input.parameter[last]);
      for (uint32_t other = 0; other < input.other_copies; ++other) {
        input.other_copy[other][last] = input.bf16_copy[last];
      }
    }
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_SGD_ELEMENTS_CUH_
