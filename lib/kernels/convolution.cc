#include "lib/kernels/convolution.h"

#include <cuda_bf16.h>
#include <cudnn.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/kernels/add_partials.h"
#include "lib/kernels/convolution_plan.h"
#include "lib/kernels/cudnn_descriptor.h"

namespace lockstep {
namespace {

constexpr uintptr_t kWorkspaceAlignment = 256;  // cudaMalloc's (CUDA C++ Programming Guide, "Device Memory Accesses")

absl::Status Prefix(absl::string_view before, const absl::Status& status) {
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat(before, ": ", status.message()));
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

size_t Aligned(size_t bytes) { return (bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment; }

// Returns the bytes of each operand: for one image, or for all the weights.
std::array<size_t, 3> BytesOf(const ConvolutionShape& shape, ConvolutionPass pass, ConvolutionType type) {
  const ConvolutionOperands counts = CountOperands(WithImages(shape, 1), pass);
  const size_t element = ElementBytes(type);
  return {counts.a * element, counts.b * element, counts.out * element};
}

// Divides the batch into parts. In fp32, both activations of a part can be copied into the workspace, as most engines
// require (ConvolutionOptions), with an eighth left for their other data. If 8 images are already too large for that,
// only max_elements applies.
std::vector<ConvolutionPart> Divide(const ConvolutionShape& shape, ConvolutionType type,
                                    const ConvolutionOptions& options) {
  if (type == ConvolutionType::kFp32) {
    const uint64_t of_copies = options.max_workspace_bytes / (2 * sizeof(float)) / 8 * 7;
    std::vector<ConvolutionPart> parts = SplitConvolution(shape, std::min(options.max_elements, of_copies));
    if (!parts.empty()) {
      return parts;
    }
  }
  return SplitConvolution(shape, options.max_elements);
}

// Start of the operands of a part. The weights (b, or out for the weight gradient) are shared by all parts.
struct PartPointers {
  const char* a;
  const char* b;
  char* out;
};

PartPointers PointersOf(ConvolutionPass pass, const std::array<size_t, 3>& bytes, size_t first, const void* a,
                        const void* b, void* out) {
  const bool weight_gradient = pass == ConvolutionPass::kWeightGradient;
  return {static_cast<const char*>(a) + first * bytes[0],
          static_cast<const char*>(b) + (weight_gradient ? first * bytes[1] : 0),
          static_cast<char*>(out) + (weight_gradient ? 0 : first * bytes[2])};
}

}  // namespace

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
  ConvolutionShape shape;
  ConvolutionPass pass = ConvolutionPass::kForward;
  ConvolutionType type = ConvolutionType::kFp32;
  int device = 0;
  std::vector<ConvolutionPart> parts;
  // Plan of the first part, used for all parts of its size, and plan of the last part if it is smaller.
  std::vector<ConvolutionPlan> plans;

  const ConvolutionPlan& PlanOf(const ConvolutionPart& part) const {
    return part.images == parts.front().images ? plans.front() : plans.back();
  }
  // Workspace: the engines' memory (EngineBytes), followed by one weight gradient (PartialBytes) for each part except
  // the first (Partials).
  size_t EngineBytes() const {
    size_t bytes = 0;
    for (const ConvolutionPlan& plan : plans) {
      bytes = std::max(bytes, plan.WorkspaceBytes());
    }
    return parts.size() > 1 ? Aligned(bytes) : bytes;
  }
  size_t PartialBytes() const { return Aligned(BytesOf(shape, pass, type)[2]); }
  size_t Partials() const { return pass == ConvolutionPass::kWeightGradient ? parts.size() - 1 : 0; }
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
  std::unique_ptr<State> state(
      new State{DescribeConvolution(shape, pass, type), shape, pass, type, context.device(), {}, {}});
  RETURN_IF_ERROR(Prefix(state->name, CheckNotCaptured(context.stream())));
  state->parts = Divide(shape, type, options);
  if (state->parts.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(state->name, ": 8 images have a tensor of more than max_elements = ", options.max_elements));
  }
  const size_t limit = options.autotune ? static_cast<size_t>(options.candidates) : 1;
  const ConvolutionEngineRules rules = {type, options.deterministic, options.max_workspace_bytes, limit};
  EngineChoice choice = {options.autotune, options.own_kernels, nullptr, options.multiprocessors};
  state->plans.reserve(2);  // `choice` points to its first element
  for (const uint32_t images : {state->parts.front().images, state->parts.back().images}) {
    if (!state->plans.empty() && images == state->parts.front().images) {
      continue;
    }
    absl::StatusOr<ConvolutionPlan> plan =
        PlanConvolution(context.handle(), context.stream(), WithImages(shape, images), pass, rules, choice);
    RETURN_IF_ERROR(Prefix(state->name, plan.status()));
    state->plans.push_back(*std::move(plan));
    choice.like = &state->plans.front();
  }
  return std::unique_ptr<Convolution>(new Convolution(std::move(state)));
}

absl::Status Convolution::CheckPointers(const void* a, const void* b, const void* out, const void* workspace) const {
  for (const void* const pointer : {a, b, out}) {
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
  return absl::OkStatus();
}

absl::Status Convolution::Run(ConvolutionContext& context, const void* a, const void* b, void* out,
                              void* workspace) const {
  if (context.device() != state_->device) {
    return absl::InvalidArgumentError(absl::StrCat(state_->name, ": planned for device ", state_->device,
                                                   ", found a stream of device ", context.device()));
  }
  RETURN_IF_ERROR(CheckPointers(a, b, out, workspace));
  const std::array<size_t, 3> bytes = BytesOf(state_->shape, state_->pass, state_->type);
  char* const partials = static_cast<char*>(workspace) + state_->EngineBytes();
  for (size_t i = 0; i < state_->parts.size(); ++i) {
    const ConvolutionPart& part = state_->parts[i];
    const ConvolutionPlan& plan = state_->PlanOf(part);
    const PartPointers at = PointersOf(state_->pass, bytes, part.first, a, b, out);
    void* const to = i == 0 || state_->Partials() == 0 ? at.out : partials + (i - 1) * state_->PartialBytes();
    RETURN_IF_ERROR(
        Prefix(absl::StrCat(state_->name, ": ", plan.Name()),
               RunConvolutionPlan(context.handle(), context.stream(), plan, WithImages(state_->shape, part.images),
                                  state_->pass, at.a, at.b, to, workspace)));
  }
  return state_->Partials() == 0 ? absl::OkStatus() : SumPartials(out, partials, context.stream());
}

absl::Status Convolution::SumPartials(void* out, const void* partials, cudaStream_t stream) const {
  const size_t element = ElementBytes(state_->type);
  const PartialsToAdd shape = {state_->Partials(), state_->PartialBytes() / element,
                               CountOperands(state_->shape, state_->pass).out};
  const cudaError_t error =
      state_->type == ConvolutionType::kBf16
          ? AddPartials(shape, static_cast<const __nv_bfloat16*>(partials), static_cast<__nv_bfloat16*>(out), stream)
          : AddPartials(shape, static_cast<const float*>(partials), static_cast<float*>(out), stream);
  return CudaStatus(error, absl::StrCat(state_->name, ": add the partials"));
}

size_t Convolution::workspace_bytes() const {
  return state_->EngineBytes() + state_->Partials() * state_->PartialBytes();
}
double Convolution::microseconds() const { return state_->plans.front().microseconds; }
std::string Convolution::engine() const { return state_->plans.front().Name(); }
size_t Convolution::part_count() const { return state_->parts.size(); }

}  // namespace lockstep
