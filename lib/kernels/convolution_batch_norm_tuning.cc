#include "lib/kernels/convolution_batch_norm_tuning.h"

#include <algorithm>
#include <array>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_buffer.h"
#include "lib/cuda/graph_timer.h"
#include "lib/cuda/wait_limit.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/random_tensor.h"

namespace lockstep {
namespace {

using Bf16 = __nv_bfloat16;

// Buffers that the kernels of one pass read and write.
class Trial {
 public:
  static absl::StatusOr<Trial> Make(const ConvolutionShape& shape, ConvolutionPass pass, uint32_t multiprocessors,
                                    TimedLaunches launches, cudaStream_t stream) {
    Trial trial;
    trial.forward_ = pass == ConvolutionPass::kForward;
    trial.shape_ = shape;
    trial.stream_ = stream;
    trial.multiprocessors_ = multiprocessors;
    const uint32_t size = trial.forward_ ? ConvolutionOutSize(shape) : shape.in_size;
    trial.rows_ = {shape.images * size * size, trial.forward_ ? shape.out_channels : shape.in_channels};
    trial.launch_ = PlanBatchNorm(trial.rows_, multiprocessors);
    const ConvolutionOperands counts = CountOperands(shape, pass);
    ASSIGN_OR_RETURN(trial.a_, MakeRandomTensor<Bf16>(counts.a, stream));
    ASSIGN_OR_RETURN(trial.b_, MakeRandomTensor<Bf16>(counts.b, stream));
    ASSIGN_OR_RETURN(trial.out_, MakeRandomTensor<Bf16>(counts.out, stream));
    ASSIGN_OR_RETURN(trial.of_channels_, MakeRandomTensor<float>(kPerChannel * trial.rows_.channels, stream));
    ASSIGN_OR_RETURN(trial.x_, MakeRandomTensor<Bf16>(counts.out, stream));
    if (!trial.forward_ && launches != TimedLaunches::kSums) {
      ASSIGN_OR_RETURN(trial.dx_, MakeRandomTensor<Bf16>(counts.out, stream));
    }
    if (trial.forward_ && launches == TimedLaunches::kAlsoAddingResidual) {
      ASSIGN_OR_RETURN(trial.residual_, MakeRandomTensor<Bf16>(counts.out, stream));
    }
    ASSIGN_OR_RETURN(trial.mask_, MakeRandomTensor<Bf16>(counts.out / 16, stream));
    ASSIGN_OR_RETURN(trial.workspace_,
                     DeviceBuffer::Make(std::max(BatchNormWorkspaceBytes(trial.launch_),
                                                 ConvolutionBatchNormWorkspaceBytes(multiprocessors))));
    constexpr std::array<char, 4096> kZeros = {};
    RETURN_IF_ERROR(trial.workspace_.Fill(kZeros.data(), kZeros.size(), stream));
    ASSIGN_OR_RETURN(trial.lamport_buffer_, DeviceBuffer::Make(ConvolutionBatchNormLamportBytes()));
    RETURN_IF_ERROR(trial.lamport_buffer_.Fill(kZeros.data(), kZeros.size(), stream));
    return trial;
  }

  absl::StatusOr<double> TimeSums() {
    return MicrosecondsInGraph(stream_, [this] {
      return CudaStatus(
          forward_ ? BatchNormStatistics<Bf16>(rows_, launch_, Data(out_), Parameters(), State(), Workspace(), stream_)
                   : BatchNormBackwardReduce<Bf16>(rows_, launch_, Data(x_), {Data(out_), nullptr, Mask()}, State(),
                                                   Gradients(), Workspace(), stream_),
          "timing a batch norm's sums");
    });
  }

  absl::StatusOr<double> Time(const ConvolutionBatchNormConfig& config) {
    const ConvolutionBatchNorm convolution(shape_, config, multiprocessors_);
    return MicrosecondsInGraph(stream_, [&] {
      return forward_ ? convolution.Forward(Data(a_), Data(b_), Data(out_), Parameters(), State(), Workspace(), stream_)
                      : convolution.Backward(Data(a_), Data(b_), {}, {Data(x_), nullptr, Mask(), State(), Gradients()},
                                             Data(out_), Workspace(), stream_);
    });
  }

  absl::StatusOr<double> TimeApply() {
    return MicrosecondsInGraph(stream_, [this] {
      return CudaStatus(forward_
                            ? BatchNormApply<Bf16>(rows_, Data(out_), State().scale, State().shift, Residual(),
                                                   Data(x_), Mask(), RowOrder::kLastToFirst, stream_)
                            : BatchNormBackwardApply<Bf16>(rows_, Data(x_), {Data(out_), nullptr, nullptr}, Gradients(),
                                                           Data(dx_), nullptr, RowOrder::kLastToFirst, stream_),
                        "timing a batch norm");
    });
  }

