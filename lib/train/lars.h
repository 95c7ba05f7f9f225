// Layer-wise adaptive rate scaling (LARS): You, Gitman and Ginsburg 2017, "Large Batch Training of Convolutional
// Networks", arXiv 1708.03888, equation 6 and algorithm 1. Each layer's step is a share of its weights' norm.
//
// The paper does not say what becomes of biases and batch norm. Implementations differ:
//
//   skip list    Weights of convolutions and fully connected layers have local rates and weight decay. Biases and batch
//                norm's scales and shifts have neither: momentum SGD at the global rate. So the reference code of You's
//                group (NUS-HPC-AI-Lab/LARS-ImageNet-PyTorch, lars.py, create_optimizer_lars with bn_bias_separately)
//                and TensorFlow's, if it is given the list that it names, ['batch_normalization', 'bias']
//                (tensorflow/models, official/modeling/optimization/lars.py).
//   every array  Biases and batch norm have local rates and weight decay, too: NVCaffe (SGDSolver::GetLocalRate).
//
// Implemented is the skip list. Rejected: every array, because a shift that is 0 has no norm to take a share of.
//
//   v = momentum * v + local * (g + weight_decay * w);   w = w - rate * v
//
// The local rate goes into v, as in algorithm 1. The global rate does not, as in torch.optim.SGD; in the paper it does,
// which differs in v only where the rate changes.
#ifndef LOCKSTEP_LIB_TRAIN_LARS_H_
#define LOCKSTEP_LIB_TRAIN_LARS_H_

#include <ATen/core/Tensor.h>

namespace lockstep {

// Returns whether the parameter has a local rate and weight decay. The weights that have are those of more than one
// dimension; biases and batch norm have one.
inline bool HasLocalRate(const at::Tensor& parameter) { return parameter.dim() > 1; }

// Makes of each gradient g, in place, local * (g + weight_decay * w), which SGD takes without a weight decay of its own:
//   local = trust * |w| / (|g| + weight_decay * |w|);   1 when |w| or |g| is 0
// with 2-norms over each tensor. `weights` and `gradients` must be as many, in pairs, on one device. Nothing is copied to
// the host, so that a captured step can hold this. Throws c10::Error.
void ScaleByLocalRates(at::TensorList weights, at::TensorList gradients, double trust, double weight_decay);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_LARS_H_
