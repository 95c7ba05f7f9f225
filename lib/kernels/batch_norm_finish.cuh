// Computes one channel's results from the sums over all rows: the statistics forward, the gradients backward.
#ifndef LOCKSTEP_LIB_KERNELS_BATCH_NORM_FINISH_CUH_
#define LOCKSTEP_LIB_KERNELS_BATCH_NORM_FINISH_CUH_

#include "lib/kernels/batch_norm.h"

namespace lockstep {
namespace batch_norm {

// Two sums of one channel over rows.
struct alignas(8) Sums {  // both are loaded and stored at once
  float a;
  float b;
};

// Computes the statistics from the sums of x - running_mean (the value before the update) and of its square. Must be
// constructed early, so that its four loads have arrived when the sums are complete.
class ForwardFinish {
 public:
  __device__ ForwardFinish(const BatchNormParameters& parameters, uint32_t channel)
      : channel_(channel), old_mean_(parameters.running_mean[channel]), old_var_(parameters.running_var[channel]),
        gamma_(parameters.gamma[channel]), beta_(parameters.beta[channel]) {}

  // Coefficients of y before the ReLU: y = scale * x + shift.
  struct Applied {
    float scale, shift;
  };

  // Returns the coefficients. `store`: also writes the state and the running statistics.
  __device__ Applied Finish(const Sums& total, uint32_t row_count, const BatchNormParameters& parameters,
                            const BatchNormState& state, bool store = true) const {
    const float rows = static_cast<float>(row_count);
    const float moved_mean = total.a / rows;
    const float variance = fmaxf(total.b / rows - moved_mean * moved_mean, 0.0f);
    const float mean = old_mean_ + moved_mean;
    const float inv_std = rsqrtf(variance + parameters.epsilon);
    const float scale = gamma_ * inv_std;
    const Applied applied = {scale, beta_ - mean * scale};
    if (!store) {
      return applied;
    }
    state.mean[channel_] = mean;
    state.inv_std[channel_] = inv_std;
    state.scale[channel_] = applied.scale;
    state.shift[channel_] = applied.shift;
    parameters.running_mean[channel_] = old_mean_ + parameters.momentum * moved_mean;
    const float unbiased = variance * (rows / (rows - 1));
    parameters.running_var[channel_] = old_var_ + parameters.momentum * (unbiased - old_var_);
    return applied;
  }

 private:
  uint32_t channel_;
  float old_mean_, old_var_, gamma_, beta_;
};

// Computes the gradients from the sums of g and of g * (x - mean).
class BackwardFinish {
 public:
  __device__ BackwardFinish(const BatchNormState& state, uint32_t channel)
      : channel_(channel), inv_std_(state.inv_std[channel]), on_g_(state.scale[channel]), mean_(state.mean[channel]) {}

  // Coefficients of dx = on_g * g + on_x * x + constant.
  struct Applied {
    float on_g, on_x, constant;
  };

  // Returns the coefficients of dx = scale * (g - dbeta / rows - (x - mean) * inv_std * dgamma / rows). `store`: also
  // writes the gradients.
  __device__ Applied Finish(const Sums& total, uint32_t row_count, const BatchNormGradients& gradients,
                            bool store = true) const {
    const float rows = static_cast<float>(row_count);
    const float dbeta = total.a;
    const float dgamma = total.b * inv_std_;
    const float on_x = -on_g_ * inv_std_ * dgamma / rows;
    const Applied applied = {on_g_, on_x, -on_g_ * dbeta / rows - on_x * mean_};
    if (!store) {
      return applied;
    }
    gradients.dbeta[channel_] = dbeta;
    gradients.dgamma[channel_] = dgamma;
    gradients.on_g[channel_] = applied.on_g;
    gradients.on_x[channel_] = applied.on_x;
    gradients.constant[channel_] = applied.constant;
    return applied;
  }

 private:
  uint32_t channel_;
  float inv_std_, on_g_, mean_;
};

}  // namespace batch_norm
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_BATCH_NORM_FINISH_CUH_
