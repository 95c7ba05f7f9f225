#include "lib/kernels/convolution.h"

#include <cuda_bf16.h>
#include <cudnn.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/kernels/convolution_engines.h"
#include "lib/kernels/convolution_graph.h"
#include "lib/kernels/cuda_status.h"
#include "lib/kernels/cudnn_descriptor.h"
#include "lib/kernels/device_buffer.h"
#include "lib/kernels/graph_timer.h"
#include "lib/kernels/random_tensor.h"

namespace lockstep {
namespace {

constexpr uintptr_t kWorkspaceAlignment = 256;  // cudaMalloc's (CUDA C++ Programming Guide, "Device Memory Accesses")

absl::Status Prefix(absl::string_view before, const absl::Status& status) {
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat(before, ": ", status.message()));
}

absl::StatusOr<DeviceBuffer> MakeTensor(size_t count, ConvolutionType type, cudaStream_t stream) {
  return type == ConvolutionType::kBf16 ? MakeRandomTensor<__nv_bfloat16>(count, stream)
                                        : MakeRandomTensor<float>(count, stream);
}

struct Timed {
  size_t engine = 0;
  double microseconds = 0;
};

// The fastest of `engines`; of equals the first. One that fails is passed over; an error when all do.
absl::StatusOr<Timed> TimeEngines(const ConvolutionContext& context, const ConvolutionShape& shape,
                                  ConvolutionPass pass, ConvolutionType type,
                                  const std::vector<ConvolutionEngine>& engines) {
  const ConvolutionOperands counts = CountOperands(shape, pass);
  size_t workspace_bytes = 0;
  for (const ConvolutionEngine& engine : engines) {
    workspace_bytes = std::max(workspace_bytes, engine.workspace_bytes);
  }
  ASSIGN_OR_RETURN(const DeviceBuffer a, MakeTensor(counts.a, type, context.stream()));
  ASSIGN_OR_RETURN(const DeviceBuffer b, MakeTensor(counts.b, type, context.stream()));
  ASSIGN_OR_RETURN(const DeviceBuffer out, MakeTensor(counts.out, type, context.stream()));
  ASSIGN_OR_RETURN(const DeviceBuffer workspace, DeviceBuffer::Make(workspace_bytes));
  Timed best;
  absl::Status last_error;
  bool found = false;
  for (size_t i = 0; i < engines.size(); ++i) {
    const absl::StatusOr<double> time = MicrosecondsInGraph(context.stream(), [&] {
      return ExecuteConvolution(context.handle(), engines[i].plan, pass, a.data(), b.data(), out.data(),
                                workspace.data());
    });
    (void)cudaGetLastError();  // a launch that cuDNN tried and gave up
    if (!time.ok()) {
      last_error = Prefix(engines[i].name, time.status());
      // What failed in between may still run; an error that stays would be every later call's.
      RETURN_IF_ERROR(
          Prefix(engines[i].name, CudaStatus(cudaStreamSynchronize(context.stream()), "wait after a failure")));
      continue;
    }
    if (!found || *time < best.microseconds) {
      best = {i, *time};
      found = true;
    }
  }
  if (found) {
    return best;
  }
  const std::string text = absl::StrCat("all of ", engines.size(), " engines of cuDNN ", cudnnGetVersion(),
                                        " failed, the last: ", last_error.message());
  return absl::IsResourceExhausted(last_error) ? absl::ResourceExhaustedError(text) : absl::UnimplementedError(text);
}

// TimeEngines on TunedShape, with the engines that it and the shape have in common; the shape's first if there is none.
absl::StatusOr<Timed> ChooseEngine(const ConvolutionContext& context, const ConvolutionShape& shape, ConvolutionPass pass,
                                   const ConvolutionEngineRules& rules, const std::vector<ConvolutionEngine>& engines) {
  const ConvolutionShape tuned = TunedShape(shape);
  if (tuned.images == shape.images) {
    return TimeEngines(context, shape, pass, rules.type, engines);
  }
  ASSIGN_OR_RETURN(const ConvolutionGraph graph, ConvolutionGraph::Make(context.handle(), tuned, pass, rules.type));
  ASSIGN_OR_RETURN(std::vector<ConvolutionEngine> candidates, FindConvolutionEngines(context.handle(), graph.graph(), rules));
  const auto same = [&](const ConvolutionEngine& candidate) {
    return std::find_if(engines.begin(), engines.end(), [&](const ConvolutionEngine& engine) { return engine.name == candidate.name; });
  };
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [&](const ConvolutionEngine& candidate) { return same(candidate) == engines.end(); }),
                   candidates.end());
  if (candidates.empty()) {
    return Timed();
  }
  ASSIGN_OR_RETURN(Timed best, TimeEngines(context, tuned, pass, rules.type, candidates));
  best.engine = static_cast<size_t>(same(candidates[best.engine]) - engines.begin());
  return best;
}

absl::Status CheckNotCaptured(cudaStream_t stream) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  RETURN_IF_ERROR(CudaStatus(cudaStreamIsCapturing(stream, &capture), "ask whether the stream is captured"));
  if (capture != cudaStreamCaptureStatusNone) {
    return absl::FailedPreconditionError("expected a stream that is not being captured: plan before the capture");
  }
  return absl::OkStatus();
}

