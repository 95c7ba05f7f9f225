// The work of a thread of SgdStep, for kernels that do more than that: four elements at once, 16 bytes per load.
#ifndef LOCKSTEP_LIB_KERNELS_SGD_ELEMENTS_CUH_
#define LOCKSTEP_LIB_KERNELS_SGD_ELEMENTS_CUH_

#include <cstddef>
#include <cstdint>

#include "lib/cuda/cache_policy.cuh"
#include "lib/kernels/sgd.h"
#include "lib/kernels/sgd_element.h"

namespace lockstep {

inline constexpr uint32_t kSgdVector = 4;

template <typename G>
struct alignas(sizeof(G) * kSgdVector) SgdFour {
  G value[kSgdVector];
};

// Computes the sums over the ranks of the fours at these indices. All loads of the first two ranks are issued together:
// one load at a time would wait for memory once per rank and index.
template <typename G, uint32_t kAtOnce>
__device__ __forceinline__ void SgdSumsOfRanks(const SgdInput<G>& input, const size_t (&index)[kAtOnce],
                                               SgdFour<G> (&sums)[kAtOnce]) {
  const auto* const first = reinterpret_cast<const SgdFour<G>*>(input.of_rank[0]);
  const auto* const second = reinterpret_cast<const SgdFour<G>*>(input.of_rank[input.ranks > 1 ? 1 : 0]);
  SgdFour<G> of_first[kAtOnce], of_second[kAtOnce];
#pragma unroll
  for (uint32_t n = 0; n < kAtOnce; ++n) {
    of_first[n] = first[index[n]];
    of_second[n] = second[index[n]];
  }
#pragma unroll
  for (uint32_t n = 0; n < kAtOnce; ++n) {
    float sum[kSgdVector];
#pragma unroll
    for (uint32_t k = 0; k < kSgdVector; ++k) {
      sum[k] = static_cast<float>(of_first[n].value[k]);
      sum[k] = input.ranks > 1 ? __fadd_rn(sum[k], static_cast<float>(of_second[n].value[k])) : sum[k];
    }
    for (uint32_t rank = 2; rank < input.ranks; ++rank) {
      const SgdFour<G> of_rank = reinterpret_cast<const SgdFour<G>*>(input.of_rank[rank])[index[n]];
#pragma unroll
      for (uint32_t k = 0; k < kSgdVector; ++k) {
        sum[k] = __fadd_rn(sum[k], static_cast<float>(of_rank.value[k]));
      }
    }
#pragma unroll
    for (uint32_t k = 0; k < kSgdVector; ++k) {
      sums[n].value[k] = G(sum[k]);
    }
  }
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

template <bool kWhole, typename G>
__device__ SgdElementInput SgdElementInputOf(const SgdInput<G>& input) {
  const bool factors = !kWhole && input.factors != nullptr;
  return {*input.learning_rate,
          input.momentum,
          factors ? input.factors[1] : input.weight_decay,
          kWhole    ? 1.0f
          : factors ? input.factors[0]
                    : input.gradient_scale,
          kWhole || input.first,
          kWhole || input.last,
          input.nesterov};
}

// Updates the four at index i, given its current parameter and velocity.
template <typename G>
__device__ __forceinline__ void SgdUpdateFour(const SgdElementInput& element, const SgdInput<G>& input, size_t i,
                                              const SgdFour<G>& gradient, SgdFour<float> parameter,
                                              SgdFour<float> velocity) {
  SgdFour<__nv_bfloat16> copy;
#pragma unroll
  for (uint32_t k = 0; k < kSgdVector; ++k) {
    SgdElement(element, static_cast<float>(gradient.value[k]), parameter.value[k], velocity.value[k]);
    copy.value[k] = __float2bfloat16_rn(parameter.value[k]);
  }
  StoreEvictFirst(velocity, reinterpret_cast<SgdFour<float>*>(input.velocity) + i);
  if (!element.last) {
    return;
  }
  StoreEvictFirst(parameter, reinterpret_cast<SgdFour<float>*>(input.parameter) + i);
  if (input.bf16_copy != nullptr) {
    reinterpret_cast<SgdFour<__nv_bfloat16>*>(input.bf16_copy)[i] = copy;
    for (uint32_t other = 0; other < input.other_copies; ++other) {
      reinterpret_cast<SgdFour<__nv_bfloat16>*>(input.other_copy[other])[i] = copy;
    }
  }
}

// Updates one element that is not part of a complete four.
template <typename G>
__device__ void SgdUpdateOne(const SgdElementInput& element, const SgdInput<G>& input, size_t i, float gradient) {
  SgdElement(element, gradient, input.parameter[i], input.velocity[i]);
  if (element.last && input.bf16_copy != nullptr) {
    input.bf16_copy[i] = __float2bfloat16_rn(input.parameter[i]);
    for (uint32_t other = 0; other < input.other_copies; ++other) {
      input.other_copy[other][i] = input.bf16_copy[i];
    }
  }
}

// Updates the elements of `thread` of `threads` threads, which share the work. The L2 cache evicts parameters, velocity
// and gradient first, because nothing reads them before the next step; the bf16 copy stays. kWhole: the step has one
// micro-batch and no factors, the usual case, so that no options are read per element. kRanks: the gradient is a sum.
// kAtOnce: fours that a thread has in flight.
template <typename G, bool kWhole, bool kRanks, uint32_t kAtOnce>
__device__ __forceinline__ void SgdElements(const SgdInput<G>& input, size_t thread, size_t threads) {
  const SgdElementInput element = SgdElementInputOf<kWhole>(input);
  const size_t whole = input.count / kSgdVector;
  for (size_t first = thread; first < whole; first += threads * kAtOnce) {
    SgdFour<G> gradient[kAtOnce];
    SgdFour<float> parameter[kAtOnce], velocity[kAtOnce];
    size_t index[kAtOnce];
#pragma unroll
    for (uint32_t n = 0; n < kAtOnce; ++n) {
      index[n] = min(first + n * threads, whole - 1);
      parameter[n] = LoadEvictFirst(reinterpret_cast<const SgdFour<float>*>(input.parameter) + index[n]);
      velocity[n] = LoadEvictFirst(reinterpret_cast<const SgdFour<float>*>(input.velocity) + index[n]);
      if constexpr (!kRanks) {
        gradient[n] = LoadEvictFirst(reinterpret_cast<const SgdFour<G>*>(input.gradient) + index[n]);
      }
    }
    if constexpr (kRanks) {
      SgdSumsOfRanks(input, index, gradient);
    }
#pragma unroll
    for (uint32_t n = 0; n < kAtOnce; ++n) {
      const size_t i = first + n * threads;
      if (i >= whole) {
        break;
      }
      SgdUpdateFour(element, input, i, gradient[n], parameter[n], velocity[n]);
    }
  }
  const size_t last = whole * kSgdVector + thread;
  if (last < input.count) {
    SgdUpdateOne(element, input, last, SgdGradientOf(input, kRanks, last));
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_SGD_ELEMENTS_CUH_
