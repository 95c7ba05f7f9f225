// Which way of a convolution and its batch norm's sums is the fastest on this GPU: one kernel, cut in one of several
// ways (convolution_norm.h), or two (convolution.h, batch_norm.h).
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
  double apart_microseconds = 0;              // of two kernels; 0: not asked for
  std::vector<Trial> trials;                  // of one, each way
  std::optional<ConvolutionNormConfig> best;  // none: two kernels are faster
  // With the batch norm applied behind it, backward to its input, if asked for:
  double apply_microseconds = 0;                       // of the kernel that applies it
  std::vector<Trial> applying;                         // of one kernel for all, each way that can be
  std::optional<ConvolutionNormConfig> best_applying;  // none: the above and a kernel that applies are faster
};

// All of TunedShape(shape), forward or data gradient, by at most `multiprocessors` blocks, beside a convolution that
// takes `apart_microseconds` by itself (none: ours in any case). Allocates tensors of the pass's size on the GPU, times (graph_timer.h) and frees
// them: backward one more where `applying`, launches that apply the batch norm, too, is asked for. No trials where ConvolutionNormConfigs has none. Errors: CUDA's.
absl::StatusOr<ConvolutionNormTimes> TuneConvolutionNorm(ConvolutionContext& context, const ConvolutionShape& shape,
                                                         ConvolutionPass pass, std::optional<double> apart_microseconds,
                                                         uint32_t multiprocessors, bool applying);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_NORM_TUNING_H_
