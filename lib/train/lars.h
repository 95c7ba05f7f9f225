// Layer-wise adaptive rate scaling: You, Gitman and Ginsburg 2017, "Large Batch Training of Convolutional Networks",
// arXiv 1708.03888, equation 6 and algorithm 1. Each layer's step is a share of its weights' norm.
#ifndef LOCKSTEP_LIB_TRAIN_LARS_H_
#define LOCKSTEP_LIB_TRAIN_LARS_H_

#include <ATen/core/Tensor.h>

namespace lockstep {

// Whether the rule holds for this parameter: weights of convolutions and of fully connected layers, which have more than
// one dimension. Biases and batch norms are left to plain SGD.
inline bool HasLocalRate(const at::Tensor& parameter) { return parameter.dim() > 1; }

// Makes of each gradient g, in place, local * (g + weight_decay * w), which SGD takes without a weight decay of its own:
//   local = trust * |w| / (|g| + weight_decay * |w|);   1 when |w| or |g| is 0
// with 2-norms over each tensor. weights and gradients: as many, in pairs, of one device, of which nothing is copied to the
// host: a captured step can hold this. Throws c10::Error.
void ScaleByLocalRates(at::TensorList weights, at::TensorList gradients, double trust, double weight_decay);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_LARS_H_
