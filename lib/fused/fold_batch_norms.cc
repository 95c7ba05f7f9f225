#include "lib/fused/fold_batch_norms.h"

#include <cmath>
#include <cstddef>

namespace lockstep {

std::vector<float> FoldBatchNorms(const ResNetUnits& net, const std::vector<float>& batch_norms,
                                  const std::vector<float>& running, float epsilon) {
  const size_t channels = net.channel_count;
  std::vector<float> folded(2 * channels);
  for (size_t c = 0; c < channels; ++c) {
    const double gamma = batch_norms[c], beta = batch_norms[channels + c];
    const double mean = running[c], variance = running[channels + c];
    const double scale = gamma / std::sqrt(variance + epsilon);
    folded[c] = static_cast<float>(scale);
    folded[channels + c] = static_cast<float>(beta - mean * scale);
  }
  return folded;
}

}  // namespace lockstep
