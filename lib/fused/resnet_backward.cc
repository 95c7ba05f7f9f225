#include "lib/fused/resnet_backward.h"

#include <type_traits>

#include "absl/status/statusor.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/fused/unit_backward.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/batch_norm_backward.h"
#include "lib/kernels/classifier.h"
#include "lib/kernels/stem_gradient.h"

namespace lockstep {
namespace {

template <typename T>
absl::Status Follow(const MicroBatch<T>& batch, const StepStream& leader, const StepStream& follower) {
  return batch.fork.Follow(leader.handle, follower.handle);
}

// --- One unit ---

// Returns whether one launch can compute the whole backward pass of a batch norm.
bool IsShort(const MicroBatch<__nv_bfloat16>& batch, const BatchNormShape& shape,
             const Upstream<__nv_bfloat16>& upstream) {
  return batch.options.short_batch_norms && upstream.progress == BatchNormBackward::kUntouched &&
         upstream.gradient.dy2 == nullptr && shape.rows <= kMaxBatchNormBackwardRows;
}

// Finishes the backward pass of a batch norm. In place: the gradient of the raw output replaces the raw output, which
// nothing reads afterwards. `dresidual`: out, the gradient before the ReLU, for a residual that was added unchanged;
// null: not needed.
template <typename T>
absl::Status BackwardBatchNorm(const MicroBatch<T>& batch, size_t u, const Upstream<T>& upstream,
                               const StepStream& stream, T* dresidual = nullptr) {
  const ConvolutionUnit& unit = batch.net().units[u];
  const UnitPlan<T>& plan = batch.plan.units[u];
  T* const raw = batch.buffers.raw[u];
  const BatchNormGradients gradients = batch.buffers.BatchNormGradientsOf(unit);
  if (upstream.progress == BatchNormBackward::kApplied) {
    return dresidual == nullptr ? absl::OkStatus() : absl::InternalError("a gradient that was not stored is needed");
  }
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    if (IsShort(batch, plan.batch_norm, upstream)) {
      return CudaStatus(
          BatchNormBackwardAtOnce(plan.batch_norm, raw, upstream.gradient, batch.buffers.BatchNormStateOf(unit),
                                  gradients, raw, dresidual, stream.handle),
          unit.batch_norm_name);
    }
  }
  if (upstream.progress == BatchNormBackward::kUntouched) {
    RETURN_IF_ERROR(CudaStatus(BatchNormBackwardReduce<T>(plan.batch_norm, plan.launch, raw, upstream.gradient,
                                                          batch.buffers.BatchNormStateOf(unit), gradients,
                                                          stream.batch_norm_workspace, stream.handle),
                               unit.batch_norm_name));
  }
  const RowOrder order =
      upstream.progress == BatchNormBackward::kUntouched ? RowOrder::kFirstToLast : RowOrder::kLastToFirst;
  return CudaStatus(BatchNormBackwardApply<T>(plan.batch_norm, raw, upstream.gradient, gradients, raw, dresidual, order,
                                              stream.handle),
                    unit.batch_norm_name);
}

// Queues the split-K partials on `stream`, and their sum on `sums`, concurrent with what comes next on `stream`.
absl::Status BackwardWeightSplitK(const MicroBatch<__nv_bfloat16>& batch, const WeightGradient& way,
                                  const __nv_bfloat16* dy, const __nv_bfloat16* input, __nv_bfloat16* gradient,
                                  cudaStream_t stream) {
  const cudaStream_t sums = batch.streams.sums();
  PartialBuffers::Buffer& buffer = batch.partial_buffers.Next();
  RETURN_IF_ERROR(batch.fork.Wait(stream, buffer.read));
  RETURN_IF_ERROR(way.Multiply(dy, input, gradient, buffer.partials.data(), stream));
  RETURN_IF_ERROR(batch.fork.Follow(stream, sums));
  RETURN_IF_ERROR(way.AddUp(gradient, buffer.partials.data(), sums));
  ASSIGN_OR_RETURN(buffer.read, batch.fork.Record(sums));
  return absl::OkStatus();
}

template <typename T>
T* WeightGradientOf(const MicroBatch<T>& batch, size_t u) {
  return batch.buffers.weight_gradients + batch.net().units[u].weight;
}

template <typename T>
absl::Status BackwardWeight(const MicroBatch<T>& batch, size_t u, const T* input, const StepStream& stream) {
  T* const gradient = WeightGradientOf(batch, u);
  const UnitWeightGradient<T>& way = *batch.plan.units[u].weight_gradient;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    if (batch.plan.partitioned && way.split_k() != nullptr) {
      return BackwardWeightSplitK(batch, *way.split_k(), batch.buffers.raw[u], input, gradient, stream.handle);
    }
  }
  return way.Run(batch.buffers.raw[u], input, gradient, stream);
}

