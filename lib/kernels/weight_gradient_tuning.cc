#include "lib/kernels/weight_gradient_tuning.h"

#include <algorithm>

#include "lib/base/status_macros.h"
#include "lib/cuda/device_buffer.h"
#include "lib/cuda/graph_timer.h"
#include "lib/kernels/random_tensor.h"

namespace lockstep {

absl::StatusOr<WeightGradientTimes> TuneWeightGradient(ConvolutionContext& context, const ConvolutionShape& whole,
                                                       std::optional<double> other_microseconds,
                                                       uint32_t multiprocessors) {
  using Bf16 = __nv_bfloat16;
  WeightGradientTimes times;
  const ConvolutionShape shape = TunedShape(whole);
  const std::vector<WeightGradientConfig> configs = WeightGradientConfigs(shape, multiprocessors);
  if (configs.empty()) {
    return times;
  }
  size_t workspace_bytes = 0;
  for (const WeightGradientConfig& config : configs) {
    workspace_bytes = std::max(workspace_bytes, WeightGradientWorkspaceBytes(shape, config));
  }
  const cudaStream_t stream = context.stream();
  const ConvolutionOperands counts = CountOperands(shape, ConvolutionPass::kWeightGradient);
  ASSIGN_OR_RETURN(const DeviceBuffer dy, MakeRandomTensor<Bf16>(counts.a, stream));
  ASSIGN_OR_RETURN(const DeviceBuffer x, MakeRandomTensor<Bf16>(counts.b, stream));
  ASSIGN_OR_RETURN(const DeviceBuffer dw, MakeRandomTensor<Bf16>(counts.out, stream));
  ASSIGN_OR_RETURN(const DeviceBuffer workspace, DeviceBuffer::Make(workspace_bytes));
  std::optional<double> min_microseconds = other_microseconds;
  for (const WeightGradientConfig& config : configs) {
    const WeightGradient gradient(shape, config);
    ASSIGN_OR_RETURN(const double time, MicrosecondsInGraph(stream, [&] {
                       return gradient.Run(static_cast<const Bf16*>(dy.data()), static_cast<const Bf16*>(x.data()),
                                           static_cast<Bf16*>(dw.data()), workspace.data(), stream);
                     }));
    times.trials.push_back({config, time});
    if (!min_microseconds.has_value() || time < *min_microseconds) {
      min_microseconds = time;
      times.best = config;
    }
  }
  return times;
}

}  // namespace lockstep
