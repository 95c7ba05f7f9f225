#include "lib/train/clip_gradients.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>

namespace lockstep {

// Uses the operations of torch/nn/utils/clip_grad.py, so the results are bit-identical.
void ClipGradients(at::TensorList gradients, double max_norm) {
  constexpr double kEpsilon = 1e-6;  // avoids division by 0 if all gradients are 0
  const at::Tensor gradient_norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients)));
  at::_foreach_mul_(gradients, (gradient_norm + kEpsilon).reciprocal().mul(max_norm).clamp_max(1));
}

}  // namespace lockstep
