#include "lib/fused/resnet_update.h"

#include <type_traits>
#include <variant>

#include "lib/cuda/cuda_status.h"
#include "lib/fused/shared_update.h"
#include "lib/kernels/sgd.h"
#include "lib/peer/peer_update.h"

namespace lockstep {
namespace {

// Part of a step that a launch performs.
struct StepShare {
  float scale = 1;  // factor of the gradients
  bool first = true;
  bool last = true;
  const float* factors = nullptr;  // factors of SgdInput
  RangeSum sum;                    // addends of the gradient
};

// Returns the input without its arrays. G: the gradient's type.
template <typename G, typename T>
SgdInput<G> InputFor(const MicroBatch<T>& batch, const GradientRange& range, const StepShare& share) {
  SgdInput<G> input;
  input.count = range.count();
  input.learning_rate = &batch.buffers.state->learning_rate;
  input.momentum = batch.options.momentum;
  input.weight_decay = batch.options.weight_decay;
  input.nesterov = batch.options.nesterov;
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

// Adds the other ranks' copies of the weights to what the launch writes, for this rank's share.
template <typename G>
void WriteToOthers(const SharedUpdate& shared, size_t begin, SgdInput<G>& input) {
  for (__nv_bfloat16* const weights : shared.OtherWeights()) {
    input.other_copy[input.other_copies++] = weights + begin;
  }
}

template <typename G, typename T>
SgdInput<G> InputForWeights(const MicroBatch<T>& batch, const GradientRange& range, const G* gradient,
                            const StepShare& share) {
  const ResNetBuffers<T>& buffers = batch.buffers;
  SgdInput<G> input = InputFor<G>(batch, range, share);
  const size_t begin = range.begin + share.sum.share.begin;
  input.gradient = gradient;
  input.parameter = buffers.weights + begin;
  input.velocity = buffers.weight_velocity + begin;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    input.bf16_copy = buffers.network_weights + begin;
    if (share.sum.shared) {
      input.count = share.sum.share.count;
      WriteToOthers(*SharedUpdateOf(batch.options), begin, input);
    }
  }
  return input;
}

template <typename G, typename T>
SgdInput<G> InputForBatchNorms(const MicroBatch<T>& batch, const GradientRange& range, const G* gradient,
                               const StepShare& share) {
  SgdInput<G> input = InputFor<G>(batch, range, share);
  input.gradient = gradient;
  input.parameter = batch.buffers.batch_norms + range.begin;
  input.velocity = batch.buffers.batch_norm_velocity + range.begin;
  return input;
}

template <typename G, typename T>
absl::Status Update(const MicroBatch<T>& batch, const ReadyGradients& ready, const G* gradient,
                    const StepShare& share) {
  const SgdInput<G> input = ready.array == GradientArray::kWeights
                                ? InputForWeights(batch, ready.range, gradient, share)
                                : InputForBatchNorms(batch, ready.range, gradient, share);
  return CudaStatus(SgdStep<G>(input, ready.stream, ready.max_multiprocessors), "SGD");
}

StepShare WholeStep(const StepGradients& gradients) {
  return {.scale = gradients.scale, .factors = gradients.factors, .sum = gradients.sum};
}

}  // namespace

template <typename T>
absl::Status SgdUpdate<T>::Ready(const ReadyGradients& ready) {
  const ResNetBuffers<T>& buffers = batch_.buffers;
  const StepShare share = {batch_.share, batch_.first, batch_.last, nullptr, {}};
  return ready.array == GradientArray::kWeights
             ? Update(batch_, ready, buffers.weight_gradients + ready.range.begin, share)
             : Update(batch_, ready, buffers.batch_norm_gradients + ready.range.begin, share);
}

template <typename T>
absl::Status UpdateRange(const MicroBatch<T>& batch, const StepGradients& gradients) {
  return std::visit(
      [&](const auto* gradient) { return Update(batch, gradients.ready, gradient, WholeStep(gradients)); },
      gradients.gradient);
}

template <typename T>
absl::Status UpdateTogether(const MicroBatch<T>& batch, const TogetherGradients& together) {
  const StepGradients &weights = together.weights, &batch_norms = together.batch_norms;
  ArrivalTimestamps arrival;
  if (batch.timestamp_tables.ranges.steps != 0) {
    arrival.step = &batch.buffers.state->update_step;
    arrival.table = batch.timestamp_tables.ranges;
    for (const uint32_t range : {together.weights_range, together.batch_norms_range}) {
      arrival.column[arrival.columns++] = range * kRangeTimestamps + static_cast<uint32_t>(RangeTimestamp::kSummed);
    }
  }
  return std::visit(
      [&](const auto* gradient) {
        using G = std::remove_cv_t<std::remove_pointer_t<decltype(gradient)>>;
        PeerUpdateInput<G> input;
        input.weights = InputForWeights(batch, weights.ready.range, gradient, WholeStep(weights));
        input.batch_norms = InputForBatchNorms(batch, batch_norms.ready.range,
                                               std::get<const float*>(batch_norms.gradient), WholeStep(batch_norms));
        input.arrival = arrival;
        return CudaStatus(PeerUpdate(together.push, input, weights.ready.stream), "the last gradients and SGD");
      },
      weights.gradient);
}

template class SgdUpdate<float>;
template class SgdUpdate<__nv_bfloat16>;
template absl::Status UpdateRange(const MicroBatch<float>&, const StepGradients&);
template absl::Status UpdateRange(const MicroBatch<__nv_bfloat16>&, const StepGradients&);
template absl::Status UpdateTogether(const MicroBatch<float>&, const TogetherGradients&);
template absl::Status UpdateTogether(const MicroBatch<__nv_bfloat16>&, const TogetherGradients&);

}  // namespace lockstep
