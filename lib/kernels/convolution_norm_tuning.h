// Finds the fastest way on this GPU to compute a convolution together with the sums of its batch norm: one kernel in
// one of several configurations (convolution_norm.h), or two kernels (convolution.h, batch_norm.h).
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_TUNING_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_TUNING_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/convolution_norm.h"

namespace lockstep {

struct ConvolutionNormTimes {
  struct Trial {
    ConvolutionNormConfig config;
    double microseconds = 0;
  };
  double apart_microseconds = 0;              // time of two kernels; 0: not requested
  std::vector<Trial> trials;                  // times of one kernel in each configuration
  std::optional<ConvolutionNormConfig> best;  // nullopt: two kernels are faster
  // Times with the batch norm applied afterwards (backward: up to the gradient of its input), if requested:
  double apply_microseconds = 0;  // time of the kernel that applies the batch norm
  std::vector<Trial> applying;    // times of one kernel for everything, in each possible configuration
  std::optional<ConvolutionNormConfig> best_applying;  // nullopt: a separate kernel that applies is faster
};

// Times all configurations on TunedShape(shape), forward or data gradient, with at most `multiprocessors` blocks. The
// baseline is a convolution that takes `apart_microseconds` by itself, followed by a kernel for the sums; with nullopt
// our kernel always wins. With `applying`, also times launches that apply the batch norm. Allocates tensors of the
// pass's size on the GPU (one more if backward and `applying`), times (graph_timer.h) and frees them. Returns no trials
// if ConvolutionNormConfigs is empty. Returns CUDA's errors.
absl::StatusOr<ConvolutionNormTimes> TuneConvolutionNorm(ConvolutionContext& context, const ConvolutionShape& shape,
                                                         ConvolutionPass pass, std::optional<double> apart_microseconds,
                                                         uint32_t multiprocessors, bool applying);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_TUNING_H_
