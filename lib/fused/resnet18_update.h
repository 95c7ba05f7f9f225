// The update of a ResNet-18 step: SGD over the flat arrays of parameters, range by range as their gradients come.
#ifndef LOCKSTEP_LIB_FUSED_RESNET18_UPDATE_H_
#define LOCKSTEP_LIB_FUSED_RESNET18_UPDATE_H_

#include "absl/status/status.h"
#include "lib/fused/gradient_sink.h"
#include "lib/fused/micro_batch.h"

namespace lockstep {

// The sink of one micro-batch: queues one launch for each range, on the stream that the range is ready on. T: float or
// __nv_bfloat16.
template <typename T>
class SgdUpdate final : public GradientSink {
 public:
  explicit SgdUpdate(const MicroBatch<T>& batch) : batch_(batch) {}

  absl::Status Ready(const ReadyGradients& ready) override;

 private:
  const MicroBatch<T>& batch_;
};

// Queues SGD over a range for a whole step, on ready.stream, with `scale` times the gradients that lie at `gradient`, which
// is where the range's first element is. G: float or __nv_bfloat16.
template <typename G, typename T>
absl::Status UpdateWeightRange(const MicroBatch<T>& batch, const ReadyGradients& ready, const G* gradient, float scale);
template <typename T>
absl::Status UpdateNormRange(const MicroBatch<T>& batch, const ReadyGradients& ready, const float* gradient,
                             float scale);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET18_UPDATE_H_
