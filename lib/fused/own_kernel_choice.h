// Choice between our bf16 kernels and cuDNN's convolution, and of the configuration of ours. Either the candidates are
// timed, or the likeliest of ours is taken untimed.
//
// With partitioned SMs, nothing is compared. cuDNN's launches take as many SMs as they like: they would win the
// comparison with kernels that are limited to a part, and then delay the concurrent launches.
#ifndef LOCKSTEP_LIB_FUSED_OWN_KERNEL_CHOICE_H_
#define LOCKSTEP_LIB_FUSED_OWN_KERNEL_CHOICE_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/convolution_batch_norm.h"
#include "lib/kernels/convolution_shape.h"
#include "lib/kernels/weight_gradient.h"

namespace lockstep {

// Convolution for which one of our kernels is to be chosen.
struct OwnKernelQuestion {
  ConvolutionShape shape;
  uint32_t multiprocessors = 0;                    // SMs that its launch may take
  bool autotune = true;                            // false: takes the likeliest, untimed
  std::optional<double> convolution_microseconds;  // time of cuDNN's convolution; nullopt: ours in any case
  bool paired_weights = true;                      // also times convolutions whose pairs of blocks share weights
};

// Configurations of our kernel for a convolution and its batch norm.
struct ConvolutionBatchNormChoice {
  std::optional<ConvolutionBatchNormConfig> with_sums;  // computes the batch norm's sums, too; nullopt: two kernels
  std::optional<ConvolutionBatchNormConfig> applied;    // applies the batch norm, too; nullopt: another kernel does
};

// Chooses for `pass`, which must be forward or data gradient. `may_apply`: also chooses `applied`; if nothing is timed,
// the choice of `with_sums` does not depend on it. Returns CUDA's errors.
absl::StatusOr<ConvolutionBatchNormChoice> ChooseConvolutionBatchNorm(ConvolutionContext& context,
                                                                      const OwnKernelQuestion& question,
                                                                      ConvolutionPass pass, bool may_apply);

// Returns nullopt if cuDNN's is chosen or our kernel does not support the shape. Returns CUDA's errors.
absl::StatusOr<std::optional<WeightGradientConfig>> ChooseWeightGradient(ConvolutionContext& context,
                                                                         const OwnKernelQuestion& question);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_OWN_KERNEL_CHOICE_H_
