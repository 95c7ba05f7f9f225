// Plan of a ResNet step for one number of images: the implementation of each pass of each unit, with its engine or
// configuration. Chosen once, by timing unless the options disable it; queueing a step decides nothing.
#ifndef LOCKSTEP_LIB_FUSED_RESNET_PLAN_H_
#define LOCKSTEP_LIB_FUSED_RESNET_PLAN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/fused/gradient_schedule.h"
#include "lib/fused/partial_buffers.h"
#include "lib/fused/resnet_step_options.h"
#include "lib/fused/resnet_units.h"
#include "lib/fused/step_streams.h"
#include "lib/fused/unit_backward.h"
#include "lib/fused/unit_forward.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/classifier.h"

namespace lockstep {

// T: float or __nv_bfloat16.
template <typename T>
struct UnitPlan {
  std::shared_ptr<const UnitForward<T>> forward;
  std::shared_ptr<const UnitDataGradient<T>> data_gradient;  // null: the stem, whose input needs no gradient
  // Alternative to a data gradient that also applies the batch norm below; null: data_gradient does not apply it.
  std::shared_ptr<const UnitDataGradient<T>> data_gradient_with_sums;
  std::shared_ptr<const UnitWeightGradient<T>> weight_gradient;
  BatchNormShape batch_norm;  // batch norm after the convolution; `launch`: how its kernels are launched
  BatchNormLaunch launch;
};

template <typename T>
struct BatchPlan {
  uint32_t images = 0;
  bool partitioned = false;  // true: the backward pass partitions the SMs (sm_partition.h)
  std::vector<UnitPlan<T>> units;
  // True if the stem's weight gradient is computed directly from the gradient of its batch norm's output
  // (stem_gradient.h), instead of by units[0].weight_gradient. bf16 only.
  bool stem_from_batch_norm = false;
  ClassifierShape classifier;
  GradientSchedule gradients;
};

// Plans for `images` at a time. Times engines and our kernels (slow), and grows the workspaces of `streams` and
// `partial_buffers` to fit the choice. `multiprocessors`: SMs of the GPU. Returns the errors of Convolution::Plan and
// of CUDA.
template <typename T>
absl::StatusOr<BatchPlan<T>> PlanBatch(const ResNetStepOptions& options, const ResNetUnits& net, uint32_t images,
                                       uint32_t multiprocessors, StepStreams& streams, PartialBuffers& partial_buffers);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET_PLAN_H_
