#include "lib/fused/own_kernel_choice.h"

#include <algorithm>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/kernels/convolution_batch_norm_tuning.h"
#include "lib/kernels/weight_gradient_tuning.h"

namespace lockstep {
namespace {

// Chooses the same `with_sums` whether batch norms are applied or not, so that the results have the same bits.
absl::StatusOr<ConvolutionBatchNormChoice> LikeliestConvolutionBatchNorm(const OwnKernelQuestion& question,
                                                                         ConvolutionPass pass, bool may_apply) {
  ConvolutionBatchNormChoice choice;
  const std::vector<ConvolutionBatchNormConfig> configs =
      ConvolutionBatchNormConfigs(question.shape, pass, question.multiprocessors);
  const auto can = std::find_if(configs.begin(), configs.end(), [&](const ConvolutionBatchNormConfig& possible) {
    return ConvolutionBatchNormCanApply(question.shape, pass, possible, question.multiprocessors);
  });
  if (can == configs.end()) {
    choice.with_sums = configs.empty() ? std::nullopt : std::optional(configs.front());
    return choice;
  }
  choice.with_sums = *can;
  ASSIGN_OR_RETURN(const bool may_wait,
                   ConvolutionBatchNormMayWait(question.shape, pass, *can, question.multiprocessors));
  if (may_apply && may_wait) {
    choice.applied = *can;
  }
  return choice;
}

}  // namespace

absl::StatusOr<ConvolutionBatchNormChoice> ChooseConvolutionBatchNorm(ConvolutionContext& context,
                                                                      const OwnKernelQuestion& question,
                                                                      ConvolutionPass pass, bool may_apply) {
  if (!question.autotune) {
    return LikeliestConvolutionBatchNorm(question, pass, may_apply);
  }
  ASSIGN_OR_RETURN(const ConvolutionBatchNormTimes times,
                   TuneConvolutionBatchNorm(context, question.shape, pass, question.convolution_microseconds,
                                            question.multiprocessors,
                                            may_apply ? TimedLaunches::kAlsoApplying : TimedLaunches::kSums,
                                            question.paired_weights ? TimedPairs::kYes : TimedPairs::kNo));
  return ConvolutionBatchNormChoice{times.best, times.best_applying};
}

absl::StatusOr<std::optional<WeightGradientConfig>> ChooseWeightGradient(ConvolutionContext& context,
                                                                         const OwnKernelQuestion& question) {
  if (!question.autotune) {
    const std::vector<WeightGradientConfig> configs = WeightGradientConfigs(question.shape, question.multiprocessors);
    return configs.empty() ? std::nullopt : std::optional(configs.front());
  }
  ASSIGN_OR_RETURN(
      const WeightGradientTimes times,
      TuneWeightGradient(context, question.shape, question.convolution_microseconds, question.multiprocessors));
  return times.best;
}

}  // namespace lockstep
