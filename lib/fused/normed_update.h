// The update of a step whose gradients are clipped, or whose layers have local rates (LARS): norms over all gradients
// come first, so that SGD waits for the last of them, and then goes layer by layer with factors that were made on the
// device.
//
//   last range there  -->  sums of squares  -->  factors  -->  SGD, a launch for each layer       all on the lane `tail`
//
// Batches that want this are large: what the wait costs is not looked at. Norms are of the gradients as they come here,
// so that ranks whose sums are the same bits have the same factors.
#ifndef LOCKSTEP_LIB_FUSED_NORMED_UPDATE_H_
#define LOCKSTEP_LIB_FUSED_NORMED_UPDATE_H_

#include <cstddef>

#include "absl/status/status.h"
#include "lib/fused/device_arena.h"
#include "lib/fused/micro_batch.h"
#include "lib/fused/resnet18_step_options.h"
#include "lib/fused/step_gradients.h"

namespace lockstep {

// Device memory for norms and factors: 23 KB.
class NormedRoom {
 public:
  NormedRoom() = default;
  NormedRoom(const NormedRoom&) = delete;
  NormedRoom& operator=(const NormedRoom&) = delete;

  // Bytes that Init would take; 0 where no norms are wanted.
  static size_t PredictBytes(const ResNet18StepOptions& options);

  // Nothing where no norms are wanted. ResourceExhausted: it does not fit.
  absl::Status Init(const ResNet18StepOptions& options);
  size_t bytes() const { return arena_.bytes(); }

  // As layer_squares.h and layer_factors.h have them. The layers are the units' weights, the fully connected layer's, and
  // at the end all of `norms` as one, which is clipped with the others and has no local rate.
  double* gradient_squares = nullptr;
  double* weight_squares = nullptr;
  float* factors = nullptr;

 private:
  void TakeAll(const ResNet18StepOptions& options);

  DeviceArena arena_;
};

// The sink of one step. T: float or __nv_bfloat16, the network's type.
template <typename T>
class NormedUpdate final : public StepSink {
 public:
  NormedUpdate(const MicroBatch<T>& batch, const NormedRoom& room) : batch_(batch), room_(room) {}

  // Only notes where the array is.
  absl::Status Take(const StepGradients& gradients) override;
  absl::Status Finish() override;

 private:
  absl::Status TakeSquares() const;
  absl::Status MakeFactors() const;
  absl::Status UpdateLayers() const;

  const MicroBatch<T>& batch_;
  const NormedRoom& room_;
  GradientPointer weights_;  // where each array begins
  GradientPointer norms_;
  float scale_ = 1;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_NORMED_UPDATE_H_
