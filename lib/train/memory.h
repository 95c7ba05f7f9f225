// Memory of a batch: the prediction before training, and an estimate from points that were measured.
//
// Predicted for autograd: the network three times (weights, gradients, momentum), its buffers, and what the forward
// pass keeps per image (lib/nn/activation_bytes.h). The fused step has ResNetStep::PredictBytes. Neither prediction
// counts cuDNN's workspaces with autograd, buffers for tuning, the allocator's rounding, the CUDA context, and the
// images on which LibTorch evaluates. Images on which the fused step evaluates are counted
// (lib/fused/evaluation_images.h).
#ifndef LOCKSTEP_LIB_TRAIN_MEMORY_H_
#define LOCKSTEP_LIB_TRAIN_MEMORY_H_

#include <cstdint>
#include <vector>

#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns an estimate of the largest batch that fits: the batch of the largest completed point that has a prediction,
// plus the images that fit into the memory that this point left available. Its used memory is the larger of its timed
// peak and its prediction. Bytes per image are the slope of the predictions. Returns 0 if fewer than two completed
// points have a prediction, or if the largest has no timed peak or no available memory.
uint32_t GuessLargestBatch(const std::vector<proto::SweepPoint>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_MEMORY_H_
