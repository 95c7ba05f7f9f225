#include "lib/fused/resnet_step.h"

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/kernel_code.h"
#include "lib/cuda/wait_limit.h"
#include "lib/fused/evaluation_pass.h"
#include "lib/fused/exchanged_update.h"
#include "lib/fused/gradient_norm_update.h"
#include "lib/fused/gradient_schedule.h"
#include "lib/fused/micro_batch.h"
#include "lib/fused/partial_buffers.h"
#include "lib/fused/resnet_backward.h"
#include "lib/fused/resnet_buffers.h"
#include "lib/fused/resnet_forward.h"
#include "lib/fused/resnet_plan.h"
#include "lib/fused/resnet_update.h"
#include "lib/fused/shared_update.h"
#include "lib/fused/step_streams.h"
#include "lib/fused/step_timestamps.h"
#include "lib/fused/stream_fork.h"
#include "lib/kernels/step_state.h"

namespace lockstep {
namespace {

template <typename T>
class Step final : public ResNetStep {
 public:
  explicit Step(const ResNetStepOptions& options)
      : options_(options), buffers_(NetworkOf(options), MicroBatchImages(options), InputBatches(options)),
        streams_(options.two_streams) {}
  ~Step() override {
    for (const cudaEvent_t event : {updated_, counted_}) {
      if (event != nullptr) {
        cudaEventDestroy(event);
      }
    }
  }

  absl::Status Init(const ResidentImages& images);
  absl::Status Prepare(uint32_t batch) override;
  absl::Status Enqueue(uint32_t batch, uint32_t steps) override;

  absl::Status SetValues(const ResNetValues& values) override { return buffers_.Upload(values, stream()); }
  absl::StatusOr<ResNetValues> GetValues() override { return buffers_.DownloadValues(stream()); }
  absl::Status SetMomentum(const ResNetValues& momentum) override {
    return buffers_.UploadMomentum(momentum, stream());
  }
  absl::StatusOr<ResNetValues> GetMomentum() override { return buffers_.DownloadMomentum(stream()); }
  absl::StatusOr<ResNetValues> GetGradients() override { return buffers_.DownloadGradients(stream()); }

  std::vector<UnitKernels> Kernels(uint32_t batch) const override;
  absl::Status BeginEpoch(const std::vector<uint32_t>& order, uint32_t epoch, const std::vector<float>& rates) override;
  absl::StatusOr<ResNetCounts> EndEpoch() override;

  absl::Status BeginEvaluation(const std::vector<float>& running) override {
    return buffers_.BeginEvaluation(running, stream());
  }
  absl::Status EnqueueEvaluation(const EvaluationImages& images, uint32_t count, EvaluatedViews views) override;
  absl::StatusOr<EvaluationCounts> EndEvaluation() override { return buffers_.DownloadEvaluationCounts(stream()); }
  uint32_t evaluation_batch() const override { return MicroBatchImages(options_); }

  void SetTimestampTables(const StepTimestampTables& tables) override { timestamp_tables_ = tables; }
  cudaStream_t stream() const override { return streams_.main().handle; }
  size_t bytes() const override {
    return buffers_.bytes() + streams_.bytes() + partial_buffers_.bytes() + exchange_workspace_.bytes() +
           gradient_norm_update_workspace_.bytes();
  }

 private:
  absl::Status PrepareMicroBatch(uint32_t images);
  absl::StatusOr<MicroBatch<T>> PreparedMicroBatch(uint32_t images);
  absl::Status GatherShares(SharedUpdate& shared);
  absl::Status EnqueueStep(uint32_t batch, uint32_t step, uint32_t steps);
  absl::Status EnqueueMicroBatch(const MicroBatch<T>& batch);
  absl::Status EnqueueMicroBatch(const MicroBatch<T>& batch, GradientSink& update);
  absl::Status Advance(const MicroBatch<T>& batch, cudaEvent_t next_made);
  absl::Status EndStep(const MicroBatch<T>& batch);

