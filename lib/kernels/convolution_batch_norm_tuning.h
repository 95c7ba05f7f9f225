// Finds the fastest way to compute a convolution and its batch norm's sums on this GPU: one kernel in one of several
// configurations (convolution_batch_norm.h), or two (convolution.h, batch_norm.h).
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_TUNING_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_TUNING_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/convolution_batch_norm.h"

namespace lockstep {

struct ConvolutionBatchNormTimes {
  struct Trial {
    ConvolutionBatchNormConfig config;
    double microseconds = 0;
  };
  double apart_microseconds = 0;                   // time of two kernels; 0: not requested
  std::vector<Trial> trials;                       // times of one kernel in each configuration
  std::optional<ConvolutionBatchNormConfig> best;  // nullopt: two kernels are faster
  // Times with the batch norm applied afterwards (backward: up to the gradient of its input), if requested:
  double apply_microseconds = 0;  // time of the kernel that applies the batch norm
  std::vector<Trial> applying;    // times of one kernel for everything, in each possible configuration
  std::optional<ConvolutionBatchNormConfig> best_applying;  // nullopt: a separate kernel that applies is faster
};

enum class TimedLaunches {
  kSums,                // convolution and sums of the batch norm
  kAlsoApplying,        // also launches that apply the batch norm
  kAlsoAddingResidual,  // the same; forward, the batch norm also adds a residual
};

enum class TimedPairs {
  kNo,   // no configuration whose pairs of blocks share weights
  kYes,  // all configurations
};

// Times the configurations on TunedShape(shape), forward or data gradient, with at most `multiprocessors` blocks. The
// baseline is a convolution that takes `apart_microseconds`, and a kernel for the sums; nullopt: no baseline.
// Allocates tensors of the pass's size on the GPU (one more for a residual, or if backward and applying) and frees them
// (timing: graph_timer.h). Returns no trials if there are no configurations, and CUDA's errors.
absl::StatusOr<ConvolutionBatchNormTimes> TuneConvolutionBatchNorm(ConvolutionContext& context,
                                                                   const ConvolutionShape& shape, ConvolutionPass pass,
                                                                   std::optional<double> apart_microseconds,
                                                                   uint32_t multiprocessors, TimedLaunches launches,
                                                                   TimedPairs pairs = TimedPairs::kYes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_BATCH_NORM_TUNING_H_
