#include "lib/fused/evaluation_pass.h"

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/fused/resnet_forward.h"
#include "lib/fused/unit_forward.h"
#include "lib/kernels/augment_batch.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/classifier.h"
#include "lib/kernels/step_state.h"

namespace lockstep {
namespace {

template <typename T>
class EvaluationPass {
 public:
  EvaluationPass(const MicroBatch<T>& batch, const EvaluationImages& images, uint32_t count)
      : batch_(batch), buffers_(batch.buffers), main_(batch.streams.main()), images_(images), count_(count) {}

  absl::Status Run(EvaluatedViews views) const {
    T* const plain = buffers_.block_output.back();
    RETURN_IF_ERROR(Forward(EvaluationView::kPlain, plain));
    RETURN_IF_ERROR(Classify(EvaluationView::kPlain, plain));
    if (views == EvaluatedViews::kPlainAndMirrored) {
      T* const mirrored = buffers_.gradient[0];
      T* const mean = buffers_.gradient[1];
      RETURN_IF_ERROR(Forward(EvaluationView::kMirrored, mirrored));
      RETURN_IF_ERROR(Average(plain, mirrored, mean));
      RETURN_IF_ERROR(Classify(EvaluationView::kMirrored, mean));
    }
    return CudaStatus(AdvanceMicroBatch(count_, buffers_.state, main_.handle), "advancing to the next images");
  }

 private:
  // Queues the forward pass from the images to the last activations.
  absl::Status Forward(EvaluationView view, T* output) const {
    const size_t blocks = batch_.net().blocks.size();
    RETURN_IF_ERROR(MakeBatch(view));
    RETURN_IF_ERROR(Unit(0, batch_.input->images, {}, buffers_.stem_output));
    for (size_t b = 0; b < blocks; ++b) {
      RETURN_IF_ERROR(Block(b, b + 1 == blocks ? output : buffers_.block_output[b]));
    }
    return absl::OkStatus();
  }

  absl::Status MakeBatch(EvaluationView view) const {
    AugmentBatchInput input = buffers_.BatchInput();
    images_.ReadBy(input);
    input.batch = count_;
    input.augment = false;
    input.mirror = view == EvaluationView::kMirrored;
    return CudaStatus(
        AugmentBatch<T>(input, ImageLayout::kPatches, batch_.input->images, batch_.input->labels, main_.handle),
        "making a batch to evaluate on");
  }

  absl::Status Convolve(size_t u, const T* input) const {
    ForwardOperands<T> operands = OperandsOf(batch_, u, input);
    operands.parameters = buffers_.SpareParametersOf(batch_.net().units[u]);
    return batch_.plan.units[u].forward->Convolve(operands, main_);
  }

  // Queues unit u: relu(batch norm(convolution(input)) + residual).
  absl::Status Unit(size_t u, const T* input, const BatchNormResidual<T>& residual, T* output) const {
    const ConvolutionUnit& unit = batch_.net().units[u];
    const FoldedBatchNorm folded = buffers_.FoldedBatchNormOf(unit);
    RETURN_IF_ERROR(Convolve(u, input));
    return CudaStatus(BatchNormApply<T>(batch_.plan.units[u].batch_norm, buffers_.raw[u], folded.scale, folded.shift,
                                        residual, output, buffers_.mask[u], RowOrder::kLastToFirst, main_.handle),
                      unit.batch_norm_name);
  }

  absl::Status Block(size_t b, T* output) const {
    const ResidualBlock& block = batch_.net().blocks[b];
    const T* const input = buffers_.BlockInput(b);
    BatchNormResidual<T> residual = {input, nullptr, nullptr};
    RETURN_IF_ERROR(Unit(block.conv1, input, {}, buffers_.inner[b]));
    if (block.shortcut.has_value()) {
      const size_t s = *block.shortcut;
      const FoldedBatchNorm folded = buffers_.FoldedBatchNormOf(batch_.net().units[s]);
      RETURN_IF_ERROR(Convolve(s, input));
      residual = {buffers_.raw[s], folded.scale, folded.shift};
    }
    return Unit(block.conv2, buffers_.inner[b], residual, output);
  }

  // Queues mean = (a + b) / 2. Pooling and classifier are linear, so the logits of the mean are the mean of the logits.
  absl::Status Average(const T* a, const T* b, T* mean) const {
    const BatchNormShape shape = {batch_.plan.images * batch_.net().positions, batch_.net().features};
    const FoldedBatchNorm half = buffers_.Halving();
    return CudaStatus(BatchNormApply<T>(shape, a, half.scale, half.shift, {b, half.scale, half.shift}, mean,
                                        /*relu_mask=*/nullptr, RowOrder::kFirstToLast, main_.handle),
                      "averaging an image and its mirror image");
  }

  absl::Status Classify(EvaluationView view, const T* activations) const {
    ClassifierShape shape = batch_.plan.classifier;
    shape.images = count_;
    const ClassifierInput<T> input = {activations, buffers_.network_weights + batch_.net().linear_weight,
                                      buffers_.batch_norms + batch_.net().bias(), batch_.input->labels};
    return CudaStatus(ClassifierEvaluate<T>(shape, input, buffers_.EvaluationCountsOf(view), /*logits=*/nullptr,
                                            buffers_.classifier_workspace, main_.handle),
                      "the classifier");
  }

  const MicroBatch<T>& batch_;
  const ResNetBuffers<T>& buffers_;
  const StepStream& main_;
  const EvaluationImages& images_;
  const uint32_t count_;
};

}  // namespace

template <typename T>
absl::Status EnqueueEvaluation(const MicroBatch<T>& batch, const EvaluationImages& images, uint32_t count,
                               EvaluatedViews views) {
  return EvaluationPass<T>(batch, images, count).Run(views);
}

template absl::Status EnqueueEvaluation(const MicroBatch<float>&, const EvaluationImages&, uint32_t, EvaluatedViews);
template absl::Status EnqueueEvaluation(const MicroBatch<__nv_bfloat16>&, const EvaluationImages&, uint32_t,
                                        EvaluatedViews);

}  // namespace lockstep