// Queues the batch norm on main, and then the weight gradient on side, concurrent with what comes next on main.
template <typename T>
absl::Status BackwardBatchNormAndWeight(const MicroBatch<T>& batch, size_t u, const Upstream<T>& upstream,
                                        const T* input, T* dresidual = nullptr) {
  RETURN_IF_ERROR(BackwardBatchNorm(batch, u, upstream, batch.streams.main(), dresidual));
  RETURN_IF_ERROR(Follow(batch, batch.streams.main(), batch.streams.side()));
  return BackwardWeight(batch, u, input, batch.streams.side());
}

// Returns the operands of a data gradient to the input of unit u, without the batch norm below.
template <typename T>
DataGradientOperands<T> OperandsOf(const MicroBatch<T>& batch, size_t u, T* dx) {
  DataGradientOperands<T> operands;
  operands.dy = batch.buffers.raw[u];
  operands.weights = batch.buffers.network_weights + batch.net().units[u].weight;
  operands.dx = dx;
  operands.lamport_buffer = batch.buffers.lamport_buffer;
  return operands;
}

// Returns the operands with the batch norm below. `below`: unit whose normalised and rectified output unit u read.
template <typename T>
DataGradientOperands<T> OperandsToBatchNorm(const MicroBatch<T>& batch, size_t u, size_t below, T* dx) {
  const ConvolutionUnit& unit = batch.net().units[below];
  DataGradientOperands<T> operands = OperandsOf(batch, u, dx);
  operands.batch_norm_x = batch.buffers.raw[below];
  operands.relu_mask = batch.buffers.mask[below];
  operands.state = batch.buffers.BatchNormStateOf(unit);
  operands.gradients = batch.buffers.BatchNormGradientsOf(unit);
  return operands;
}

// --- One block ---

// Returns true if the launch of the block's first data gradient also adds the shortcut's gradient.
template <typename T>
bool JoinsWhatComesAround(const MicroBatch<T>& batch, const ResidualBlock& block) {
  return batch.plan.units[block.conv1].data_gradient->gives() != BatchNormBackward::kUntouched;
}

// Queues the block's second convolution on main, from the gradient of the block's output. Returns the gradient that
// reaches the batch norm of the first convolution. `dresidual`: as in BackwardBatchNorm.
template <typename T>
absl::StatusOr<Upstream<T>> BackwardSecond(const MicroBatch<T>& batch, size_t b, const Upstream<T>& upstream,
                                           T* dresidual) {
  const ResidualBlock& block = batch.net().blocks[b];
  RETURN_IF_ERROR(BackwardBatchNormAndWeight(batch, block.conv2, upstream, batch.buffers.inner[b], dresidual));
  DataGradientOperands<T> operands = OperandsToBatchNorm(batch, block.conv2, block.conv1, batch.buffers.inner_gradient);
  operands.dx_is_read = false;
  return batch.plan.units[block.conv2].data_gradient->Run(operands, batch.streams.main());
}

