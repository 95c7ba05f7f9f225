// How much memory a batch takes: what is known before, and what follows from ladders that were climbed.
//
// Predicted, by autograd: the network three times (weights, gradients, momentum), its buffers, and for each image what
// the forward pass keeps (lib/nn/activation_bytes.h). By the hand-written step: ResNet18Step::PredictBytes. Counted by
// neither: cuDNN's workspaces with autograd, what tuning tries, what the allocator rounds up, the CUDA context, and the
// test set of the evaluation.
#ifndef LOCKSTEP_LIB_TRAIN_MEMORY_H_
#define LOCKSTEP_LIB_TRAIN_MEMORY_H_

#include <cstdint>
#include <vector>

#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Which batch may be the largest that fits: the largest of these points, and as many more images as find room in what
// it left available (of its timed peak and its prediction the larger is taken), each of the bytes that the prediction
// adds for an image. 0: no two completed points with a prediction, of which the larger knows its peak and what was
// available.
uint32_t GuessLargestBatch(const std::vector<proto::SweepPoint>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_MEMORY_H_
