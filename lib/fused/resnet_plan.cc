#include "lib/fused/resnet_plan.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/multiprocessors.h"
#include "lib/fused/own_kernel_choice.h"
#include "lib/fused/sm_partition.h"
#include "lib/kernels/convolution.h"
#include "lib/kernels/convolution_batch_norm.h"
#include "lib/kernels/weight_gradient.h"

namespace lockstep {
namespace {

template <typename T>
constexpr bool kIsBf16 = std::is_same_v<T, __nv_bfloat16>;

// Returns InvalidArgumentError if the SMs of some layers are given but cannot have these parts.
absl::Status CheckPartition(const ResNetStepOptions& options, uint32_t images, bool partitioned) {
  if (!options.layer_sms.empty() && !partitioned) {
    return absl::InvalidArgumentError(
        absl::StrCat("SM partition: expected a step in bf16 on Hopper, with a second stream, divided multiprocessors, ",
                     "at most ", kMaxPartitionedBatch, " images of ", kPartitionedImageSize, "x", kPartitionedImageSize,
                     ", found another one of ", images, " images; other SMs of a layer have no effect there"));
  }
  return CheckLayerSms(options.layer_sms, images);
}

// Returns the time that one of our kernels must beat. Returns nullopt with partitioned SMs: cuDNN's launches take as
// many as they like, and would win a comparison with a kernel that is limited to a part.
std::optional<double> TimeToBeat(const SmPartition& partition, const Convolution& cudnn) {
  return partition.partitioned ? std::nullopt : std::optional(cudnn.microseconds());
}

template <typename T>
class Planner {
 public:
  Planner(const ResNetStepOptions& options, uint32_t images, uint32_t multiprocessors, StepStreams& streams,
          PartialBuffers& partial_buffers)
      : options_(options), images_(images), multiprocessors_(multiprocessors), streams_(streams),
        partial_buffers_(partial_buffers) {}

  bool partitions_sms() const {
    return options_.divide_multiprocessors && options_.two_streams && kIsBf16<T> && hopper_ != 0 &&
           images_ <= kMaxPartitionedBatch && options_.image_size == kPartitionedImageSize;
  }
  // Returns the SMs of the backward pass, during which gradients are exchanged; 0 if `hopper_` is 0.
  uint32_t backward_multiprocessors() const {
    const uint32_t taken = options_.exchange != nullptr ? options_.exchange->max_multiprocessors() : 0;
    return hopper_ > taken ? hopper_ - taken : hopper_;
  }

  absl::StatusOr<UnitPlan<T>> PlanUnit(const ConvolutionUnit& unit);

 private:
  ConvolutionShape Shape(const ConvolutionUnit& unit) const {
    return {images_, unit.matrix_channels, unit.in_size, unit.out_channels, unit.matrix_filter, unit.stride};
  }
  SmPartition Partition(const ConvolutionUnit& unit) const {
    return partitions_sms() ? PartitionSms(unit, images_, backward_multiprocessors(), options_.layer_sms)
                            : SmPartition{.data_gradient = hopper_, .weight_gradient = hopper_, .shortcut = hopper_};
  }
  // All weights are complete when the step's first convolution stops waiting for the previous launch, and SGD changes
  // them only after the last launch that reads them. Hence all convolutions but the first may read weights early. In
  // the backward pass other streams need the SMs that the next launch would occupy.
  ConvolutionOverlap Overlap(const ConvolutionUnit& unit, ConvolutionPass pass) const {
    return {.weights_ahead = options_.early_weights && unit.weight != 0,
            .next_early = options_.early_next && pass == ConvolutionPass::kForward};
  }
  // Returns the largest number of SMs for our weight gradient of the unit.
  uint32_t WeightGradientSms(const ConvolutionUnit& unit) const {
    const SmPartition partition = Partition(unit);
    return unit.is_shortcut() ? partition.shortcut : partition.weight_gradient;
  }

  absl::StatusOr<std::unique_ptr<const Convolution>> PlanConvolution(const ConvolutionUnit& unit, ConvolutionPass pass);
  absl::StatusOr<std::shared_ptr<const UnitWeightGradient<T>>> PlanWeightGradient(
      const ConvolutionUnit& unit, std::unique_ptr<const Convolution> convolution);
  absl::StatusOr<std::shared_ptr<const UnitForward<T>>> PlanForward(const ConvolutionUnit& unit,
                                                                    const UnitPlan<T>& plan,
                                                                    std::unique_ptr<const Convolution> convolution);
  absl::Status PlanDataGradient(const ConvolutionUnit& unit, std::unique_ptr<const Convolution> convolution,
                                UnitPlan<T>& plan);

