#include "lib/fused/forward_chain_choice.h"

#include <algorithm>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/kernels/convolution_chain.h"
#include "lib/kernels/convolution_chain_tuning.h"

namespace lockstep {
namespace {

using Bf16 = __nv_bfloat16;

absl::Status RunApart(const UnitForward<Bf16>& apart, const Bf16* x, const std::vector<ConvolutionChain::Layer>& layers,
                      void* lamport_buffer, const StepStream& stream) {
  for (const ConvolutionChain::Layer& layer : layers) {
    ForwardOperands<Bf16> operands;
    operands.batch_norm_name = "timing units one by one";
    operands.x = x;
    operands.weights = layer.w;
    operands.raw = layer.raw;
    operands.parameters = layer.parameters;
    operands.state = layer.state;
    operands.lamport_buffer = lamport_buffer;
    RETURN_IF_ERROR(apart.BeforeResidual(operands, stream));
    RETURN_IF_ERROR(apart.WithResidual(operands, {layer.residual, layer.y, layer.relu_mask}, stream));
    x = layer.y;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<ConvolutionBatchNormConfig>> ChooseForwardChain(const ForwardChainQuestion& question,
                                                                             const StepStream& stream) {
  if (!question.autotune) {
    ASSIGN_OR_RETURN(const std::vector<ConvolutionBatchNormConfig> configs,
                     PossibleChainConfigs(question.shape, question.multiprocessors));
    const bool can =
        question.applied.has_value() && std::find(configs.begin(), configs.end(), *question.applied) != configs.end();
    return can ? question.applied : std::nullopt;
  }
  const auto apart = [&](const Bf16* x, const std::vector<ConvolutionChain::Layer>& layers, void* lamport_buffer) {
    return RunApart(*question.apart, x, layers, lamport_buffer, stream);
  };
  ASSIGN_OR_RETURN(const ConvolutionChainTimes times,
                   TuneConvolutionChain(question.shape, question.units, question.multiprocessors, question.overlap,
                                        apart, stream.handle));
  return times.best;
}

}  // namespace lockstep
