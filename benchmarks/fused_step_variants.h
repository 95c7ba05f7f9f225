// Variants of the fused ResNet-18 step that fused_step_benchmark compares.
#ifndef LOCKSTEP_BENCHMARKS_FUSED_STEP_VARIANTS_H_
#define LOCKSTEP_BENCHMARKS_FUSED_STEP_VARIANTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/fused/resnet_step_options.h"
#include "lib/fused/sm_partition.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

// Fields: those of ResNetStepOptions, and whether steps are captured in a CUDA graph.
struct FusedStepVariant {
  std::string name;
  ConvolutionType type = ConvolutionType::kBf16;
  bool graphs = false;
  bool two_streams = false;
  bool autotune = false;
  bool fused_sums = false;
  bool own_weight_gradients = false;
  bool fused_batch_norm = false;
  bool divide_multiprocessors = false;
  bool own_convolutions = false;
  bool early_weights = true;
  bool early_next = false;
  bool short_batch_norms = true;
  bool paired_weights = true;
  bool cudnn_forward = true;
  std::vector<LayerSms> layer_sms = {};
};

// Partition of batches above 64 before the present one (benchmarks/experiments.md).
inline constexpr char kEarlierSms[] = "512=88,44;128=77,55;64=88,44";

// Returns the fastest step in bf16.
FusedStepVariant FastestVariant();

// Returns steps whose optimizations are switched on one after another.
std::vector<FusedStepVariant> OptimizationVariants();

// Return the fastest step with choices of early_weights, early_next and short_batch_norms; with both values of
// cudnn_forward; and with both values of paired_weights.
std::vector<FusedStepVariant> EarlyVariants();
std::vector<FusedStepVariant> ForwardVariants();
std::vector<FusedStepVariant> PairVariants();

// Returns the fastest step, and for each of `lists` the same with other SMs of some layers. `lists`: lists that
// ParseLayerSms reads, separated by "/". Returns InvalidArgumentError if a list cannot be read.
absl::StatusOr<std::vector<FusedStepVariant>> PartitionVariants(absl::string_view lists);

ResNetStepOptions OptionsOf(const FusedStepVariant& variant, uint32_t batch);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_FUSED_STEP_VARIANTS_H_
