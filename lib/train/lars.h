// Layer-wise adaptive rate scaling (LARS): You, Gitman and Ginsburg 2017, "Large Batch Training of Convolutional
// Networks", arXiv 1708.03888, equation 6 and algorithm 1. Each layer's step is proportional to the norm of its
// weights.
//
// The paper does not define the treatment of biases and batch norm. Implementations differ:
//
//   skip list    Weights of convolutions and fully connected layers have local rates and weight decay. Biases and batch
//                norm's scales and shifts have neither: momentum SGD at the global rate. Examples: the reference code
//                of You's group (NUS-HPC-AI-Lab/LARS-ImageNet-PyTorch, lars.py, create_optimizer_lars with
//                bn_bias_separately), and TensorFlow if it gets the list that it names, ['batch_normalization', 'bias']
//                (tensorflow/models, official/modeling/optimization/lars.py).
//   every array  Biases and batch norm have local rates and weight decay, too: NVCaffe (SGDSolver::GetLocalRate).
//
// The skip list is implemented. Every array was rejected, because a shift that is 0 has no norm to scale by.
//
//   v = momentum * v + local * (g + weight_decay * w);   w = w - rate * v
//
// The local rate is part of v, as in algorithm 1. The global rate is not, as in torch.optim.SGD; in the paper it
// is. The difference in v exists only when the rate changes.
#ifndef LOCKSTEP_LIB_TRAIN_LARS_H_
#define LOCKSTEP_LIB_TRAIN_LARS_H_

#include <ATen/core/Tensor.h>

namespace lockstep {

// Returns true if the parameter has a local rate and weight decay: only weights of more than one dimension do. Biases
// and batch norm have one dimension.
inline bool HasLocalRate(const at::Tensor& parameter) { return parameter.dim() > 1; }

// Replaces each gradient g in place by local * (g + weight_decay * w), for an SGD step without weight decay of its own:
//   local = trust * |w| / (|g| + weight_decay * |w|);   1 if |w| or |g| is 0
// with the 2-norm of each tensor. `weights` and `gradients` must be pairs, on one device. Copies nothing to the host,
// so a step that does this can be captured. Throws c10::Error.
void ScaleByLocalRates(at::TensorList weights, at::TensorList gradients, double trust, double weight_decay);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_LARS_H_