  const ResNetStepOptions options_;
  ResNetBuffers<T> buffers_;
  uint32_t multiprocessors_ = 0;
  uint32_t epoch_steps_ = 0;
  std::map<uint32_t, BatchPlan<T>> plans_;  // keyed by the images computed at a time
  StreamFork fork_;
  cudaEvent_t updated_ = nullptr;  // event after the weight update of the last queued step
  cudaEvent_t counted_ = nullptr;  // event after that update is counted
  StepTimestampTables timestamp_tables_;
  PartialBuffers partial_buffers_;
  ExchangeWorkspace<T> exchange_workspace_;
  GradientNormUpdateWorkspace gradient_norm_update_workspace_;
  StepStreams streams_;  // last member: destroyed first, when it waits for queued work that uses the other members
};

template <typename T>
absl::Status Step<T>::Init(const ResidentImages& images) {
  int device = 0, multiprocessors = 0;
  RETURN_IF_ERROR(CudaStatus(cudaGetDevice(&device), "finding the GPU"));
  RETURN_IF_ERROR(
      CudaStatus(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "asking the GPU"));
  multiprocessors_ = static_cast<uint32_t>(multiprocessors);
  RETURN_IF_ERROR(ReportWaits("a step").status());  // allocates its memory before a capture could forbid it
  RETURN_IF_ERROR(streams_.Init());
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    const SharedUpdate* const shared = SharedUpdateOf(options_);
    RETURN_IF_ERROR(buffers_.Allocate(images, multiprocessors_, shared != nullptr ? shared->Weights() : nullptr));
  } else {
    RETURN_IF_ERROR(buffers_.Allocate(images, multiprocessors_));
  }
  streams_.SetBatchNormWorkspaces(buffers_.batch_norm_workspace);
  RETURN_IF_ERROR(exchange_workspace_.Init(options_, buffers_.net));
  RETURN_IF_ERROR(gradient_norm_update_workspace_.Init(options_));
  for (cudaEvent_t* const event : {&updated_, &counted_}) {
    RETURN_IF_ERROR(CudaStatus(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "making a CUDA event"));
  }
  return fork_.Init();
}

template <typename T>
absl::Status Step<T>::Prepare(uint32_t batch) {
  if (batch == 0 || batch > options_.max_batch) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a batch of 1 to ", options_.max_batch, " images, found ", batch));
  }
  const uint32_t micro_batch = std::min(batch, MicroBatchImages(options_));
  RETURN_IF_ERROR(PrepareMicroBatch(micro_batch));
  return batch % micro_batch == 0 ? absl::OkStatus() : PrepareMicroBatch(batch % micro_batch);
}

template <typename T>
absl::Status Step<T>::PrepareMicroBatch(uint32_t images) {
  if (plans_.count(images) != 0) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(BatchPlan<T> plan,
                   PlanBatch<T>(options_, buffers_.net, images, multiprocessors_, streams_, partial_buffers_));
  plans_.emplace(images, std::move(plan));
  return absl::OkStatus();
}

template <typename T>
std::vector<UnitKernels> Step<T>::Kernels(uint32_t batch) const {
  std::vector<UnitKernels> kernels;
  const auto plan = plans_.find(std::min(batch, MicroBatchImages(options_)));
  for (size_t u = 0; plan != plans_.end() && u < plan->second.units.size(); ++u) {
    const UnitPlan<T>& unit = plan->second.units[u];
    const bool from_batch_norm = u == 0 && plan->second.stem_from_batch_norm;
    kernels.push_back({buffers_.net.units[u].conv_name, unit.forward->name(),
                       unit.data_gradient == nullptr ? "" : unit.data_gradient->name(),
                       from_batch_norm ? "from the batch norm's output" : unit.weight_gradient->name()});
  }
  return kernels;
}

