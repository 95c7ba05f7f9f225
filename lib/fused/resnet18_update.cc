#include "lib/fused/resnet18_update.h"

#include <type_traits>
#include <variant>

#include "lib/kernels/cuda_status.h"
#include "lib/kernels/sgd.h"

namespace lockstep {
namespace {

// How much of a step a launch does.
struct StepShare {
  float scale = 1;  // of the gradients
  bool first = true;
  bool last = true;
  const float* factors = nullptr;  // as in SgdInput
  RangeSum sum;                    // the gradient's parts
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
  input.factors = share.factors;
  input.ranks = share.sum.ranks;
  for (uint32_t rank = 0; rank < input.ranks; ++rank) {
    input.of_rank[rank] = static_cast<const G*>(share.sum.of_rank[rank]) + share.sum.share.begin;
  }
  return input;
}

// The weights of this rank's share come to all other ranks on the way.
template <typename G>
void WriteToOthers(const GradientExchange& exchange, size_t begin, SgdInput<G>& input) {
  for (uint32_t rank = 0; rank < exchange.ranks(); ++rank) {
    if (rank != exchange.rank()) {
      input.other_copy[input.other_copies++] = exchange.SharedWeights(rank) + begin;
    }
  }
}

template <typename G, typename T>
absl::Status UpdateWeights(const MicroBatch<T>& batch, const ReadyGradients& ready, const G* gradient,
                           const StepShare& share) {
  const ResNet18Buffers<T>& buffers = batch.buffers;
  SgdInput<G> input = InputFor<G>(batch, ready.range, share);
  const size_t begin = ready.range.begin + share.sum.share.begin;
  input.gradient = gradient;
  input.parameter = buffers.weights + begin;
  input.velocity = buffers.weight_velocity + begin;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    input.bf16_copy = buffers.network_weights + begin;
    if (share.sum.shared) {
      input.count = share.sum.share.count;
      WriteToOthers(*batch.options.exchange, begin, input);
    }
  }
  return CudaStatus(SgdStep<G>(input, ready.stream, ready.max_multiprocessors), "SGD");
}

template <typename G, typename T>
absl::Status UpdateNorms(const MicroBatch<T>& batch, const ReadyGradients& ready, const G* gradient,
                         const StepShare& share) {
  const ResNet18Buffers<T>& buffers = batch.buffers;
  SgdInput<G> input = InputFor<G>(batch, ready.range, share);
  input.gradient = gradient;
  input.parameter = buffers.norms + ready.range.begin;
  input.velocity = buffers.norm_velocity + ready.range.begin;
  return CudaStatus(SgdStep<G>(input, ready.stream, ready.max_multiprocessors), "SGD");
}

}  // namespace

template <typename T>
absl::Status SgdUpdate<T>::Ready(const ReadyGradients& ready) {
  const ResNet18Buffers<T>& buffers = batch_.buffers;
  const StepShare share = {batch_.share, batch_.first, batch_.last, nullptr, {}};
  return ready.array == GradientArray::kWeights
             ? UpdateWeights(batch_, ready, buffers.weight_gradients + ready.range.begin, share)
             : UpdateNorms(batch_, ready, buffers.norm_gradients + ready.range.begin, share);
}

template <typename T>
absl::Status UpdateRange(const MicroBatch<T>& batch, const StepGradients& gradients) {
  const StepShare whole = {gradients.scale, true, true, gradients.factors, gradients.sum};
  return std::visit(
      [&](const auto* gradient) {
        return gradients.ready.array == GradientArray::kWeights ? UpdateWeights(batch, gradients.ready, gradient, whole)
                                                                : UpdateNorms(batch, gradients.ready, gradient, whole);
      },
      gradients.gradient);
}

template class SgdUpdate<float>;
template class SgdUpdate<__nv_bfloat16>;
template absl::Status UpdateRange(const MicroBatch<float>&, const StepGradients&);
template absl::Status UpdateRange(const MicroBatch<__nv_bfloat16>&, const StepGradients&);

}  // namespace lockstep
