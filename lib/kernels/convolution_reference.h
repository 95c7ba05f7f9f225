// Reference implementation of convolution.h: a convolution and its gradients by definition, as loops on the host in
// double.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_REFERENCE_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_REFERENCE_H_

#include <cstddef>

#include "lib/kernels/convolution_shape.h"

namespace lockstep {

// Computes `out`. a, b, out: see ConvolutionPass, with the sizes of CountOperands. T: float, double or __nv_bfloat16.
template <typename T>
void ConvolutionReference(const ConvolutionShape& shape, ConvolutionPass pass, const T* a, const T* b, double* out);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_REFERENCE_H_
