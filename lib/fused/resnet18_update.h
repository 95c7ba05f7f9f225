// The update of a ResNet-18 step: SGD over the flat arrays of parameters, range by range as their gradients come.
#ifndef LOCKSTEP_LIB_FUSED_RESNET18_UPDATE_H_
#define LOCKSTEP_LIB_FUSED_RESNET18_UPDATE_H_

#include "absl/status/status.h"
#include "lib/fused/gradient_sink.h"
#include "lib/fused/micro_batch.h"
#include "lib/fused/step_gradients.h"

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

// Queues SGD over a range for a whole step, on the stream that the gradients are ready on.
template <typename T>
absl::Status UpdateRange(const MicroBatch<T>& batch, const StepGradients& gradients);

// Queues what sends a step's last ranges, adds them up and does SGD over them, in one launch.
template <typename T>
absl::Status UpdateTogether(const MicroBatch<T>& batch, const TogetherGradients& gradients);

// The same as the sink of a step.
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

#endif  // LOCKSTEP_LIB_FUSED_RESNET18_UPDATE_H_
