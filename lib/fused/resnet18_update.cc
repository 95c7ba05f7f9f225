#include "lib/fused/resnet18_update.h"

#include <type_traits>

#include "lib/kernels/cuda_status.h"
#include "lib/kernels/sgd.h"

namespace lockstep {
namespace {

// All but the arrays. G: the gradient's type.
template <typename G, typename T>
SgdInput<G> InputFor(const MicroBatch<T>& batch, const GradientRange& range) {
  SgdInput<G> input;
  input.count = range.count();
  input.learning_rate = &batch.buffers.state->learning_rate;
  input.momentum = batch.options.momentum;
  input.weight_decay = batch.options.weight_decay;
  input.gradient_scale = batch.share;
  input.first = batch.first;
  input.last = batch.last;
  return input;
}

}  // namespace

template <typename T>
absl::Status SgdUpdate<T>::Ready(const ReadyGradients& ready) {
  return ready.array == GradientArray::kWeights ? UpdateWeights(ready) : UpdateNorms(ready);
}

template <typename T>
absl::Status SgdUpdate<T>::UpdateWeights(const ReadyGradients& ready) const {
  const ResNet18Buffers<T>& buffers = batch_.buffers;
  SgdInput<T> input = InputFor<T>(batch_, ready.range);
  input.gradient = buffers.weight_gradients + ready.range.begin;
  input.parameter = buffers.weights + ready.range.begin;
  input.velocity = buffers.weight_velocity + ready.range.begin;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    input.bf16_copy = buffers.network_weights + ready.range.begin;
  }
  return CudaStatus(SgdStep<T>(input, ready.stream, ready.max_multiprocessors), "SGD");
}

template <typename T>
absl::Status SgdUpdate<T>::UpdateNorms(const ReadyGradients& ready) const {
  const ResNet18Buffers<T>& buffers = batch_.buffers;
  SgdInput<float> input = InputFor<float>(batch_, ready.range);
  input.gradient = buffers.norm_gradients + ready.range.begin;
  input.parameter = buffers.norms + ready.range.begin;
  input.velocity = buffers.norm_velocity + ready.range.begin;
  return CudaStatus(SgdStep<float>(input, ready.stream, ready.max_multiprocessors), "SGD");
}

template class SgdUpdate<float>;
template class SgdUpdate<__nv_bfloat16>;

}  // namespace lockstep
