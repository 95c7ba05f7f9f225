// Which way of a convolution's weight gradient is the fastest on this GPU: our kernel, cut in one of several ways
// (weight_gradient.h), or cuDNN's (convolution.h).
#ifndef LOCKSTEP_LIB_KERNELS_WEIGHT_GRADIENT_TUNING_H_
#define LOCKSTEP_LIB_KERNELS_WEIGHT_GRADIENT_TUNING_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/weight_gradient.h"

namespace lockstep {

struct WeightGradientTimes {
  struct Trial {
    WeightGradientConfig config;
    double microseconds = 0;
  };
  std::vector<Trial> trials;
  std::optional<WeightGradientConfig> best;  // none: the other way is faster
};

// All of TunedShape(shape), by at most `multiprocessors` blocks, beside a way that takes `other_microseconds` (none:
// ours in any case). Allocates tensors of the pass's size on the GPU, times (graph_timer.h) and frees them. No trials
// where WeightGradientConfigs has none. Errors: CUDA's.
absl::StatusOr<WeightGradientTimes> TuneWeightGradient(ConvolutionContext& context, const ConvolutionShape& shape,
                                                       std::optional<double> other_microseconds,
                                                       uint32_t multiprocessors);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_WEIGHT_GRADIENT_TUNING_H_
