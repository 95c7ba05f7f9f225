#include "lib/fused/exchanged_update.h"

#include <type_traits>

#include "lib/base/status_macros.h"
#include "lib/fused/resnet18_update.h"
#include "lib/kernels/cuda_status.h"
#include "lib/kernels/wire_gradients.h"

namespace lockstep {
namespace {

template <typename W>
constexpr WireType kTypeOf = std::is_same_v<W, __nv_bfloat16> ? WireType::kBf16 : WireType::kFp32;

template <typename T>
constexpr bool kIsBf16 = std::is_same_v<T, __nv_bfloat16>;

bool HasMicroBatches(const ResNet18StepOptions& options) { return MicroBatchImages(options) < options.max_batch; }

// One range from this rank's gradients to the sum over all ranks, which is at `wire`. Nothing is sent before the last
// micro-batch.
template <typename G, typename W, typename T>
absl::Status Exchange(const MicroBatch<T>& batch, const ReadyGradients& ready, const G* gradient, float* sum, W* wire,
                      cudaStream_t then) {
  const bool whole = batch.first && batch.last;
  if (!whole || static_cast<const void*>(gradient) != static_cast<const void*>(wire)) {
    WireInput<G, W> input;
    input.count = ready.range.count();
    input.gradient = gradient;
    input.share = batch.share;
    input.sum = sum;
    input.wire = wire;
    input.first = batch.first;
    input.last = batch.last;
    RETURN_IF_ERROR(CudaStatus(WireGradients(input, ready.stream, ready.max_multiprocessors), "adding up gradients"));
  }
  return batch.last ? batch.options.exchange->Sum(wire, ready.range.count(), kTypeOf<W>, ready.stream, then)
                    : absl::OkStatus();
}

}  // namespace

template <typename T>
ExchangeRoom<T>::~ExchangeRoom() {
  if (update != nullptr) {
    cudaStreamSynchronize(update);
    cudaStreamDestroy(update);
  }
}

template <typename T>
void ExchangeRoom<T>::TakeAll(const ResNet18StepOptions& options, const ResNet18Units& net) {
  const bool bf16_wire = options.exchange->wire() == WireType::kBf16;
  if (HasMicroBatches(options) || (kIsBf16<T> && !bf16_wire)) {
    arena_.Take(net.weight_count, weight_sum);
  }
  if (!kIsBf16<T> && bf16_wire) {
    arena_.Take(net.weight_count, weight_wire);
  }
  if (HasMicroBatches(options)) {
    arena_.Take(net.norm_count(), norm_sum);
  }
}

template <typename T>
size_t ExchangeRoom<T>::PredictBytes(const ResNet18StepOptions& options, const ResNet18Units& net) {
  if (options.exchange == nullptr) {
    return 0;
  }
  ExchangeRoom room;
  room.TakeAll(options, net);
  return room.bytes();
}

template <typename T>
absl::Status ExchangeRoom<T>::Init(const ResNet18StepOptions& options, const ResNet18Units& net) {
  if (options.exchange == nullptr) {
    return absl::OkStatus();
  }
  TakeAll(options, net);
  if (arena_.bytes() > 0) {
    RETURN_IF_ERROR(arena_.Allocate());
  }
  int least = 0, greatest = 0;
  RETURN_IF_ERROR(CudaStatus(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking the GPU"));
  return CudaStatus(cudaStreamCreateWithPriority(&update, cudaStreamNonBlocking, least), "making a CUDA stream");
}

template <typename T>
absl::Status ExchangedUpdate<T>::Ready(const ReadyGradients& ready) {
  RETURN_IF_ERROR(ready.array == GradientArray::kWeights ? ReadyWeights(ready) : ReadyNorms(ready));
  const bool stem = ready.array == GradientArray::kWeights && ready.range.begin == 0;
  if (!stem || !batch_.last) {
    return absl::OkStatus();
  }
  batch_.options.exchange->EndStep();
  return batch_.fork.Follow(room_.update, batch_.lanes.main().stream);
}

template <typename T>
absl::Status ExchangedUpdate<T>::ReadyWeights(const ReadyGradients& ready) const {
  const size_t begin = ready.range.begin;
  T* const gradient = batch_.buffers.weight_gradients + begin;
  float* const sum = room_.weight_sum == nullptr ? nullptr : room_.weight_sum + begin;
  const ReadyGradients then = {ready.array, ready.range, room_.update, ready.max_multiprocessors};
  const float scale = 1.0f / static_cast<float>(batch_.options.exchange->ranks());
  if (kIsBf16<T> == (batch_.options.exchange->wire() == WireType::kBf16)) {
    RETURN_IF_ERROR(Exchange(batch_, ready, gradient, sum, gradient, room_.update));
    return batch_.last ? UpdateWeightRange(batch_, then, gradient, scale) : absl::OkStatus();
  }
  if constexpr (kIsBf16<T>) {
    RETURN_IF_ERROR(Exchange(batch_, ready, gradient, sum, sum, room_.update));
    return batch_.last ? UpdateWeightRange(batch_, then, sum, scale) : absl::OkStatus();
  } else {
    __nv_bfloat16* const wire = room_.weight_wire + begin;
    RETURN_IF_ERROR(Exchange(batch_, ready, gradient, sum, wire, room_.update));
    return batch_.last ? UpdateWeightRange(batch_, then, wire, scale) : absl::OkStatus();
  }
}

// Always in fp32: 38 KB in all.
template <typename T>
absl::Status ExchangedUpdate<T>::ReadyNorms(const ReadyGradients& ready) const {
  const size_t begin = ready.range.begin;
  float* const gradient = batch_.buffers.norm_gradients + begin;
  float* const sum = room_.norm_sum == nullptr ? nullptr : room_.norm_sum + begin;
  RETURN_IF_ERROR(Exchange(batch_, ready, gradient, sum, gradient, room_.update));
  const ReadyGradients then = {ready.array, ready.range, room_.update, ready.max_multiprocessors};
  const float scale = 1.0f / static_cast<float>(batch_.options.exchange->ranks());
  return batch_.last ? UpdateNormRange(batch_, then, gradient, scale) : absl::OkStatus();
}

template class ExchangeRoom<float>;
template class ExchangeRoom<__nv_bfloat16>;
template class ExchangedUpdate<float>;
template class ExchangedUpdate<__nv_bfloat16>;

}  // namespace lockstep