template <typename T>
absl::Status Step<T>::BeginEpoch(const std::vector<uint32_t>& order, uint32_t epoch, const std::vector<float>& rates) {
  epoch_steps_ = static_cast<uint32_t>(rates.size());
  return buffers_.BeginEpoch(order, epoch, rates, stream());
}

// Gathers, on all ranks, the weights and momentum that each rank updated, so that between epochs each rank has all
// values.
template <typename T>
absl::Status Step<T>::GatherShares(SharedUpdate& shared) {
  for (float* const array : {buffers_.weights, buffers_.weight_velocity}) {
    std::vector<SharedRange> ranges;
    for (const EarlyGradients& early : ScheduleGradients(buffers_.net, EarlyRanges::kPerLayer).early) {
      ranges.push_back({array + early.range.begin, early.range.count()});
    }
    RETURN_IF_ERROR(shared.GatherShares(ranges, stream()));
  }
  return absl::OkStatus();
}

template <typename T>
absl::StatusOr<ResNetCounts> Step<T>::EndEpoch() {
  ResNetCounts counts;
  SharedUpdate* const shared = SharedUpdateOf(options_);
  RETURN_IF_ERROR(shared != nullptr ? GatherShares(*shared) : absl::OkStatus());
  RETURN_IF_ERROR(CudaStatus(
      cudaMemcpyAsync(&counts.loss_sum, buffers_.loss_sum, sizeof(counts.loss_sum), cudaMemcpyDeviceToHost, stream()),
      "reading the loss"));
  RETURN_IF_ERROR(CudaStatus(
      cudaMemcpyAsync(&counts.correct, buffers_.correct, sizeof(counts.correct), cudaMemcpyDeviceToHost, stream()),
      "reading the number of correct predictions"));
  RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream()), "training on the GPU"));
  RETURN_IF_ERROR(CheckWaits());
  RETURN_IF_ERROR(options_.exchange == nullptr ? absl::OkStatus() : options_.exchange->Health());
  return counts;
}

// Between two steps, main waits for the weights. After the last step, main waits for the whole update.
template <typename T>
absl::Status Step<T>::Enqueue(uint32_t batch, uint32_t steps) {
  for (uint32_t s = 0; s < steps; ++s) {
    RETURN_IF_ERROR(EnqueueStep(batch, s, steps));
  }
  return fork_.Wait(stream(), steps == 0 ? nullptr : counted_);
}

template <typename T>
absl::StatusOr<MicroBatch<T>> Step<T>::PreparedMicroBatch(uint32_t images) {
  const auto plan = plans_.find(images);
  if (plan == plans_.end()) {
    return absl::FailedPreconditionError(absl::StrCat("a step of ", images, " images was not prepared"));
  }
  return MicroBatch<T>{options_, buffers_, streams_, fork_, partial_buffers_, timestamp_tables_, plan->second};
}

template <typename T>
absl::Status Step<T>::EnqueueEvaluation(const EvaluationImages& images, uint32_t count, EvaluatedViews views) {
  if (count == 0 || count > evaluation_batch()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected 1 to ", evaluation_batch(), " images to evaluate on, found ", count));
  }
  ASSIGN_OR_RETURN(MicroBatch<T> queued, PreparedMicroBatch(evaluation_batch()));
  queued.input = &buffers_.input.front();
  return lockstep::EnqueueEvaluation(queued, images, count, views);
}

