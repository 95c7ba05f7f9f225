#include "lib/kernels/convolution_plan.h"

#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_buffer.h"
#include "lib/cuda/graph_timer.h"
#include "lib/cuda/multiprocessors.h"
#include "lib/kernels/launch_blocks.h"
#include "lib/kernels/random_tensor.h"

namespace lockstep {
namespace {

absl::Status WithPrefix(absl::string_view before, const absl::Status& status) {
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat(before, ": ", status.message()));
}

absl::StatusOr<DeviceBuffer> MakeTensor(size_t count, ConvolutionType type, cudaStream_t stream) {
  return type == ConvolutionType::kBf16 ? MakeRandomTensor<__nv_bfloat16>(count, stream)
                                        : MakeRandomTensor<float>(count, stream);
}

struct Timed {
  size_t engine = 0;
  std::optional<ConvolutionFp32Config> own;                 // faster than the engine
  double microseconds = 0;                                  // 0: not timed
  double judged = std::numeric_limits<double>::infinity();  // time used for the comparison
};

// Returns the time used for the comparison. If concurrent launches leave `left` multiprocessors to this launch, a
// launch that takes more delays them. On a GPU without clusters nothing runs at the same time.
double Judged(double microseconds, uint64_t blocks, uint32_t left) {
  const uint64_t taken = std::min<uint64_t>(blocks, ClusterMultiprocessors());
  return microseconds * std::max(1.0, static_cast<double>(taken) / left);
}

absl::Status RunOwn(const ConvolutionShape& shape, ConvolutionPass pass, const ConvolutionFp32Config& config,
                    const void* a, const void* b, void* out, cudaStream_t stream) {
  return RunConvolutionFp32(shape, pass, config, static_cast<const float*>(a), static_cast<const float*>(b),
                            static_cast<float*>(out), stream);
}

// Returns the best of `engines` and, if requested, our kernel; of equal ones the first. Engines that fail are skipped.
// Returns an error if all engines fail.
absl::StatusOr<Timed> TimeEngines(cudnnHandle_t handle, cudaStream_t stream, const ConvolutionShape& shape,
                                  ConvolutionPass pass, ConvolutionType type,
                                  const std::vector<ConvolutionEngine>& engines, const EngineChoice& choice) {
  const ConvolutionOperands counts = CountOperands(shape, pass);
  size_t workspace_bytes = 0;
  for (const ConvolutionEngine& engine : engines) {
    workspace_bytes = std::max(workspace_bytes, engine.workspace_bytes);
  }
  ASSIGN_OR_RETURN(const DeviceBuffer a, MakeTensor(counts.a, type, stream));
  ASSIGN_OR_RETURN(const DeviceBuffer b, MakeTensor(counts.b, type, stream));
  ASSIGN_OR_RETURN(const DeviceBuffer out, MakeTensor(counts.out, type, stream));
  ASSIGN_OR_RETURN(const DeviceBuffer workspace, DeviceBuffer::Make(workspace_bytes));
  Timed best;
  // The time used for the comparison is never below the measured time. Hence the blocks of a launch that is slower than
  // the best need not be counted.
  const auto judge = [&](double microseconds, const auto& launch) -> absl::StatusOr<double> {
    if (choice.multiprocessors == 0 || microseconds >= best.judged) {
      return microseconds;
    }
    ASSIGN_OR_RETURN(const uint64_t blocks, MaxBlocks(stream, launch));
    return Judged(microseconds, blocks, choice.multiprocessors);
  };
  absl::Status last_error;
  for (size_t i = 0; i < engines.size(); ++i) {
    const auto launch = [&] {
      return ExecuteConvolution(handle, engines[i].plan, pass, a.data(), b.data(), out.data(), workspace.data());
    };
    const absl::StatusOr<double> time = MicrosecondsInGraph(stream, launch, HopelessMicroseconds(best.judged));
    (void)cudaGetLastError();  // error of a launch that cuDNN tried and gave up
    if (!time.ok()) {
      last_error = WithPrefix(engines[i].name, time.status());
      // Work launched before the failure may still run. A sticky error would affect every later call, so it is returned
      // here.
      RETURN_IF_ERROR(WithPrefix(engines[i].name, CudaStatus(cudaStreamSynchronize(stream), "wait after a failure")));
      continue;
    }
    ASSIGN_OR_RETURN(const double judged, judge(*time, launch));
    if (judged < best.judged) {
      best = {i, std::nullopt, *time, judged};
    }
  }
  if (choice.own_kernels && type == ConvolutionType::kFp32) {
    for (const ConvolutionFp32Config& config : ConvolutionFp32Configs(shape, pass, ClusterMultiprocessors())) {
      const auto launch = [&] { return RunOwn(shape, pass, config, a.data(), b.data(), out.data(), stream); };
      ASSIGN_OR_RETURN(const double time, MicrosecondsInGraph(stream, launch, HopelessMicroseconds(best.judged)));
      ASSIGN_OR_RETURN(const double judged, judge(time, launch));
      if (judged < best.judged) {
        best = {best.engine, config, time, judged};
      }
    }
  }
  if (std::isfinite(best.judged)) {
    return best;
  }
  const std::string text = absl::StrCat("all of ", engines.size(), " engines of cuDNN ", cudnnGetVersion(),
                                        " failed, the last: ", last_error.message());
  return absl::IsResourceExhausted(last_error) ? absl::ResourceExhaustedError(text) : absl::UnimplementedError(text);
}

const ConvolutionEngine* FindByName(const std::vector<ConvolutionEngine>& engines, const std::string& name) {
  const auto found =
      std::find_if(engines.begin(), engines.end(), [&](const auto& engine) { return engine.name == name; });
  return found == engines.end() ? nullptr : &*found;
}

// Calls TimeEngines on TunedShape with the engines that exist for both shapes. If there are none, returns the first
// engine of `shape`.
absl::StatusOr<Timed> ChooseEngine(cudnnHandle_t handle, cudaStream_t stream, const ConvolutionShape& shape,
                                   ConvolutionPass pass, const ConvolutionEngineRules& rules,
                                   const std::vector<ConvolutionEngine>& engines, const EngineChoice& choice) {
  const ConvolutionShape tuned = TunedShape(shape);
  if (tuned.images == shape.images) {
    return TimeEngines(handle, stream, shape, pass, rules.type, engines, choice);
  }
  ASSIGN_OR_RETURN(const ConvolutionGraph graph, ConvolutionGraph::Make(handle, tuned, pass, rules.type));
  ASSIGN_OR_RETURN(std::vector<ConvolutionEngine> candidates, FindConvolutionEngines(handle, graph.graph(), rules));
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [&](const ConvolutionEngine& candidate) {
                                    return FindByName(engines, candidate.name) == nullptr;
                                  }),
                   candidates.end());
  if (candidates.empty()) {
    return Timed();
  }
  ASSIGN_OR_RETURN(Timed best, TimeEngines(handle, stream, tuned, pass, rules.type, candidates, choice));
  best.engine = static_cast<size_t>(FindByName(engines, candidates[best.engine].name) - engines.data());
  return best;
}

}  // namespace

