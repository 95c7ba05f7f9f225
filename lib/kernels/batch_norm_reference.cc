#include "lib/kernels/batch_norm_reference.h"

#include <cmath>

namespace lockstep {

BatchNormStatisticsReference ReferenceStatistics(const BatchNormShape& shape, const Values& x, const Values& gamma,
                                                 const Values& beta, const Values& running_mean,
                                                 const Values& running_var, double momentum, double epsilon) {
  const uint32_t channels = shape.channels;
  const double rows = shape.rows;
  BatchNormStatisticsReference result;
  for (uint32_t c = 0; c < channels; ++c) {
    double sum = 0;
    for (uint32_t row = 0; row < shape.rows; ++row) {
      sum += x[row * channels + c];
    }
    const double mean = sum / rows;
    double square_sum = 0;
    for (uint32_t row = 0; row < shape.rows; ++row) {
      square_sum += (x[row * channels + c] - mean) * (x[row * channels + c] - mean);
    }
    const double variance = square_sum / rows;
    const double inv_std = 1 / std::sqrt(variance + epsilon);
    result.mean.push_back(mean);
    result.variance.push_back(variance);
    result.inv_std.push_back(inv_std);
    result.scale.push_back(gamma[c] * inv_std);
    result.shift.push_back(beta[c] - mean * gamma[c] * inv_std);
    result.running_mean.push_back((1 - momentum) * running_mean[c] + momentum * mean);
    result.running_var.push_back((1 - momentum) * running_var[c] + momentum * square_sum / (rows - 1));
  }
  return result;
}

Values ReferenceApply(const BatchNormShape& shape, const Values& x, const Values& scale, const Values& shift,
                      const Values& residual, const Values& residual_scale, const Values& residual_shift) {
  Values y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t c = i % shape.channels;
    y[i] = scale[c] * x[i] + shift[c];
    if (!residual.empty()) {
      y[i] += residual_scale.empty() ? residual[i] : residual_scale[c] * residual[i] + residual_shift[c];
    }
  }
  return y;
}

BatchNormReduceReference ReferenceBackwardReduce(const BatchNormShape& shape, const Values& x, const Values& g,
                                                 const Values& mean, const Values& inv_std, const Values& scale) {
  BatchNormReduceReference result;
  for (uint32_t c = 0; c < shape.channels; ++c) {
    double g_sum = 0;
    double gx_sum = 0;
    for (size_t i = c; i < x.size(); i += shape.channels) {
      g_sum += g[i];
      gx_sum += g[i] * (x[i] - mean[c]) * inv_std[c];
    }
    const double on_x = -scale[c] * inv_std[c] * gx_sum / shape.rows;
    result.dgamma.push_back(gx_sum);
    result.dbeta.push_back(g_sum);
    result.on_g.push_back(scale[c]);
    result.on_x.push_back(on_x);
    result.constant.push_back(-scale[c] * g_sum / shape.rows - on_x * mean[c]);
  }
  return result;
}

}  // namespace lockstep
