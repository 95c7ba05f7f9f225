// Batch norms in eval mode as one scale and one shift per channel.
#ifndef LOCKSTEP_LIB_FUSED_FOLD_BATCH_NORMS_H_
#define LOCKSTEP_LIB_FUSED_FOLD_BATCH_NORMS_H_

#include <vector>

#include "lib/fused/resnet_units.h"

namespace lockstep {

// Returns (2, channels): scale = gamma / sqrt(running variance + epsilon) of all channels of the network, then shift =
// beta - running mean * scale. A batch norm with running statistics is scale * x + shift. `batch_norms` and `running`
// must have the layout and the lengths of resnet_units.h.
std::vector<float> FoldBatchNorms(const ResNetUnits& net, const std::vector<float>& batch_norms,
                                  const std::vector<float>& running, float epsilon);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_FOLD_BATCH_NORMS_H_