// Queues the shortcut of block b on branch, after `output_done`. Writes its data gradient to dx, unless the first
// convolution's launch computes it. Returns the event after the shortcut; null if the block has none.
template <typename T>
absl::StatusOr<cudaEvent_t> BackwardShortcut(const MicroBatch<T>& batch, size_t b, const BatchNormUpstream<T>& gradient,
                                             cudaEvent_t output_done, T* dx) {
  const ResidualBlock& block = batch.net().blocks[b];
  if (!block.shortcut.has_value()) {
    return nullptr;
  }
  const size_t s = *block.shortcut;
  const StepStream& branch = batch.streams.branch();
  RETURN_IF_ERROR(batch.fork.Wait(branch.handle, output_done));
  RETURN_IF_ERROR(BackwardBatchNorm(batch, s, {gradient, BatchNormBackward::kUntouched}, branch));
  if (!batch.plan.partitioned) {
    RETURN_IF_ERROR(Follow(batch, branch, batch.streams.side()));
    RETURN_IF_ERROR(BackwardWeight(batch, s, batch.buffers.BlockInput(b), batch.streams.side()));
  }
  if (!JoinsWhatComesAround(batch, block)) {
    RETURN_IF_ERROR(batch.plan.units[s].data_gradient->Run(OperandsOf(batch, s, dx), branch).status());
  }
  return batch.fork.Record(branch.handle);
}

// Queues the data gradient of the block's first convolution on main, to the block's input, in dx. `around`: gradient
// that reaches that input through the shortcut, complete at shortcut_done.
template <typename T>
absl::StatusOr<Upstream<T>> BackwardFirst(const MicroBatch<T>& batch, size_t b, const T* around,
                                          cudaEvent_t shortcut_done, T* dx) {
  const ResidualBlock& block = batch.net().blocks[b];
  const size_t below = b == 0 ? 0 : batch.net().blocks[b - 1].conv2;
  const StepStream& main = batch.streams.main();
  DataGradientOperands<T> operands = OperandsToBatchNorm(batch, block.conv1, below, dx);
  operands.addend = around;
  if (block.shortcut.has_value()) {
    operands.shortcut_dy = batch.buffers.raw[*block.shortcut];
    operands.shortcut_weights = batch.buffers.network_weights + batch.net().units[*block.shortcut].weight;
  }
  const bool joined = JoinsWhatComesAround(batch, block);
  if (joined) {
    RETURN_IF_ERROR(batch.fork.Wait(main.handle, shortcut_done));
  }
  ASSIGN_OR_RETURN(const Upstream<T> input, batch.plan.units[block.conv1].data_gradient->Run(operands, main));
  if (!joined) {
    RETURN_IF_ERROR(batch.fork.Wait(main.handle, shortcut_done));
  }
  return input;
}

// Queues the shortcut's weight gradient if the SMs are partitioned, on a stream of its own. The stream has the least
// priority, because the chain of data gradients needs SMs first. Split-K partials are added up there, too.
template <typename T>
absl::Status BackwardPartitionedShortcutWeights(const MicroBatch<T>& batch, size_t b, cudaEvent_t shortcut_done) {
  const ResidualBlock& block = batch.net().blocks[b];
  if (!block.shortcut.has_value() || !batch.plan.partitioned) {
    return absl::OkStatus();
  }
  const StepStream& stream = batch.streams.shortcut_weights();
  RETURN_IF_ERROR(batch.fork.Wait(stream.handle, shortcut_done));
  const size_t s = *block.shortcut;
  return batch.plan.units[s].weight_gradient->Run(batch.buffers.raw[s], batch.buffers.BlockInput(b),
                                                  WeightGradientOf(batch, s), stream);
}

