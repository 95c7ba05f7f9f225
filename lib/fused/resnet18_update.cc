#include "lib/fused/resnet18_update.h"

#include <type_traits>

#include "lib/kernels/cuda_status.h"
#include "lib/kernels/sgd.h"

namespace lockstep {
namespace {

// How much of a step a launch does.
struct StepShare {
  float scale = 1;  // of the gradients
  bool first = true;
  bool last = true;
};

// All but the arrays. G: the gradient's type.
template <typename G, typename T>
SgdInput<G> InputFor(const MicroBatch<T>& batch, const GradientRange& range, const StepShare& share) {
  SgdInput<G> input;
  input.count = range.count();
  input.learning_rate = &batch.buffers.state->learning_rate;
  input.momentum = batch.options.momentum;
  input.weight_decay = batch.options.weight_decay;
  input.gradient_scale = share.scale;
  input.first = share.first;
  input.last = share.last;
  return input;
}

template <typename G, typename T>
absl::Status UpdateWeights(const MicroBatch<T>& batch, const ReadyGradients& ready, const G* gradient,
                           const StepShare& share) {
  const ResNet18Buffers<T>& buffers = batch.buffers;
  SgdInput<G> input = InputFor<G>(batch, ready.range, share);
  input.gradient = gradient;
  input.parameter = buffers.weights + ready.range.begin;
  input.velocity = buffers.weight_velocity + ready.range.begin;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    input.bf16_copy = buffers.network_weights + ready.range.begin;
  }
  return CudaStatus(SgdStep<G>(input, ready.stream, ready.max_multiprocessors), "SGD");
}

template <typename T>
absl::Status UpdateNorms(const MicroBatch<T>& batch, const ReadyGradients& ready, const float* gradient,
                         const StepShare& share) {
  const ResNet18Buffers<T>& buffers = batch.buffers;
  SgdInput<float> input = InputFor<float>(batch, ready.range, share);
  input.gradient = gradient;
  input.parameter = buffers.norms + ready.range.begin;
  input.velocity = buffers.norm_velocity + ready.range.begin;
  return CudaStatus(SgdStep<float>(input, ready.stream, ready.max_multiprocessors), "SGD");
}

}  // namespace

template <typename T>
absl::Status SgdUpdate<T>::Ready(const ReadyGradients& ready) {
  const ResNet18Buffers<T>& buffers = batch_.buffers;
  const StepShare share = {batch_.share, batch_.first, batch_.last};
  return ready.array == GradientArray::kWeights
             ? UpdateWeights(batch_, ready, buffers.weight_gradients + ready.range.begin, share)
             : UpdateNorms(batch_, ready, buffers.norm_gradients + ready.range.begin, share);
}

template <typename G, typename T>
absl::Status UpdateWeightRange(const MicroBatch<T>& batch, const ReadyGradients& ready, const G* gradient,
                               float scale) {
  return UpdateWeights(batch, ready, gradient, {scale, true, true});
}

template <typename T>
absl::Status UpdateNormRange(const MicroBatch<T>& batch, const ReadyGradients& ready, const float* gradient,
                             float scale) {
  return UpdateNorms(batch, ready, gradient, {scale, true, true});
}

template class SgdUpdate<float>;
template class SgdUpdate<__nv_bfloat16>;
template absl::Status UpdateWeightRange(const MicroBatch<float>&, const ReadyGradients&, const float*, float);
template absl::Status UpdateWeightRange(const MicroBatch<float>&, const ReadyGradients&, const __nv_bfloat16*, float);
template absl::Status UpdateWeightRange(const MicroBatch<__nv_bfloat16>&, const ReadyGradients&, const float*, float);
template absl::Status UpdateWeightRange(const MicroBatch<__nv_bfloat16>&, const ReadyGradients&, const __nv_bfloat16*,
                                        float);
template absl::Status UpdateNormRange(const MicroBatch<float>&, const ReadyGradients&, const float*, float);
template absl::Status UpdateNormRange(const MicroBatch<__nv_bfloat16>&, const ReadyGradients&, const float*, float);

}  // namespace lockstep
