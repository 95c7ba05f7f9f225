// What each unit of a ResNet-18 step does for one number of images: which way of each of its passes, with which engine
// or cut. Chosen once, by timing unless told otherwise; queueing a step asks the plan and decides nothing.
#ifndef LOCKSTEP_LIB_FUSED_RESNET18_PLAN_H_
#define LOCKSTEP_LIB_FUSED_RESNET18_PLAN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/fused/gradient_schedule.h"
#include "lib/fused/part_rooms.h"
#include "lib/fused/resnet18_step_options.h"
#include "lib/fused/resnet18_units.h"
#include "lib/fused/step_lanes.h"
#include "lib/fused/unit_backward.h"
#include "lib/fused/unit_forward.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/classifier.h"

namespace lockstep {

// T: float or __nv_bfloat16.
template <typename T>
struct UnitPlan {
  std::shared_ptr<const UnitForward<T>> forward;
  std::shared_ptr<const UnitDataGradient<T>> data_gradient;  // null: the stem's input wants none
  std::shared_ptr<const UnitWeightGradient<T>> weight_gradient;
  BatchNormShape norm;  // the batch norm behind the convolution, and how its kernels are launched
  BatchNormLaunch launch;
};

template <typename T>
struct BatchPlan {
  uint32_t images = 0;
  bool divided = false;  // backward, the multiprocessors are divided (multiprocessor_shares.h)
  std::vector<UnitPlan<T>> units;
  // The stem's weight gradient straight from the gradient of its batch norm's output (stem_gradient.h), in the place of
  // units[0].weight_gradient. bf16.
  bool stem_from_norm = false;
  ClassifierShape classifier;
  GradientSchedule gradients;
};

// For `images` at a time. Times engines and our ways (slow), and has lanes and rooms make room for what was chosen.
// multiprocessors: the GPU's. Errors: those of Convolution::Plan, and CUDA's.
template <typename T>
absl::StatusOr<BatchPlan<T>> PlanBatch(const ResNet18StepOptions& options, const ResNet18Units& net, uint32_t images,
                                       uint32_t multiprocessors, StepLanes& lanes, PartRooms& part_rooms);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET18_PLAN_H_
