#include "benchmarks/fused_step_variants.h"

#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

FusedStepVariant Early(absl::string_view name, bool early_weights, bool early_next, bool short_batch_norms) {
  FusedStepVariant variant = FastestVariant();
  variant.name = std::string(name);
  variant.early_weights = early_weights;
  variant.early_next = early_next;
  variant.short_batch_norms = short_batch_norms;
  return variant;
}

FusedStepVariant Forward(absl::string_view name, bool cudnn_forward) {
  FusedStepVariant variant = FastestVariant();
  variant.name = std::string(name);
  variant.cudnn_forward = cudnn_forward;
  return variant;
}

FusedStepVariant Pairs(absl::string_view name, bool paired_weights) {
  FusedStepVariant variant = FastestVariant();
  variant.name = std::string(name);
  variant.paired_weights = paired_weights;
  return variant;
}

}  // namespace

FusedStepVariant FastestVariant() {
  return {"and multiprocessors divided between the streams",
          ConvolutionType::kBf16,
          true,
          true,
          true,
          true,
          true,
          true,
          true};
}

std::vector<FusedStepVariant> OptimizationVariants() {
  constexpr ConvolutionType kBf16 = ConvolutionType::kBf16, kFp32 = ConvolutionType::kFp32;
  return {
      {"bf16, launches one by one, one stream, cuDNN's first engine", kBf16},
      {"and engines timed", kBf16, false, false, true},
      {"and a CUDA graph", kBf16, true, false, true},
      {"and a second stream", kBf16, true, true, true},
      {"and our convolutions with the sums of batch norms", kBf16, true, true, true, true},
      {"and our weight gradients", kBf16, true, true, true, true, true},
      {"and batch norms applied by them", kBf16, true, true, true, true, true, true},
      FastestVariant(),
      {"tf32, all of it", ConvolutionType::kTf32, true, true, true},
      {"fp32, cuDNN's convolutions", kFp32, true, true, true},
      {"fp32, and ours", kFp32, true, true, true, false, false, false, false, true},
  };
}

std::vector<FusedStepVariant> EarlyVariants() {
  return {Early("none", false, false, false),
          Early("early weights", true, false, false),
          Early("early next launch", false, true, false),
          Early("short batch norms", false, false, true),
          Early("early weights, short batch norms", true, false, true),
          Early("all", true, true, true)};
}

std::vector<FusedStepVariant> ForwardVariants() {
  return {Forward("forward convolutions by the fastest kernels", true),
          Forward("forward convolutions by our kernels", false)};
}

std::vector<FusedStepVariant> PairVariants() {
  return {Pairs("single blocks", false), Pairs("pairs of blocks where they are faster", true)};
}

absl::StatusOr<std::vector<FusedStepVariant>> PartitionVariants(absl::string_view lists) {
  FusedStepVariant variant = FastestVariant();
  variant.name = "default partition";
  std::vector<FusedStepVariant> variants = {variant};
  for (const absl::string_view list : absl::StrSplit(lists, '/')) {
    variant.name = std::string(list);
    ASSIGN_OR_RETURN(variant.layer_sms, ParseLayerSms(list));
    variants.push_back(variant);
  }
  return variants;
}

ResNetStepOptions OptionsOf(const FusedStepVariant& variant, uint32_t batch) {
  ResNetStepOptions options;
  options.type = variant.type;
  options.max_batch = batch;
  options.two_streams = variant.two_streams;
  options.autotune = variant.autotune;
  options.fused_sums = variant.fused_sums;
  options.own_weight_gradients = variant.own_weight_gradients;
  options.fused_batch_norm = variant.fused_batch_norm;
  options.divide_multiprocessors = variant.divide_multiprocessors;
  options.own_convolutions = variant.own_convolutions;
  options.early_weights = variant.early_weights;
  options.early_next = variant.early_next;
  options.short_batch_norms = variant.short_batch_norms;
  options.paired_weights = variant.paired_weights;
  options.cudnn_forward = variant.cudnn_forward;
  options.layer_sms = variant.layer_sms;
  return options;
}

}  // namespace lockstep
