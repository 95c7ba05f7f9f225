#include "lib/fused/forward_chain_choice.h"

#include <algorithm>
#include <array>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/cuda/device_buffer.h"
#include "lib/cuda/graph_timer.h"
#include "lib/cuda/wait_limit.h"
#include "lib/fused/forward_chain.h"
#include "lib/kernels/convolution_chain.h"
#include "lib/kernels/random_tensor.h"

namespace lockstep {
namespace {

using Bf16 = __nv_bfloat16;

// Tensors of a chain, as in a step: no two units write the same ones, and every second unit adds a residual.
class Trial {
 public:
  static absl::StatusOr<Trial> Make(const ForwardChainQuestion& question, const StepStream& stream) {
    Trial trial;
    trial.units_ = question.units;
    trial.channels_ = question.shape.out_channels;
    const ConvolutionOperands counts = CountOperands(question.shape, ConvolutionPass::kForward);
    trial.elements_ = counts.out;
    trial.weight_elements_ = counts.b;
    const size_t units = question.units;
    ASSIGN_OR_RETURN(trial.x_, MakeRandomTensor<Bf16>(counts.a, stream.handle));
    ASSIGN_OR_RETURN(trial.weights_, MakeRandomTensor<Bf16>(units * counts.b, stream.handle));
    ASSIGN_OR_RETURN(trial.raw_, MakeRandomTensor<Bf16>(units * counts.out, stream.handle));
    ASSIGN_OR_RETURN(trial.y_, MakeRandomTensor<Bf16>(units * counts.out, stream.handle));
    ASSIGN_OR_RETURN(trial.mask_, DeviceBuffer::Make(units * counts.out / 8));
    ASSIGN_OR_RETURN(trial.of_channels_, MakeRandomTensor<float>(units * kPerChannel * trial.channels_, stream.handle));
    ASSIGN_OR_RETURN(trial.lamport_buffer_, DeviceBuffer::Make(ConvolutionBatchNormLamportBytes()));
    constexpr std::array<char, 4096> kZeros = {};
    RETURN_IF_ERROR(trial.lamport_buffer_.Fill(kZeros.data(), kZeros.size(), stream.handle));
    return trial;
  }

  std::vector<ForwardLayer<Bf16>> Layers() const {
    std::vector<ForwardLayer<Bf16>> layers(units_);
    for (uint32_t u = 0; u < units_; ++u) {
      ForwardOperands<Bf16>& operands = layers[u].operands;
      operands.batch_norm_name = "timing a chain";
      operands.x = u == 0 ? Data(x_) : Y(u - 1);
      operands.weights = Data(weights_) + u * weight_elements_;
      operands.raw = Data(raw_) + u * elements_;
      operands.parameters.gamma = OfChannels(u, 0);
      operands.parameters.beta = OfChannels(u, 1);
      operands.parameters.running_mean = OfChannels(u, 2);
      operands.parameters.running_var = OfChannels(u, 3);
      operands.state = {OfChannels(u, 4), OfChannels(u, 5), OfChannels(u, 6), OfChannels(u, 7)};
      operands.lamport_buffer = lamport_buffer_.data();
      layers[u].output = {{u % 2 == 0 ? nullptr
                           : u == 1   ? Data(x_)
                                      : Y(u - 2),
                           nullptr, nullptr},
                          Y(u),
                          static_cast<uint8_t*>(mask_.data()) + u * elements_ / 8};
    }
    return layers;
  }

 private:
  static constexpr uint32_t kPerChannel = 8;

  static Bf16* Data(const DeviceBuffer& buffer) { return static_cast<Bf16*>(buffer.data()); }
  Bf16* Y(uint32_t u) const { return Data(y_) + u * elements_; }
  float* OfChannels(uint32_t u, uint32_t i) const {
    return static_cast<float*>(of_channels_.data()) + (u * kPerChannel + i) * channels_;
  }

  uint32_t units_ = 0, channels_ = 0;
  size_t elements_ = 0, weight_elements_ = 0;
  DeviceBuffer x_, weights_, raw_, y_, mask_, of_channels_, lamport_buffer_;
};

absl::Status RunApart(const UnitForward<Bf16>& apart, const std::vector<ForwardLayer<Bf16>>& layers,
                      const StepStream& stream) {
  for (const auto& [operands, output] : layers) {
    RETURN_IF_ERROR(apart.BeforeResidual(operands, stream));
    RETURN_IF_ERROR(apart.WithResidual(operands, output, stream));
  }
  return absl::OkStatus();
}

// Returns the configurations in which all blocks of the chain run at once.
absl::StatusOr<std::vector<ConvolutionBatchNormConfig>> PossibleConfigs(const ForwardChainQuestion& question) {
  std::vector<ConvolutionBatchNormConfig> configs;
  for (const ConvolutionBatchNormConfig& config : ConvolutionChainConfigs(question.shape, question.multiprocessors)) {
    ASSIGN_OR_RETURN(const bool may_wait, ConvolutionChainMayWait(question.shape, config, question.multiprocessors));
    if (may_wait) {
      configs.push_back(config);
    }
  }
  return configs;
}

}  // namespace

absl::StatusOr<std::optional<ConvolutionBatchNormConfig>> ChooseForwardChain(const ForwardChainQuestion& question,
                                                                             const StepStream& stream) {
  ASSIGN_OR_RETURN(const std::vector<ConvolutionBatchNormConfig> configs, PossibleConfigs(question));
  std::optional<ConvolutionBatchNormConfig> best;
  if (!question.autotune) {
    const bool can =
        question.applied.has_value() && std::find(configs.begin(), configs.end(), *question.applied) != configs.end();
    return can ? question.applied : best;
  }
  if (configs.empty()) {
    return best;
  }
  ASSIGN_OR_RETURN(const Trial trial, Trial::Make(question, stream));
  const std::vector<ForwardLayer<Bf16>> layers = trial.Layers();
  ASSIGN_OR_RETURN(double min_microseconds,
                   MicrosecondsInGraph(stream.handle, [&] { return RunApart(*question.apart, layers, stream); }));
  for (const ConvolutionBatchNormConfig& config : configs) {
    const auto chain = MakeForwardChain(ConvolutionChain(
        ConvolutionBatchNorm(question.shape, config, question.multiprocessors).WithOverlap(question.overlap)));
    ASSIGN_OR_RETURN(const double time, MicrosecondsInGraph(stream.handle, [&] { return chain->Run(layers, stream); }));
    if (!BlocksMayWaitForEachOther()) {  // the launch waited past the limit: no such launch in this process
      return std::nullopt;
    }
    if (time < min_microseconds) {
      min_microseconds = time;
      best = config;
    }
  }
  return best;
}

}  // namespace lockstep
