#include "lib/fused/exchanged_update.h"

#include <type_traits>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/fused/shared_update.h"
#include "lib/kernels/sent_gradients.h"

namespace lockstep {
namespace {

template <typename W>
constexpr CommunicationDtype kTypeOf =
    std::is_same_v<W, __nv_bfloat16> ? CommunicationDtype::kBf16 : CommunicationDtype::kFp32;

template <typename T>
constexpr bool kIsBf16 = std::is_same_v<T, __nv_bfloat16>;

bool HasMicroBatches(const ResNetStepOptions& options) { return MicroBatchImages(options) < options.max_batch; }

// Returns the type in which this rank holds a step's gradients: the exchange's, or fp32 if micro-batches are added up.
template <typename T>
CommunicationDtype CommunicationDtypeOf(const ResNetStepOptions& options) {
  if (options.exchange != nullptr) {
    return options.exchange->communication_dtype();
  }
  return HasMicroBatches(options) ? CommunicationDtype::kFp32 : kTypeOf<T>;
}

bool NeedsWorkspace(const ResNetStepOptions& options) {
  return options.exchange != nullptr || NeedsGradientNorms(options);
}

}  // namespace

template <typename T>
ExchangeWorkspace<T>::~ExchangeWorkspace() {
  for (const cudaStream_t stream : {update, timestamps}) {
    if (stream != nullptr) {
      cudaStreamSynchronize(stream);
      cudaStreamDestroy(stream);
    }
  }
}

template <typename T>
void ExchangeWorkspace<T>::TakeAll(const ResNetStepOptions& options, const ResNetUnits& net) {
  const bool sends_bf16 = CommunicationDtypeOf<T>(options) == CommunicationDtype::kBf16;
  if (HasMicroBatches(options) || (kIsBf16<T> && !sends_bf16)) {
    arena_.Take(net.weight_count, weight_sum);
  }
  if (!kIsBf16<T> && sends_bf16) {
    arena_.Take(net.weight_count, weight_send_buffer);
  }
  if (HasMicroBatches(options)) {
    arena_.Take(net.batch_norm_count(), batch_norm_sum);
  }
}

template <typename T>
size_t ExchangeWorkspace<T>::PredictBytes(const ResNetStepOptions& options, const ResNetUnits& net) {
  if (!NeedsWorkspace(options)) {
    return 0;
  }
  ExchangeWorkspace workspace;
  workspace.TakeAll(options, net);
  return workspace.bytes();
}

template <typename T>
absl::Status ExchangeWorkspace<T>::Init(const ResNetStepOptions& options, const ResNetUnits& net) {
  if (!NeedsWorkspace(options)) {
    return absl::OkStatus();
  }
  TakeAll(options, net);
  if (arena_.bytes() > 0) {
    RETURN_IF_ERROR(arena_.Allocate());
  }
  if (options.exchange == nullptr) {
    return absl::OkStatus();
  }
  int least = 0, greatest = 0;
  RETURN_IF_ERROR(CudaStatus(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking the GPU"));
  for (cudaStream_t* stream : {&update, &timestamps}) {
    RETURN_IF_ERROR(
        CudaStatus(cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, least), "making a CUDA stream"));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status ExchangedUpdate<T>::Ready(const ReadyGradients& ready) {
  RETURN_IF_ERROR(ready.array == GradientArray::kWeights ? ReadyWeights(ready) : ReadyBatchNorms(ready));
  const bool stem = ready.array == GradientArray::kWeights && ready.range.begin == 0;
  if (!stem || !batch_.last) {
    return absl::OkStatus();
  }
  if (batch_.options.exchange != nullptr) {
    RETURN_IF_ERROR(batch_.fork.Follow(workspace_.update, batch_.streams.tail()));
    RETURN_IF_ERROR(batch_.options.exchange->EndStep(batch_.streams.tail()));
  }
  return then_.Finish();
}

// Returns the exchange of addends, or null if ranges must be summed in place.
template <typename T>
AddendExchange* ExchangedUpdate<T>::addend_exchange() const {
  GradientExchange* const exchange = batch_.options.exchange;
  return exchange != nullptr && then_.AddsRanks() ? exchange->addend_exchange() : nullptr;
}

// Sums a range in place or, if the update adds the ranks, gathers the addends of all ranks. Begins after the work queued
// on the range's stream. The update stream waits for the end or, with timestamps, for the timestamp after it.
template <typename T>
template <typename W>
absl::StatusOr<RangeSum> ExchangedUpdate<T>::SumOrGather(const ReadyGradients& ready, W* send_buffer) {
  const auto sum = [&](cudaStream_t then) -> absl::StatusOr<RangeSum> {
    RangeToSum range = {send_buffer, ready.range.count(), kTypeOf<W>, ready.stream, then, ready.max_multiprocessors};
    range.sharable = ready.early;
    if (AddendExchange* const addends = addend_exchange(); addends != nullptr) {
      return addends->Gather(range);
    }
    RETURN_IF_ERROR(batch_.options.exchange->Sum(range));
    return RangeSum();
  };
  if (batch_.timestamp_tables.ranges.steps == 0) {
    return sum(workspace_.update);
  }
  RETURN_IF_ERROR(RecordTimestamp(batch_, range_, RangeTimestamp::kReady, ready.stream));
  ASSIGN_OR_RETURN(const RangeSum where, sum(workspace_.timestamps));
  RETURN_IF_ERROR(RecordTimestamp(batch_, range_, RangeTimestamp::kSummed, workspace_.timestamps));
  ++range_;
  RETURN_IF_ERROR(batch_.fork.Follow(workspace_.timestamps, workspace_.update));
  return where;
}

// Takes one range from this rank's gradients to the sum over all ranks, which is at `send_buffer`. Nothing is sent or
// passed on before the last micro-batch.
template <typename T>
template <typename G, typename W>
absl::Status ExchangedUpdate<T>::SumAndHandOn(const ReadyGradients& ready, const G* gradient, float* sum,
                                              W* send_buffer) {
  const bool whole = batch_.first && batch_.last;
  if (!whole || static_cast<const void*>(gradient) != static_cast<const void*>(send_buffer)) {
    SentGradientsInput<G, W> input;
    input.count = ready.range.count();
    input.gradient = gradient;
    input.share = batch_.share;
    input.sum = sum;
    input.send_buffer = send_buffer;
    input.first = batch_.first;
    input.last = batch_.last;
    RETURN_IF_ERROR(
        CudaStatus(ComputeSentGradients(input, ready.stream, ready.max_multiprocessors), "adding up gradients"));
  }
  if (!batch_.last) {
    return absl::OkStatus();
  }
  if (GoesWithTheLast(ready)) {
    if (ready.array == GradientArray::kWeights && ready.range.begin == 0) {
      return HandOnTogether(send_buffer);
    }
    (ready.array == GradientArray::kWeights ? rest_ : batch_norms_) = ready.range;
    if (ready.array == GradientArray::kBatchNorms && batch_.timestamp_tables.ranges.steps != 0) {
      batch_norms_range_ = range_++;
      return RecordTimestamp(batch_, batch_norms_range_, RangeTimestamp::kReady, ready.stream);
    }
    return absl::OkStatus();
  }
  StepGradients step;
  step.ready = ready;
  step.gradient = send_buffer;
  if (batch_.options.exchange != nullptr) {
    ASSIGN_OR_RETURN(step.sum, SumOrGather(ready, send_buffer));
  }
  return HandOn(step);
}

template <typename T>
absl::Status ExchangedUpdate<T>::HandOn(StepGradients step) {
  if (const GradientExchange* const exchange = batch_.options.exchange; exchange != nullptr) {
    step.ready.stream = workspace_.update;
    step.scale = 1.0f / static_cast<float>(exchange->ranks());
  }
  RETURN_IF_ERROR(then_.Take(step));
  return step.sum.shared ? SharedUpdateOf(batch_.options)->WeightsWritten(workspace_.update) : absl::OkStatus();
}

template <typename T>
bool ExchangedUpdate<T>::GoesWithTheLast(const ReadyGradients& ready) const {
  AddendExchange* const addends = addend_exchange();
  return !ready.early && addends != nullptr && addends->GathersTogether();
}

// Passes the last ranges on together, on `tail`: the stem is ready there, after everything on the streams named before.
// `first_weight`: first weight gradient to be sent; the gradients of the rest follow those of the stem.
template <typename T>
template <typename W>
absl::Status ExchangedUpdate<T>::HandOnTogether(W* first_weight) {
  const cudaStream_t tail = batch_.streams.tail();
  float* const batch_norms = batch_.buffers.batch_norm_gradients + batch_norms_.begin;
  RETURN_IF_ERROR(batch_.fork.Follow(workspace_.update, tail));
  SharedUpdate* const shared = SharedUpdateOf(batch_.options);
  RETURN_IF_ERROR(shared != nullptr ? shared->WeightsWritten(tail) : absl::OkStatus());
  TogetherGradients together;
  together.batch_norms_range = batch_norms_range_;
  together.weights_range = range_++;
  if (batch_.timestamp_tables.ranges.steps != 0) {
    RETURN_IF_ERROR(RecordTimestamp(batch_, together.weights_range, RangeTimestamp::kReady, tail));
  }
  ASSIGN_OR_RETURN(together.push, addend_exchange()->GatherTogether(
                                      {first_weight, rest_.end, kTypeOf<W>, tail, tail},
                                      {batch_norms, batch_norms_.count(), CommunicationDtype::kFp32, tail, tail}));
  together.batch_norms.ready = {GradientArray::kBatchNorms, batch_norms_, tail};
  together.batch_norms.gradient = batch_norms;
  together.weights.ready = {GradientArray::kWeights, {0, rest_.end}, tail};
  together.weights.gradient = first_weight;
  together.batch_norms.scale = together.weights.scale = 1.0f / static_cast<float>(batch_.options.exchange->ranks());
  return then_.TakeTogether(together);
}

template <typename T>
absl::Status ExchangedUpdate<T>::ReadyWeights(const ReadyGradients& ready) {
  const size_t begin = ready.range.begin;
  T* const gradient = batch_.buffers.weight_gradients + begin;
  float* const sum = workspace_.weight_sum == nullptr ? nullptr : workspace_.weight_sum + begin;
  if (kTypeOf<T> == CommunicationDtypeOf<T>(batch_.options)) {
    return SumAndHandOn(ready, gradient, sum, gradient);
  }
  if constexpr (kIsBf16<T>) {
    return SumAndHandOn(ready, gradient, sum, sum);
  } else {
    return SumAndHandOn(ready, gradient, sum, workspace_.weight_send_buffer + begin);
  }
}

// Processes `batch_norms`, which is always sent in fp32: 38 KB in all.
template <typename T>
absl::Status ExchangedUpdate<T>::ReadyBatchNorms(const ReadyGradients& ready) {
  const size_t begin = ready.range.begin;
  float* const gradient = batch_.buffers.batch_norm_gradients + begin;
  return SumAndHandOn(ready, gradient,
                      workspace_.batch_norm_sum == nullptr ? nullptr : workspace_.batch_norm_sum + begin, gradient);
}

template class ExchangeWorkspace<float>;
template class ExchangeWorkspace<__nv_bfloat16>;
template class ExchangedUpdate<float>;
template class ExchangedUpdate<__nv_bfloat16>;

}  // namespace lockstep
