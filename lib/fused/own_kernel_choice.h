// Whether one of our kernels in bf16 takes the place of cuDNN's convolution, and in which way it is cut. Either they
// are timed against each other, or the likeliest of ours is taken untimed.
//
// Beside divided multiprocessors nothing is compared: cuDNN's launches take as many multiprocessors as they like, and
// would win a comparison with what is held to a part, and then stand in its way.
#ifndef LOCKSTEP_LIB_FUSED_OWN_KERNEL_CHOICE_H_
#define LOCKSTEP_LIB_FUSED_OWN_KERNEL_CHOICE_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/convolution_norm.h"
#include "lib/kernels/convolution_shape.h"
#include "lib/kernels/weight_gradient.h"

namespace lockstep {

// What a kernel of ours is to be chosen for.
struct OwnKernelQuestion {
  ConvolutionShape shape;
  uint32_t multiprocessors = 0;                    // that its launch may take
  bool autotune = true;                            // false: the likeliest, untimed
  std::optional<double> convolution_microseconds;  // what cuDNN's takes; none: ours in any case
};

// Our convolution and its batch norm in one kernel.
struct ConvolutionNormChoice {
  std::optional<ConvolutionNormConfig> with_sums;  // none: in two kernels
  std::optional<ConvolutionNormConfig> applied;    // with the batch norm applied as well; none: by another kernel
};

// `pass`: forward, or the data gradient. may_apply: whether `applied` is wanted; the choice of `with_sums` does not
// depend on it where nothing is timed. Errors: CUDA's.
absl::StatusOr<ConvolutionNormChoice> ChooseConvolutionNorm(ConvolutionContext& context,
                                                            const OwnKernelQuestion& question, ConvolutionPass pass,
                                                            bool may_apply);

// None: cuDNN's, or there is no way of ours. Errors: CUDA's.
absl::StatusOr<std::optional<WeightGradientConfig>> ChooseWeightGradient(ConvolutionContext& context,
                                                                         const OwnKernelQuestion& question);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_OWN_KERNEL_CHOICE_H_
