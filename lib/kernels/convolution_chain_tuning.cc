#include "lib/kernels/convolution_chain_tuning.h"

#include <array>
#include <cstddef>

#include "lib/base/status_macros.h"
#include "lib/cuda/device_buffer.h"
#include "lib/cuda/graph_timer.h"
#include "lib/cuda/wait_limit.h"
#include "lib/kernels/random_tensor.h"

namespace lockstep {
namespace {

using Bf16 = __nv_bfloat16;

// Tensors of a chain, as in a step: no two layers write the same ones.
class Tensors {
 public:
  static absl::StatusOr<Tensors> Make(const ConvolutionShape& shape, uint32_t layers, cudaStream_t stream) {
    const ConvolutionOperands counts = CountOperands(shape, ConvolutionPass::kForward);
    Tensors tensors;
    tensors.layers_ = layers;
    tensors.channels_ = shape.out_channels;
    tensors.elements_ = counts.out;
    tensors.weight_elements_ = counts.b;
    ASSIGN_OR_RETURN(tensors.x_, MakeRandomTensor<Bf16>(counts.a, stream));
    ASSIGN_OR_RETURN(tensors.weights_, MakeRandomTensor<Bf16>(layers * counts.b, stream));
    ASSIGN_OR_RETURN(tensors.raw_, MakeRandomTensor<Bf16>(layers * counts.out, stream));
    ASSIGN_OR_RETURN(tensors.y_, MakeRandomTensor<Bf16>(layers * counts.out, stream));
    ASSIGN_OR_RETURN(tensors.mask_, DeviceBuffer::Make(layers * counts.out / 8));
    ASSIGN_OR_RETURN(tensors.of_channels_,
                     MakeRandomTensor<float>(size_t{layers} * kPerChannel * shape.out_channels, stream));
    ASSIGN_OR_RETURN(tensors.lamport_buffer_, DeviceBuffer::Make(ConvolutionBatchNormLamportBytes()));
    constexpr std::array<char, 4096> kZeros = {};
    RETURN_IF_ERROR(tensors.lamport_buffer_.Fill(kZeros.data(), kZeros.size(), stream));
    return tensors;
  }

  const Bf16* x() const { return Data(x_); }
  void* lamport_buffer() const { return lamport_buffer_.data(); }

  std::vector<ConvolutionChain::Layer> Layers() const {
    std::vector<ConvolutionChain::Layer> layers(layers_);
    for (uint32_t l = 0; l < layers_; ++l) {
      ConvolutionChain::Layer& layer = layers[l];
      layer.w = Data(weights_) + l * weight_elements_;
      layer.raw = Data(raw_) + l * elements_;
      layer.parameters.gamma = OfChannels(l, 0);
      layer.parameters.beta = OfChannels(l, 1);
      layer.parameters.running_mean = OfChannels(l, 2);
      layer.parameters.running_var = OfChannels(l, 3);
      layer.state = {OfChannels(l, 4), OfChannels(l, 5), OfChannels(l, 6), OfChannels(l, 7)};
      layer.residual.residual = l % 2 == 0 ? nullptr : l == 1 ? Data(x_) : Y(l - 2);
      layer.y = Y(l);
      layer.relu_mask = static_cast<uint8_t*>(mask_.data()) + l * elements_ / 8;
    }
    return layers;
  }

 private:
  static constexpr uint32_t kPerChannel = 8;

  static Bf16* Data(const DeviceBuffer& buffer) { return static_cast<Bf16*>(buffer.data()); }
  Bf16* Y(uint32_t l) const { return Data(y_) + l * elements_; }
  float* OfChannels(uint32_t l, uint32_t i) const {
    return static_cast<float*>(of_channels_.data()) + (l * kPerChannel + i) * channels_;
  }

  uint32_t layers_ = 0, channels_ = 0;
  size_t elements_ = 0, weight_elements_ = 0;
  DeviceBuffer x_, weights_, raw_, y_, mask_, of_channels_, lamport_buffer_;
};

}  // namespace

absl::StatusOr<std::vector<ConvolutionBatchNormConfig>> PossibleChainConfigs(const ConvolutionShape& shape,
                                                                             uint32_t multiprocessors) {
  std::vector<ConvolutionBatchNormConfig> configs;
  for (const ConvolutionBatchNormConfig& config : ConvolutionChainConfigs(shape, multiprocessors)) {
    ASSIGN_OR_RETURN(const bool may_wait, ConvolutionChainMayWait(shape, config, multiprocessors));
    if (may_wait) {
      configs.push_back(config);
    }
  }
  return configs;
}

absl::StatusOr<ConvolutionChainTimes> TuneConvolutionChain(const ConvolutionShape& shape, uint32_t layers,
                                                           uint32_t multiprocessors, const ConvolutionOverlap& overlap,
                                                           const LayersApart& apart, cudaStream_t stream) {
  ConvolutionChainTimes times;
  ASSIGN_OR_RETURN(const std::vector<ConvolutionBatchNormConfig> configs, PossibleChainConfigs(shape, multiprocessors));
  if (configs.empty() || layers > ConvolutionChainMaxLayers()) {
    return times;
  }
  ASSIGN_OR_RETURN(const Tensors tensors, Tensors::Make(shape, layers, stream));
  const std::vector<ConvolutionChain::Layer> of_chain = tensors.Layers();
  ASSIGN_OR_RETURN(times.apart_microseconds,
                   MicrosecondsInGraph(stream, [&] { return apart(tensors.x(), of_chain, tensors.lamport_buffer()); }));
  double min_microseconds = times.apart_microseconds;
  for (const ConvolutionBatchNormConfig& config : configs) {
    const ConvolutionChain chain(ConvolutionBatchNorm(shape, config, multiprocessors).WithOverlap(overlap));
    ASSIGN_OR_RETURN(const double time, MicrosecondsInGraph(stream, [&] {
                       return chain.Run(tensors.x(), of_chain, tensors.lamport_buffer(), stream);
                     }));
    if (!BlocksMayWaitForEachOther()) {  // a launch waited past the limit: no such launch in this process
      return ConvolutionChainTimes();
    }
    times.trials.push_back({config, time});
    if (time < min_microseconds) {
      min_microseconds = time;
      times.best = config;
    }
  }
  return times;
}

}  // namespace lockstep