absl::StatusOr<ConvolutionPlan> PlanConvolution(cudnnHandle_t handle, cudaStream_t stream,
                                                const ConvolutionShape& shape, ConvolutionPass pass,
                                                const ConvolutionEngineRules& rules, const EngineChoice& choice) {
  ASSIGN_OR_RETURN(ConvolutionGraph graph, ConvolutionGraph::Make(handle, shape, pass, rules.type));
  ASSIGN_OR_RETURN(std::vector<ConvolutionEngine> engines, FindConvolutionEngines(handle, graph.graph(), rules));
  Timed best;
  const ConvolutionEngine* const same =
      choice.like == nullptr ? nullptr : FindByName(engines, choice.like->engine.name);
  if (choice.like != nullptr && choice.like->own.has_value()) {
    best.own = choice.like->own;
  } else if (same != nullptr) {
    best.engine = static_cast<size_t>(same - engines.data());
  } else if (choice.autotune) {
    ASSIGN_OR_RETURN(best, ChooseEngine(handle, stream, shape, pass, rules, engines, choice));
  } else if (choice.own_kernels && rules.type == ConvolutionType::kFp32) {
    const std::vector<ConvolutionFp32Config> configs = ConvolutionFp32Configs(shape, pass, ClusterMultiprocessors());
    best.own = configs.empty() ? best.own : configs.front();
  }
  return ConvolutionPlan{std::move(graph), std::move(engines[best.engine]), best.own, best.microseconds};
}

absl::Status RunConvolutionPlan(cudnnHandle_t handle, cudaStream_t stream, const ConvolutionPlan& plan,
                                const ConvolutionShape& shape, ConvolutionPass pass, const void* a, const void* b,
                                void* out, void* workspace) {
  return plan.own.has_value() ? RunOwn(shape, pass, *plan.own, a, b, out, stream)
                              : ExecuteConvolution(handle, plan.engine.plan, pass, a, b, out, workspace);
}

}  // namespace lockstep