bool IsMultiple(const void* pointer, uintptr_t of) { return reinterpret_cast<uintptr_t>(pointer) % of == 0; }

}  // namespace

ConvolutionShape TunedShape(const ConvolutionShape& shape) {
  constexpr uint32_t kMostImages = 1024;
  ConvolutionShape tuned = shape;
  tuned.images = std::min(shape.images, kMostImages);
  return tuned;
}

absl::StatusOr<std::unique_ptr<ConvolutionContext>> ConvolutionContext::Make(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
    return absl::InvalidArgumentError(
        "convolution: expected a stream of its own, found a default stream, which no graph can capture");
  }
  int device = 0;
  RETURN_IF_ERROR(CudaStatus(cudaGetDevice(&device), "convolution: ask for the device"));
  cudnnHandle_t handle = nullptr;
  RETURN_IF_ERROR(CudnnStatus(cudnnCreate(&handle), "convolution: make a handle"));
  std::unique_ptr<ConvolutionContext> context(new ConvolutionContext(handle, stream, device));
  RETURN_IF_ERROR(CudnnStatus(cudnnSetStream(handle, stream), "convolution: set the handle's stream"));
  return context;
}

ConvolutionContext::~ConvolutionContext() { (void)cudnnDestroy(handle_); }

struct Convolution::State {
  std::string name;
  ConvolutionPass pass = ConvolutionPass::kForward;
  int device = 0;
  ConvolutionGraph graph;  // before the engine, which refers to it
  ConvolutionEngine engine;
  double microseconds = 0;
};

Convolution::Convolution(std::unique_ptr<State> state) : state_(std::move(state)) {}
Convolution::~Convolution() = default;

absl::StatusOr<std::unique_ptr<Convolution>> Convolution::Plan(ConvolutionContext& context,
                                                               const ConvolutionShape& shape, ConvolutionPass pass,
                                                               ConvolutionType type,
                                                               const ConvolutionOptions& options) {
  RETURN_IF_ERROR(CheckConvolutionShape(shape));
  if (options.candidates < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("convolution: candidates must be at least 1, found ", options.candidates));
  }
  const std::string name = DescribeConvolution(shape, pass, type);
  RETURN_IF_ERROR(Prefix(name, CheckNotCaptured(context.stream())));
  absl::StatusOr<ConvolutionGraph> graph = ConvolutionGraph::Make(context.handle(), shape, pass, type);
  RETURN_IF_ERROR(Prefix(name, graph.status()));
  const size_t limit = options.autotune ? static_cast<size_t>(options.candidates) : 1;
  const ConvolutionEngineRules rules = {type, options.deterministic, options.max_workspace_bytes, limit};
  absl::StatusOr<std::vector<ConvolutionEngine>> engines = FindConvolutionEngines(context.handle(), graph->graph(), rules);
  RETURN_IF_ERROR(Prefix(name, engines.status()));
  absl::StatusOr<Timed> best = Timed();
  if (options.autotune) {
    best = ChooseEngine(context, shape, pass, rules, *engines);
    RETURN_IF_ERROR(Prefix(name, best.status()));
  }
  return std::unique_ptr<Convolution>(new Convolution(std::unique_ptr<State>(new State{
      name, pass, context.device(), *std::move(graph), std::move((*engines)[best->engine]), best->microseconds})));
}

absl::Status Convolution::Run(ConvolutionContext& context, const void* a, const void* b, void* out,
                              void* workspace) const {
  if (context.device() != state_->device) {
    return absl::InvalidArgumentError(absl::StrCat(state_->name, ": planned for device ", state_->device,
                                                   ", found a stream of device ", context.device()));
  }
  for (const void* const pointer : {a, b, static_cast<const void*>(out)}) {
    if (pointer == nullptr || !IsMultiple(pointer, kConvolutionAlignment)) {
      return absl::InvalidArgumentError(absl::StrCat(state_->name, ": a, b and out must lie at multiples of ",
                                                     kConvolutionAlignment, " bytes and not be null, found ",
                                                     reinterpret_cast<uintptr_t>(pointer)));
    }
  }
  if ((workspace == nullptr && workspace_bytes() > 0) || !IsMultiple(workspace, kWorkspaceAlignment)) {
    return absl::InvalidArgumentError(absl::StrCat(state_->name, ": expected ", workspace_bytes(),
                                                   " bytes of workspace at a multiple of ", kWorkspaceAlignment,
                                                   ", found ", reinterpret_cast<uintptr_t>(workspace)));
  }
  const absl::Status run =
      ExecuteConvolution(context.handle(), state_->engine.plan, state_->pass, a, b, out, workspace);
  return run.ok() ? run : Prefix(absl::StrCat(state_->name, ": ", state_->engine.name), run);
}

size_t Convolution::workspace_bytes() const { return state_->engine.workspace_bytes; }
double Convolution::microseconds() const { return state_->microseconds; }
const std::string& Convolution::engine() const { return state_->engine.name; }

}  // namespace lockstep