// Queues a block, from the gradient of its output to that of its input, in dx and, if it stays in two addends, dx2.
template <typename T>
absl::StatusOr<Upstream<T>> BackwardBlock(const MicroBatch<T>& batch, size_t b, const Upstream<T>& upstream, T* dx,
                                          T* dx2) {
  const ResidualBlock& block = batch.net().blocks[b];
  const T* around = dx2;  // gradient that reaches the input through the shortcut
  T* dresidual = nullptr;
  ASSIGN_OR_RETURN(const cudaEvent_t output_done, batch.fork.Record(batch.streams.main().handle));
  if (!block.shortcut.has_value()) {
    if (upstream.progress != BatchNormBackward::kUntouched && JoinsWhatComesAround(batch, block)) {
      around = upstream.gradient.dy;  // unchanged; read before this block ends, so the next one may overwrite it
    } else {
      dresidual = dx2;
    }
  }
  ASSIGN_OR_RETURN(const Upstream<T> inner, BackwardSecond(batch, b, upstream, dresidual));
  ASSIGN_OR_RETURN(const cudaEvent_t shortcut_done, BackwardShortcut(batch, b, upstream.gradient, output_done, dx2));
  RETURN_IF_ERROR(BackwardBatchNormAndWeight(batch, block.conv1, inner, batch.buffers.BlockInput(b)));
  ASSIGN_OR_RETURN(const Upstream<T> input, BackwardFirst(batch, b, around, shortcut_done, dx));
  RETURN_IF_ERROR(BackwardPartitionedShortcutWeights(batch, b, shortcut_done));
  return input;
}

// --- The whole ---

// Queues the gradients of the classifier's parameters. Returns the event after them.
template <typename T>
absl::StatusOr<cudaEvent_t> BackwardClassifier(const MicroBatch<T>& batch) {
  const StepStream& stream = batch.plan.partitioned ? batch.streams.branch() : batch.streams.main();
  RETURN_IF_ERROR(Follow(batch, batch.streams.main(), stream));
  RETURN_IF_ERROR(CudaStatus(ClassifierParameters<T>(batch.plan.classifier, batch.buffers.ClassifierGradients(),
                                                     batch.buffers.classifier_workspace, stream.handle),
                             "the classifier's gradients"));
  return batch.fork.Record(stream.handle);
}

// Queues the stem on main. Returns the event after which all batch norm gradients are final; the stem's weight gradient
// is not final by then.
template <typename T>
absl::StatusOr<cudaEvent_t> BackwardStem(const MicroBatch<T>& batch, const Upstream<T>& upstream) {
  const ResNetBuffers<T>& buffers = batch.buffers;
  const StepStream& main = batch.streams.main();
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    if (batch.plan.stem_from_batch_norm) {
      const ConvolutionUnit& stem = batch.net().units[0];
      ASSIGN_OR_RETURN(const cudaEvent_t batch_norms_done, batch.fork.Record(main.handle));
      RETURN_IF_ERROR(
          CudaStatus(StemGradient(batch.plan.units[0].batch_norm.rows, buffers.raw[0], upstream.gradient.dy,
                                  buffers.BatchNormGradientsOf(stem), batch.input->images,
                                  buffers.weight_gradients + stem.weight, buffers.stem_workspace, main.handle),
                     "the first convolution's gradient"));
      return batch_norms_done;
    }
  }
  RETURN_IF_ERROR(BackwardBatchNorm(batch, 0, upstream, main));
  ASSIGN_OR_RETURN(const cudaEvent_t batch_norms_done, batch.fork.Record(main.handle));
  RETURN_IF_ERROR(BackwardWeight(batch, 0, batch.input->images, main));
  return batch_norms_done;
}

// Passes on the ranges that are final once block b is done: layer 4 and the classifier during layer 3, layer 3 during
// layer 2. If the SMs are not partitioned, the launch that takes the gradients fills the GPU, and both are one range.
template <typename T>
absl::Status HandOnEarly(const MicroBatch<T>& batch, size_t b, GradientSink& sink) {
  const StepStreams& streams = batch.streams;
  for (const EarlyGradients& early : batch.plan.gradients.early) {
    if (early.block != b) {
      continue;
    }
    if (!batch.plan.partitioned) {
      RETURN_IF_ERROR(Follow(batch, streams.main(), streams.side()));
      return sink.Ready({.array = GradientArray::kWeights,
                         .range = early.range,
                         .stream = streams.side().handle,
                         .max_multiprocessors = early.max_multiprocessors,
                         .early = true});
    }
    for (const StepStream* stream : streams.all()) {
      RETURN_IF_ERROR(batch.fork.Follow(stream->handle, streams.update()));
    }
    RETURN_IF_ERROR(batch.fork.Follow(streams.sums(), streams.update()));
    return sink.Ready({.array = GradientArray::kWeights,
                       .range = early.range,
                       .stream = streams.update(),
                       .max_multiprocessors = early.max_multiprocessors,
                       .early = true});
  }
  return absl::OkStatus();
}

