// Finds the fastest way on this GPU to compute a convolution's weight gradient: our kernel in one of several
// configurations (weight_gradient.h), or cuDNN (convolution.h).
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
  std::optional<WeightGradientConfig> best;  // nullopt: the baseline is faster
};

// Times all configurations on TunedShape(shape), with at most `multiprocessors` blocks. The baseline takes
// `other_microseconds`; nullopt: no baseline. Allocates tensors of the pass's size on the GPU and frees them (timing:
// graph_timer.h). Returns no trials if there are no configurations, and CUDA's errors.
absl::StatusOr<WeightGradientTimes> TuneWeightGradient(ConvolutionContext& context, const ConvolutionShape& shape,
                                                       std::optional<double> other_microseconds,
                                                       uint32_t multiprocessors);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_WEIGHT_GRADIENT_TUNING_H_