  const ResNetStepOptions& options_;
  const uint32_t images_;
  const uint32_t multiprocessors_;
  const uint32_t hopper_ = HopperMultiprocessors();  // SMs of the GPU; 0: our bf16 kernels do not run on it
  StepStreams& streams_;
  PartialBuffers& partial_buffers_;
};

template <typename T>
absl::StatusOr<UnitPlan<T>> Planner<T>::PlanUnit(const ConvolutionUnit& unit) {
  std::unique_ptr<const Convolution> forward, data_gradient, weight_gradient;
  ASSIGN_OR_RETURN(forward, PlanConvolution(unit, ConvolutionPass::kForward));
  if (unit.weight != 0) {
    ASSIGN_OR_RETURN(data_gradient, PlanConvolution(unit, ConvolutionPass::kDataGradient));
  }
  ASSIGN_OR_RETURN(weight_gradient, PlanConvolution(unit, ConvolutionPass::kWeightGradient));
  UnitPlan<T> plan;
  ASSIGN_OR_RETURN(plan.weight_gradient, PlanWeightGradient(unit, std::move(weight_gradient)));
  plan.batch_norm = {images_ * unit.out_size() * unit.out_size(), unit.out_channels};
  plan.launch = PlanBatchNorm(plan.batch_norm, multiprocessors_);
  ASSIGN_OR_RETURN(plan.forward, PlanForward(unit, plan, std::move(forward)));
  if (data_gradient != nullptr) {
    RETURN_IF_ERROR(PlanDataGradient(unit, std::move(data_gradient), plan));
  }
  return plan;
}

template <typename T>
absl::StatusOr<std::unique_ptr<const Convolution>> Planner<T>::PlanConvolution(const ConvolutionUnit& unit,
                                                                               ConvolutionPass pass) {
  ConvolutionOptions options;
  options.autotune = options_.autotune;
  options.deterministic = options_.deterministic;
  options.own_kernels = options_.own_convolutions;
  const bool concurrent = partitions_sms() && pass == ConvolutionPass::kWeightGradient;
  if (concurrent) {
    options.multiprocessors = Partition(unit).weight_gradient;
  }
  ASSIGN_OR_RETURN(std::unique_ptr<const Convolution> convolution,
                   Convolution::Plan(*streams_.main().context, Shape(unit), pass, options_.type, options));
  const size_t bytes = convolution->workspace_bytes();
  RETURN_IF_ERROR(streams_.GrowWorkspaces(bytes));
  if (unit.is_shortcut()) {
    RETURN_IF_ERROR(concurrent ? streams_.GrowShortcutWeightsWorkspace(bytes) : streams_.GrowShortcutWorkspace(bytes));
  }
  return convolution;
}

template <typename T>
absl::StatusOr<std::shared_ptr<const UnitWeightGradient<T>>> Planner<T>::PlanWeightGradient(
    const ConvolutionUnit& unit, std::unique_ptr<const Convolution> convolution) {
  if constexpr (kIsBf16<T>) {
    std::optional<WeightGradientConfig> config;
    if (options_.own_weight_gradients) {
      ASSIGN_OR_RETURN(config, ChooseWeightGradient(*streams_.main().context,
                                                    {Shape(unit), WeightGradientSms(unit), options_.autotune,
                                                     TimeToBeat(Partition(unit), *convolution)}));
    }
    if (config.has_value()) {
      const WeightGradient own(Shape(unit), *config);
      const size_t bytes = own.workspace_bytes();
      if (!partitions_sms()) {
        RETURN_IF_ERROR(streams_.GrowOwnWeightGradientWorkspace(bytes));
      } else {
        RETURN_IF_ERROR(unit.is_shortcut() ? streams_.GrowShortcutWeightsWorkspace(bytes)
                                           : partial_buffers_.Grow(bytes));
      }
      return MakeOwnWeightGradient(own);
    }
  }
  return MakeWeightGradient<T>(std::move(convolution));
}

// Chooses the forward pass. Launches that run concurrently with one that applies the batch norm leave room for all of
// its blocks, which wait for each other.
template <typename T>
absl::StatusOr<std::shared_ptr<const UnitForward<T>>> Planner<T>::PlanForward(
    const ConvolutionUnit& unit, const UnitPlan<T>& plan, std::unique_ptr<const Convolution> convolution) {
  if constexpr (kIsBf16<T>) {
    ConvolutionBatchNormChoice choice;
    if (options_.fused_sums) {
      const std::optional<double> to_beat =
          options_.cudnn_forward ? std::optional(convolution->microseconds()) : std::nullopt;
      ASSIGN_OR_RETURN(choice, ChooseConvolutionBatchNorm(
                                   *streams_.main().context,
                                   {Shape(unit), hopper_, options_.autotune, to_beat, options_.paired_weights},
                                   ConvolutionPass::kForward, options_.fused_batch_norm));
    }
    const ConvolutionOverlap overlap = Overlap(unit, ConvolutionPass::kForward);
    if (choice.applied.has_value() && !unit.is_shortcut()) {  // a shortcut's batch norm is applied where it is added
      return MakeForwardApplied(ConvolutionBatchNorm(Shape(unit), *choice.applied, hopper_).WithOverlap(overlap));
    }
    if (choice.with_sums.has_value()) {
      return MakeForwardWithSums(ConvolutionBatchNorm(Shape(unit), *choice.with_sums, hopper_).WithOverlap(overlap),
                                 plan.batch_norm);
    }
  }
  return MakeForwardApart<T>(std::move(convolution), plan.batch_norm, plan.launch);
}

// Chooses the data gradients of `plan`. Only partitioned SMs leave room for all blocks of a launch that applies the
// batch norm.
template <typename T>
absl::Status Planner<T>::PlanDataGradient(const ConvolutionUnit& unit, std::unique_ptr<const Convolution> convolution,
                                          UnitPlan<T>& plan) {
  if constexpr (kIsBf16<T>) {
    const SmPartition partition = Partition(unit);
    ConvolutionBatchNormChoice choice;
    if (options_.fused_sums) {
      ASSIGN_OR_RETURN(choice, ChooseConvolutionBatchNorm(
                                   *streams_.main().context,
                                   {Shape(unit), partition.data_gradient, options_.autotune,
                                    TimeToBeat(partition, *convolution), options_.paired_weights},
                                   ConvolutionPass::kDataGradient, options_.fused_batch_norm && partition.partitioned));
    }
    const ConvolutionOverlap overlap = Overlap(unit, ConvolutionPass::kDataGradient);
    if (choice.with_sums.has_value()) {
      plan.data_gradient = MakeDataGradientWithSums(
          ConvolutionBatchNorm(Shape(unit), *choice.with_sums, partition.data_gradient).WithOverlap(overlap));
      if (choice.applied.has_value()) {
        plan.data_gradient_with_sums = std::move(plan.data_gradient);
        plan.data_gradient = MakeDataGradientApplied(
            ConvolutionBatchNorm(Shape(unit), *choice.applied, partition.data_gradient).WithOverlap(overlap));
      }
      return absl::OkStatus();
    }
  }
  plan.data_gradient = MakeDataGradientApart<T>(std::move(convolution));
  return absl::OkStatus();
}

// Returns the first unit of the shape of unit u, which may be u itself. Units of one shape share one plan.
size_t FirstAlike(const ResNetUnits& net, size_t u) {
  const ConvolutionUnit& unit = net.units[u];
  const auto same = std::find_if(net.units.begin(), net.units.begin() + u, [&](const ConvolutionUnit& other) {
    return other.matrix_channels == unit.matrix_channels && other.in_size == unit.in_size &&
           other.out_channels == unit.out_channels && other.filter == unit.filter && other.stride == unit.stride;
  });
  return same - net.units.begin();
}

}  // namespace

template <typename T>
absl::StatusOr<BatchPlan<T>> PlanBatch(const ResNetStepOptions& options, const ResNetUnits& net, uint32_t images,
                                       uint32_t multiprocessors, StepStreams& streams,
                                       PartialBuffers& partial_buffers) {
  Planner<T> planner(options, images, multiprocessors, streams, partial_buffers);
  RETURN_IF_ERROR(CheckPartition(options, images, planner.partitions_sms()));
  BatchPlan<T> plan;
  plan.images = images;
  plan.partitioned = planner.partitions_sms();
  for (size_t u = 0; u < net.units.size(); ++u) {
    const size_t alike = FirstAlike(net, u);
    if (alike < u) {
      plan.units.push_back(plan.units[alike]);
      continue;
    }
    ASSIGN_OR_RETURN(UnitPlan<T> unit, planner.PlanUnit(net.units[u]));
    plan.units.push_back(std::move(unit));
  }
  UnitPlan<T>& above_stem = plan.units[net.blocks.front().conv1];
  if (options.own_weight_gradients && above_stem.data_gradient_with_sums != nullptr) {
    // The stem's weight gradient reads the gradient before the batch norm (stem_gradient.h).
    above_stem.data_gradient = above_stem.data_gradient_with_sums;
  }
  plan.stem_from_batch_norm =
      options.own_weight_gradients && above_stem.data_gradient->gives() == BatchNormBackward::kSummed;
  plan.classifier = {images, net.positions, net.features, net.classes};
  plan.gradients = plan.partitioned
                       ? ScheduleGradientsByLayer(net, images, planner.backward_multiprocessors())
                       : ScheduleGradients(
                             net, SharedUpdateOf(options) != nullptr ? EarlyRanges::kPerLayer : EarlyRanges::kTogether);
  return plan;
}

template absl::StatusOr<BatchPlan<float>> PlanBatch(const ResNetStepOptions&, const ResNetUnits&, uint32_t, uint32_t,
                                                    StepStreams&, PartialBuffers&);
template absl::StatusOr<BatchPlan<__nv_bfloat16>> PlanBatch(const ResNetStepOptions&, const ResNetUnits&, uint32_t,
                                                            uint32_t, StepStreams&, PartialBuffers&);

}  // namespace lockstep
