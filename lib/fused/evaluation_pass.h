// Forward pass of an evaluation: batch norms have their running statistics, and images are not augmented. It uses the
// plan, the memory and the convolutions of a training step, and runs on one stream.
#ifndef LOCKSTEP_LIB_FUSED_EVALUATION_PASS_H_
#define LOCKSTEP_LIB_FUSED_EVALUATION_PASS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "lib/fused/evaluation_images.h"
#include "lib/fused/micro_batch.h"

namespace lockstep {

// Queues the evaluation of the next `count` images, at most batch.plan.images, on `main`; ResNetBuffers::
// BeginEvaluation must precede the first. Adds to the evaluation's counts. The convolutions always compute a whole
// batch; results after the first `count` are not used. T: float or __nv_bfloat16.
template <typename T>
absl::Status EnqueueEvaluation(const MicroBatch<T>& batch, const EvaluationImages& images, uint32_t count,
                               EvaluatedViews views);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_EVALUATION_PASS_H_
