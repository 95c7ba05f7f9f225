// GradientNormUpdate: the update of a step with gradient clipping or with local learning rates per layer (LARS). Both
// need all gradient norms first. Hence SGD waits for the last gradient, and then runs layer by layer with factors that
// were computed on the device.
//
//   last range final  -->  sums of squares  -->  factors  -->  SGD, one launch per layer     all on the stream `tail`
//
// Steps with clipping or LARS have large batches, so the cost of the wait is neglected. The norms are those of
// the gradients that arrive here, so ranks whose sums are bitwise equal compute equal factors.
#ifndef LOCKSTEP_LIB_FUSED_GRADIENT_NORM_UPDATE_H_
#define LOCKSTEP_LIB_FUSED_GRADIENT_NORM_UPDATE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "lib/fused/device_arena.h"
#include "lib/fused/micro_batch.h"
#include "lib/fused/resnet_step_options.h"
#include "lib/fused/step_gradients.h"

namespace lockstep {

// Device memory for gradient norms and factors: 33 KB.
class GradientNormUpdateWorkspace {
 public:
  GradientNormUpdateWorkspace() = default;
  GradientNormUpdateWorkspace(const GradientNormUpdateWorkspace&) = delete;
  GradientNormUpdateWorkspace& operator=(const GradientNormUpdateWorkspace&) = delete;

  // Returns the bytes that Init would allocate; 0 if no gradient norms are needed.
  static size_t PredictBytes(const ResNetStepOptions& options);

  // Allocates the memory. Does nothing if no gradient norms are needed. Returns ResourceExhaustedError if it does not
  // fit.
  absl::Status Init(const ResNetStepOptions& options);
  size_t bytes() const { return arena_.bytes(); }

  // Arrays in the layouts of layer_squares.h and layer_factors.h. The layers are the units' weights, the fully
  // connected layer's weights, and finally all of `batch_norms` as one layer. `batch_norms` is clipped like the other
  // layers and has no local rate.
  double* gradient_squares = nullptr;
  double* weight_squares = nullptr;
  float* factors = nullptr;

 private:
  void TakeAll(const ResNetStepOptions& options);

  DeviceArena arena_;
};

// Sink of one step. T: float or __nv_bfloat16, the network's type.
template <typename T>
class GradientNormUpdate final : public StepSink {
 public:
  GradientNormUpdate(const MicroBatch<T>& batch, const GradientNormUpdateWorkspace& workspace)
      : batch_(batch), workspace_(workspace) {}

  // Only records where the gradient array begins.
  absl::Status Take(const StepGradients& gradients) override;
  absl::Status Finish() override;

 private:
  absl::Status TakeSquares() const;
  absl::Status MakeFactors() const;
  absl::Status UpdateLayers() const;

  const MicroBatch<T>& batch_;
  const GradientNormUpdateWorkspace& workspace_;
  GradientPointer weights_;  // first element of each gradient array
  GradientPointer batch_norms_;
  float scale_ = 1;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_GRADIENT_NORM_UPDATE_H_
