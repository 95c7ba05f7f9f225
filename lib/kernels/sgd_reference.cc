#include "lib/kernels/sgd.h"
#include "lib/kernels/sgd_element.h"

namespace lockstep {

namespace {

template <typename G>
float GradientOf(const SgdInput<G>& input, size_t i) {
  if (input.ranks == 0) {
    return static_cast<float>(input.gradient[i]);
  }
  auto sum = static_cast<float>(input.of_rank[0][i]);
  for (uint32_t rank = 1; rank < input.ranks; ++rank) {
    sum += static_cast<float>(input.of_rank[rank][i]);
  }
  return static_cast<float>(G(sum));
}

}  // namespace

template <typename G>
void SgdStepReference(const SgdInput<G>& input) {
  const bool factors = input.factors != nullptr;
  const SgdElementInput element = {*input.learning_rate,
                                   input.momentum,
                                   factors ? input.factors[1] : input.weight_decay,
                                   factors ? input.factors[0] : input.gradient_scale,
                                   input.first,
                                   input.last,
                                   input.nesterov};
  for (size_t i = 0; i < input.count; ++i) {
    SgdElement(element, GradientOf(input, i), input.parameter[i], input.velocity[i]);
    if (input.last && input.bf16_copy != nullptr) {
      input.bf16_copy[i] = __float2bfloat16_rn(input.parameter[i]);
      for (uint32_t other = 0; other < input.other_copies; ++other) {
        input.other_copy[other][i] = input.bf16_copy[i];
      }
    }
  }
}

template void SgdStepReference(const SgdInput<float>&);
template void SgdStepReference(const SgdInput<__nv_bfloat16>&);

}  // namespace lockstep
