#include "lib/fused/resnet_forward.h"

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/kernels/augment_batch.h"
#include "lib/kernels/classifier.h"

namespace lockstep {
namespace {

// `ahead`: offset in images from the beginning of the step's batch.
template <typename T>
absl::Status MakeBatch(const MicroBatch<T>& batch, uint32_t ahead, const InputBatch<T>& to, cudaStream_t stream) {
  AugmentBatchInput input = batch.buffers.BatchInput();
  input.ahead = ahead;
  input.seed = batch.options.seed;
  input.batch = batch.plan.images;
  input.augment = batch.options.augment;
  input.rule = batch.options.augmentation;
  return CudaStatus(AugmentBatch<T>(input, ImageLayout::kPatches, to.images, to.labels, stream), "making a batch");
}

// Queues a unit on main. `residual_done`: event after the residual; null: it is already available.
template <typename T>
absl::Status ForwardUnit(const MicroBatch<T>& batch, size_t u, const T* input, const BatchNormResidual<T>& residual,
                         cudaEvent_t residual_done, T* output) {
  const StepStream& main = batch.streams.main();
  const UnitForward<T>& forward = *batch.plan.units[u].forward;
  const ForwardOperands<T> operands = OperandsOf(batch, u, input);
  RETURN_IF_ERROR(forward.BeforeResidual(operands, main));
  RETURN_IF_ERROR(batch.fork.Wait(main.handle, residual_done));
  return forward.WithResidual(operands, {residual, output, batch.buffers.mask[u]}, main);
}

template <typename T>
struct Residual {
  BatchNormResidual<T> residual;
  cudaEvent_t done = nullptr;  // event after the residual; null: already available
};

// Queues the shortcut's convolution on branch, after `input_done`. Its batch norm is applied where the residual is
// added.
template <typename T>
absl::StatusOr<Residual<T>> ForwardShortcut(const MicroBatch<T>& batch, size_t s, const T* input,
                                            cudaEvent_t input_done) {
  const StepStream& branch = batch.streams.branch();
  const ForwardOperands<T> operands = OperandsOf(batch, s, input);
  RETURN_IF_ERROR(batch.fork.Wait(branch.handle, input_done));
  RETURN_IF_ERROR(batch.plan.units[s].forward->BeforeResidual(operands, branch));
  ASSIGN_OR_RETURN(const cudaEvent_t done, batch.fork.Record(branch.handle));
  return Residual<T>{{operands.raw, operands.state.scale, operands.state.shift}, done};
}

template <typename T>
absl::Status ForwardBlock(const MicroBatch<T>& batch, size_t b) {
  const ResNetBuffers<T>& buffers = batch.buffers;
  const ResidualBlock& block = batch.net().blocks[b];
  const T* const input = buffers.BlockInput(b);
  Residual<T> around = {{input, nullptr, nullptr}, nullptr};
  ASSIGN_OR_RETURN(const cudaEvent_t input_done, batch.fork.Record(batch.streams.main().handle));
  RETURN_IF_ERROR(ForwardUnit(batch, block.conv1, input, {}, nullptr, buffers.inner[b]));
  // Queued after the convolution that it runs concurrently with: a graph runs a fork's first branch where the fork ran.
  if (block.shortcut.has_value()) {
    ASSIGN_OR_RETURN(around, ForwardShortcut(batch, *block.shortcut, input, input_done));
  }
  return ForwardUnit(batch, block.conv2, buffers.inner[b], around.residual, around.done, buffers.block_output[b]);
}

template <typename T>
absl::Status ClassifyAndTakeLoss(const MicroBatch<T>& batch) {
  const ResNetBuffers<T>& buffers = batch.buffers;
  const ClassifierInput<T> input = {buffers.block_output.back(), buffers.network_weights + batch.net().linear_weight,
                                    buffers.batch_norms + batch.net().bias(), batch.input->labels,
                                    batch.options.label_smoothing};
  return CudaStatus(ClassifierTrain<T>(batch.plan.classifier, input, buffers.ClassifierGradients(),
                                       buffers.classifier_workspace, batch.streams.main().handle),
                    "the classifier");
}

}  // namespace

template <typename T>
ForwardOperands<T> OperandsOf(const MicroBatch<T>& batch, size_t u, const T* input) {
  const ResNetBuffers<T>& buffers = batch.buffers;
  const ConvolutionUnit& unit = batch.net().units[u];
  ForwardOperands<T> operands;
  operands.batch_norm_name = unit.batch_norm_name;
  operands.x = input;
  operands.weights = buffers.network_weights + unit.weight;
  operands.raw = buffers.raw[u];
  operands.parameters = buffers.BatchNormParametersOf(unit);
  operands.state = buffers.BatchNormStateOf(unit);
  operands.lamport_buffer = buffers.lamport_buffer;
  return operands;
}

template <typename T>
absl::StatusOr<cudaEvent_t> EnqueueForward(const MicroBatch<T>& batch) {
  const cudaStream_t main = batch.streams.main().handle;
  if (!batch.input_made) {
    RETURN_IF_ERROR(MakeBatch(batch, 0, *batch.input, main));
  }
  RETURN_IF_ERROR(RecordTimestamp(batch, StepTimestamp::kBatchMade));
  RETURN_IF_ERROR(batch.fork.Wait(main, batch.weights_there));
  RETURN_IF_ERROR(ForwardUnit(batch, 0, batch.input->images, {}, nullptr, batch.buffers.stem_output));
  for (size_t b = 0; b < batch.net().blocks.size(); ++b) {
    RETURN_IF_ERROR(ForwardBlock(batch, b));
  }
  RETURN_IF_ERROR(batch.fork.Wait(main, batch.update_counted));
  ASSIGN_OR_RETURN(const cudaEvent_t blocks_done, batch.fork.Record(main));
  RETURN_IF_ERROR(ClassifyAndTakeLoss(batch));
  if (batch.next == nullptr) {
    return nullptr;
  }
  // Queued after the classifier, which it runs concurrently with: a graph runs a fork's first branch where the fork
  // ran.
  RETURN_IF_ERROR(batch.fork.Wait(batch.streams.update(), blocks_done));
  RETURN_IF_ERROR(MakeBatch(batch, batch.plan.images, *batch.next, batch.streams.update()));
  return batch.fork.Record(batch.streams.update());
}

template ForwardOperands<float> OperandsOf(const MicroBatch<float>&, size_t, const float*);
template ForwardOperands<__nv_bfloat16> OperandsOf(const MicroBatch<__nv_bfloat16>&, size_t, const __nv_bfloat16*);
template absl::StatusOr<cudaEvent_t> EnqueueForward(const MicroBatch<float>&);
template absl::StatusOr<cudaEvent_t> EnqueueForward(const MicroBatch<__nv_bfloat16>&);

}  // namespace lockstep
