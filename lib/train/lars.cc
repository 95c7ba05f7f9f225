#include "lib/train/lars.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/stack.h>

namespace lockstep {

void ScaleByLocalRates(at::TensorList weights, at::TensorList gradients, double trust, double weight_decay) {
  if (weights.empty()) {
    return;
  }
  const at::Tensor weight = at::stack(at::_foreach_norm(weights));      // (tensors)
  const at::Tensor gradient = at::stack(at::_foreach_norm(gradients));  // (tensors)
  const at::Tensor local =
      (weight * trust / (gradient + weight * weight_decay)).masked_fill(weight.eq(0).logical_or(gradient.eq(0)), 1);
  at::_foreach_add_(gradients, weights, weight_decay);
  at::_foreach_mul_(gradients, local.unbind());
}

}  // namespace lockstep