// Passes on the rest of the weights, during the stem's gradient, and `batch_norms`; then joins all streams to main.
template <typename T>
absl::Status HandOnTheRest(const MicroBatch<T>& batch, cudaEvent_t weights_read, cudaEvent_t batch_norms_done,
                           cudaEvent_t classifier_done, GradientSink& sink) {
  const StepStreams& streams = batch.streams;
  const GradientSchedule& gradients = batch.plan.gradients;
  RETURN_IF_ERROR(batch.fork.Wait(streams.side().handle, weights_read));
  if (batch.plan.partitioned) {
    RETURN_IF_ERROR(Follow(batch, streams.shortcut_weights(), streams.side()));
    RETURN_IF_ERROR(batch.fork.Follow(streams.sums(), streams.side().handle));
  }
  RETURN_IF_ERROR(sink.Ready({GradientArray::kWeights, gradients.rest, streams.side().handle, 0}));
  RETURN_IF_ERROR(batch.fork.Wait(streams.update(), batch_norms_done));
  RETURN_IF_ERROR(batch.fork.Wait(streams.update(), classifier_done));
  RETURN_IF_ERROR(sink.Ready({GradientArray::kBatchNorms, gradients.batch_norms, streams.update(), 0}));
  RETURN_IF_ERROR(batch.fork.Follow(streams.update(), streams.main().handle));
  return Follow(batch, streams.side(), streams.main());
}

}  // namespace

template <typename T>
absl::Status EnqueueBackward(const MicroBatch<T>& batch, GradientSink& sink) {
  const ResNetBuffers<T>& buffers = batch.buffers;
  const size_t blocks = batch.net().blocks.size();
  const StepStream& main = batch.streams.main();
  if (batch.plan.partitioned) {
    RETURN_IF_ERROR(batch.fork.Follow(main.handle, batch.streams.sums()));  // joins a capture before other streams wait
                                                                            // for `sums`
  }
  ASSIGN_OR_RETURN(const cudaEvent_t classifier_done, BackwardClassifier(batch));
  const uint8_t* const last_mask = buffers.mask[batch.net().blocks.back().conv2];
  Upstream<T> upstream = {{buffers.gradient[0], nullptr, last_mask}, BatchNormBackward::kUntouched};
  for (size_t i = 0; i < blocks; ++i) {
    const size_t b = blocks - 1 - i;
    // Two pairs of buffers alternate: a block reads one pair and writes the other.
    T* const dx = buffers.gradient[i % 2 == 0 ? 2 : 0];
    T* const dx2 = buffers.gradient[i % 2 == 0 ? 3 : 1];
    ASSIGN_OR_RETURN(upstream, BackwardBlock(batch, b, upstream, dx, dx2));
    RETURN_IF_ERROR(HandOnEarly(batch, b, sink));
  }
  ASSIGN_OR_RETURN(const cudaEvent_t weights_read, batch.fork.Record(main.handle));
  ASSIGN_OR_RETURN(const cudaEvent_t batch_norms_done, BackwardStem(batch, upstream));
  RETURN_IF_ERROR(RecordTimestamp(batch, StepTimestamp::kOwnBackwardDone));
  RETURN_IF_ERROR(HandOnTheRest(batch, weights_read, batch_norms_done, classifier_done, sink));
  RETURN_IF_ERROR(RecordTimestamp(batch, StepTimestamp::kAllGradientsDone));
  RETURN_IF_ERROR(batch.fork.Follow(main.handle, batch.streams.tail()));
  return sink.Ready({GradientArray::kWeights, batch.plan.gradients.stem, batch.streams.tail(), 0});
}

template absl::Status EnqueueBackward(const MicroBatch<float>&, GradientSink&);
template absl::Status EnqueueBackward(const MicroBatch<__nv_bfloat16>&, GradientSink&);

}  // namespace lockstep