// Queues the `step`-th of `steps` steps that are queued together.
template <typename T>
absl::Status Step<T>::EnqueueStep(uint32_t batch, uint32_t step, uint32_t steps) {
  const uint32_t micro_batch = MicroBatchImages(options_);
  for (uint32_t begin = 0; begin < batch; begin += micro_batch) {
    const uint32_t images = std::min(micro_batch, batch - begin);
    ASSIGN_OR_RETURN(MicroBatch<T> queued, PreparedMicroBatch(images));
    queued.share = static_cast<float>(images) / static_cast<float>(batch);
    queued.first = begin == 0;
    queued.last = begin + images == batch;
    const size_t inputs = buffers_.input.size();
    queued.input = &buffers_.input[step % inputs];
    queued.input_made = inputs > 1 && step > 0;
    queued.next = inputs > 1 && step + 1 < steps ? &buffers_.input[(step + 1) % inputs] : nullptr;
    if (queued.first && step > 0) {
      queued.weights_there = updated_;
      queued.update_counted = counted_;
    }
    fork_.Reset();
    partial_buffers_.Reset();
    RETURN_IF_ERROR(EnqueueMicroBatch(queued));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Step<T>::EnqueueMicroBatch(const MicroBatch<T>& batch) {
  if (options_.exchange == nullptr && !NeedsGradientNorms(options_)) {
    SgdUpdate<T> update(batch);
    return EnqueueMicroBatch(batch, update);
  }
  StepSgdUpdate<T> at_once(batch);
  GradientNormUpdate<T> after_gradient_norms(batch, gradient_norm_update_workspace_);
  StepSink& of_step = NeedsGradientNorms(options_) ? static_cast<StepSink&>(after_gradient_norms) : at_once;
  ExchangedUpdate<T> update(batch, exchange_workspace_, of_step);
  return EnqueueMicroBatch(batch, update);
}

template <typename T>
absl::Status Step<T>::EnqueueMicroBatch(const MicroBatch<T>& batch, GradientSink& update) {
  RETURN_IF_ERROR(RecordTimestamp(batch, StepTimestamp::kBegin));
  ASSIGN_OR_RETURN(const cudaEvent_t next_made, EnqueueForward(batch));
  RETURN_IF_ERROR(RecordTimestamp(batch, StepTimestamp::kForwardDone));
  RETURN_IF_ERROR(EnqueueBackward(batch, update));
  return Advance(batch, next_made);
}

// Advances the position in the epoch to the next step or micro-batch. The next step's batch, complete at next_made, was
// located from this step's position.
template <typename T>
absl::Status Step<T>::Advance(const MicroBatch<T>& batch, cudaEvent_t next_made) {
  const uint32_t images = batch.plan.images;
  if (batch.last) {
    RETURN_IF_ERROR(EndStep(batch));
    RETURN_IF_ERROR(fork_.Wait(stream(), next_made));
    return CudaStatus(AdvanceBatch(images, buffers_.state, stream()), "advancing to the next batch");
  }
  RETURN_IF_ERROR(fork_.Follow(streams_.tail(), stream()));
  return CudaStatus(AdvanceMicroBatch(images, buffers_.state, stream()), "advancing to the next micro-batch");
}

template <typename T>
absl::Status Step<T>::EndStep(const MicroBatch<T>& batch) {
  RETURN_IF_ERROR(RecordTimestamp(batch, StepTimestamp::kUpdated));
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(updated_, streams_.tail()), "recording a CUDA event"));
  RETURN_IF_ERROR(CudaStatus(AdvanceUpdate(buffers_.rates, epoch_steps_, buffers_.state, streams_.tail()),
                             "advancing to the next step"));
  return CudaStatus(cudaEventRecord(counted_, streams_.tail()), "recording a CUDA event");
}

template <typename T>
absl::StatusOr<std::unique_ptr<ResNetStep>> MakeStep(const ResNetStepOptions& options, const ResidentImages& images) {
  auto step = std::make_unique<Step<T>>(options);
  RETURN_IF_ERROR(step->Init(images));
  return std::unique_ptr<ResNetStep>(std::move(step));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ResNetStep>> ResNetStep::Make(const ResNetStepOptions& options,
                                                             const ResidentImages& images) {
  RETURN_IF_ERROR(CheckKernelCode());
  return options.type == ConvolutionType::kBf16 ? MakeStep<__nv_bfloat16>(options, images)
                                                : MakeStep<float>(options, images);
}

}  // namespace lockstep
