// Gradient clipping by the global norm, like torch.nn.utils.clip_grad_norm_ with its default arguments.
#ifndef LOCKSTEP_LIB_TRAIN_CLIP_GRADIENTS_H_
#define LOCKSTEP_LIB_TRAIN_CLIP_GRADIENTS_H_

#include <ATen/core/Tensor.h>

namespace lockstep {

// Multiplies all gradients in place by min(1, max_norm / (norm + 1e-6)), where norm is the 2-norm over all their
// elements. The tensors must be on one device. Copies nothing to the host, so a step that clips can be captured. Throws
// c10::Error.
void ClipGradients(at::TensorList gradients, double max_norm);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_CLIP_GRADIENTS_H_
