// Update of a ResNet step: SGD over the flat parameter arrays, range by range as the gradients become final.
#ifndef LOCKSTEP_LIB_FUSED_RESNET_UPDATE_H_
#define LOCKSTEP_LIB_FUSED_RESNET_UPDATE_H_

#include "absl/status/status.h"
#include "lib/fused/gradient_sink.h"
#include "lib/fused/micro_batch.h"
#include "lib/fused/step_gradients.h"

namespace lockstep {

// Sink of one micro-batch: queues one launch per range, on the stream on which the range is ready. T: float or
// __nv_bfloat16.
template <typename T>
class SgdUpdate final : public GradientSink {
 public:
  explicit SgdUpdate(const MicroBatch<T>& batch) : batch_(batch) {}

  absl::Status Ready(const ReadyGradients& ready) override;

 private:
  const MicroBatch<T>& batch_;
};

// Queues SGD over a range for a whole step, on the stream on which the gradients are ready.
template <typename T>
absl::Status UpdateRange(const MicroBatch<T>& batch, const StepGradients& gradients);

// Queues one launch that sends a step's last ranges, adds them up and runs SGD over them.
template <typename T>
absl::Status UpdateTogether(const MicroBatch<T>& batch, const TogetherGradients& gradients);

// Sink of a whole step: queues these launches.
template <typename T>
class StepSgdUpdate final : public StepSink {
 public:
  explicit StepSgdUpdate(const MicroBatch<T>& batch) : batch_(batch) {}

  absl::Status Take(const StepGradients& gradients) override { return UpdateRange(batch_, gradients); }
  bool AddsRanks() const override { return true; }
  absl::Status TakeTogether(const TogetherGradients& gradients) override { return UpdateTogether(batch_, gradients); }

 private:
  const MicroBatch<T>& batch_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET_UPDATE_H_
