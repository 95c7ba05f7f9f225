// Reference implementation of batch_norm.h: the same formulas as loops on the host, in double.
#ifndef LOCKSTEP_LIB_KERNELS_BATCH_NORM_REFERENCE_H_
#define LOCKSTEP_LIB_KERNELS_BATCH_NORM_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "lib/kernels/batch_norm.h"

namespace lockstep {

// Values of shape (rows, channels), row by row, or (channels).
using Values = std::vector<double>;

struct BatchNormStatisticsReference {
  Values mean, variance, inv_std, scale, shift;  // (channels); the variance is biased
  Values running_mean, running_var;              // values after the update
};
BatchNormStatisticsReference ReferenceStatistics(const BatchNormShape& shape, const Values& x, const Values& gamma,
                                                 const Values& beta, const Values& running_mean,
                                                 const Values& running_var, double momentum, double epsilon);

// Returns scale * x + shift + residual_scale * residual + residual_shift, before the ReLU. Empty vectors: no residual;
// a scale of 1 and a shift of 0.
Values ReferenceApply(const BatchNormShape& shape, const Values& x, const Values& scale, const Values& shift,
                      const Values& residual, const Values& residual_scale, const Values& residual_shift);

struct BatchNormReduceReference {
  Values dgamma, dbeta, on_g, on_x, constant;  // (channels)
};
// Computes the results of the reduce kernel. g: the gradient before the ReLU.
BatchNormReduceReference ReferenceBackwardReduce(const BatchNormShape& shape, const Values& x, const Values& g,
                                                 const Values& mean, const Values& inv_std, const Values& scale);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_BATCH_NORM_REFERENCE_H_