  absl::StatusOr<double> TimeApplying(const ConvolutionBatchNormConfig& config) {
    const ConvolutionBatchNorm convolution(shape_, config, multiprocessors_);
    return MicrosecondsInGraph(stream_, [&] {
      return forward_ ? convolution.ForwardAndApply(Data(a_), Data(b_), Data(out_), Parameters(), State(), Residual(),
                                                    Data(x_), Mask(), lamport_buffer_.data(), stream_)
                      : convolution.BackwardAndApply(Data(a_), Data(b_), {},
                                                     {Data(x_), nullptr, Mask(), State(), Gradients()}, Data(out_),
                                                     Data(dx_), lamport_buffer_.data(), stream_);
    });
  }

 private:
  static constexpr uint32_t kPerChannel = 13;

  static Bf16* Data(const DeviceBuffer& buffer) { return static_cast<Bf16*>(buffer.data()); }
  uint8_t* Mask() const { return static_cast<uint8_t*>(mask_.data()); }
  void* Workspace() const { return workspace_.data(); }
  float* OfChannels(uint32_t i) const { return static_cast<float*>(of_channels_.data()) + i * rows_.channels; }
  BatchNormParameters Parameters() const {
    BatchNormParameters parameters;
    parameters.gamma = OfChannels(0);
    parameters.beta = OfChannels(1);
    parameters.running_mean = OfChannels(2);
    parameters.running_var = OfChannels(3);
    return parameters;
  }
  BatchNormResidual<Bf16> Residual() const { return {Data(residual_), nullptr, nullptr}; }  // null: no residual
  BatchNormState State() const { return {OfChannels(4), OfChannels(5), OfChannels(6), OfChannels(7)}; }
  BatchNormGradients Gradients() const {
    return {OfChannels(8), OfChannels(9), OfChannels(10), OfChannels(11), OfChannels(12)};
  }

  bool forward_ = true;
  ConvolutionShape shape_;
  cudaStream_t stream_ = nullptr;
  uint32_t multiprocessors_ = 0;
  BatchNormShape rows_;
  BatchNormLaunch launch_;
  DeviceBuffer a_, b_, out_, x_, dx_, residual_, mask_, of_channels_, workspace_, lamport_buffer_;
};

}  // namespace

absl::StatusOr<ConvolutionBatchNormTimes> TuneConvolutionBatchNorm(ConvolutionContext& context,
                                                                   const ConvolutionShape& whole, ConvolutionPass pass,
                                                                   std::optional<double> apart_microseconds,
                                                                   uint32_t multiprocessors, TimedLaunches launches,
                                                                   TimedPairs pairs) {
  ConvolutionBatchNormTimes times;
  const ConvolutionShape shape = TunedShape(whole);
  std::vector<ConvolutionBatchNormConfig> configs = ConvolutionBatchNormConfigs(shape, pass, multiprocessors);
  if (pairs == TimedPairs::kNo) {
    std::erase_if(configs, [](const ConvolutionBatchNormConfig& config) { return config.weight_blocks != 1; });
  }
  if (configs.empty()) {
    return times;
  }
  ASSIGN_OR_RETURN(Trial trial, Trial::Make(shape, pass, multiprocessors, launches, context.stream()));
  ASSIGN_OR_RETURN(const double sums, trial.TimeSums());
  std::optional<double> min_microseconds;
  if (apart_microseconds.has_value()) {
    times.apart_microseconds = *apart_microseconds + sums;
    min_microseconds = times.apart_microseconds;
  }
  for (const ConvolutionBatchNormConfig& config : configs) {
    ASSIGN_OR_RETURN(const double time, trial.Time(config));
    times.trials.push_back({config, time});
    if (!min_microseconds.has_value() || time < *min_microseconds) {
      min_microseconds = time;
      times.best = config;
    }
  }
  if (launches == TimedLaunches::kSums) {
    return times;
  }
  ASSIGN_OR_RETURN(times.apply_microseconds, trial.TimeApply());
  *min_microseconds += times.apply_microseconds;
  for (const ConvolutionBatchNormConfig& config : configs) {
    if (!ConvolutionBatchNormCanApply(shape, pass, config, multiprocessors)) {
      continue;
    }
    ASSIGN_OR_RETURN(const bool may_wait, ConvolutionBatchNormMayWait(shape, pass, config, multiprocessors));
    if (!may_wait) {
      continue;
    }
    ASSIGN_OR_RETURN(const double time, trial.TimeApplying(config));
    if (!BlocksMayWaitForEachOther()) {  // the launch waited past the limit: no such launch in this process
      times.applying.clear();
      times.best_applying.reset();
      return times;
    }
    times.applying.push_back({config, time});
    if (time < *min_microseconds) {
      min_microseconds = time;
      times.best_applying = config;
    }
  }
  return times;
}

}  // namespace lockstep
