// Gradients scaled down to a norm, as torch.nn.utils.clip_grad_norm_ with its defaults does.
#ifndef LOCKSTEP_LIB_TRAIN_CLIP_GRADIENTS_H_
#define LOCKSTEP_LIB_TRAIN_CLIP_GRADIENTS_H_

#include <ATen/core/Tensor.h>

namespace lockstep {

// Multiplies all of them, in place, by min(1, most / (norm + 1e-6)), where norm is the 2-norm over all their numbers together.
// Tensors of one device, of which nothing is copied to the host: a captured step can hold this. Throws c10::Error.
void ClipGradients(at::TensorList gradients, double most);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_CLIP_GRADIENTS_H_
