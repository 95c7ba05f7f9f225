// What a ResNet-18 training step is asked to be.
#ifndef LOCKSTEP_LIB_FUSED_RESNET18_STEP_OPTIONS_H_
#define LOCKSTEP_LIB_FUSED_RESNET18_STEP_OPTIONS_H_

#include <algorithm>
#include <cstdint>

#include "lib/fused/gradient_exchange.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

struct ResNet18StepOptions {
  ConvolutionType type = ConvolutionType::kBf16;  // activations and convolutions; master weights, statistics are fp32
  uint32_t max_batch = 0;                         // images of the largest batch
  uint32_t micro_batch = 0;  // images computed at a time, whose gradients are added up to the batch's; 0: all
  float momentum = 0.9f;
  float weight_decay = 5e-4f;
  float label_smoothing = 0;  // of the loss (classifier.h)
  float clip_norm = 0;        // the update's gradient is scaled down to this norm (layer_factors.h); 0: it is not
  float lars = 0;             // LARS' trust coefficient (layer_factors.h); 0: plain SGD
  uint64_t seed = 0;          // the augmentation's
  bool augment = true;
  bool two_streams = true;  // weight gradients, shortcuts and most of SGD beside the rest
  bool autotune = true;     // time cuDNN's engines and our ways; false: the likeliest of each
  bool fused_sums = true;  // bf16: a batch norm's sums in the kernel of the convolution beside it, where that is faster
  // With both of these: the whole batch norm in that kernel, where that is faster; backward with
  // divide_multiprocessors.
  bool fused_norms = true;
  bool own_weight_gradients = true;  // bf16: by our kernel where that is faster than cuDNN's
  // bf16, two_streams, batches up to 512: side by side on parts of the GPU instead of in turn on all of it
  bool divide_multiprocessors = true;
  bool own_convolutions = true;  // fp32: forward and data gradients by our kernel where that is faster than cuDNN's
  bool deterministic = false;    // only engines that give the same bits every time
  GradientExchange* exchange = nullptr;  // with other GPUs, and outlives the step; null: this one is alone
};

// Whether the update waits for norms of all gradients (normed_update.h).
inline bool HasNorms(const ResNet18StepOptions& options) { return options.clip_norm != 0 || options.lars != 0; }

// Whether each rank updates a share of the weights for all (gradient_exchange.h).
inline bool SharesUpdate(const ResNet18StepOptions& options) {
  return options.exchange != nullptr && options.exchange->SharedWeights(options.exchange->rank()) != nullptr;
}

// The images computed at a time.
inline uint32_t MicroBatchImages(const ResNet18StepOptions& options) {
  return options.micro_batch == 0 ? options.max_batch : std::min(options.micro_batch, options.max_batch);
}

inline constexpr uint32_t kMaxBatchMadeBeside = 512;

// 2 where a step makes the next one's batch beside its own work. Not with large batches, whose memory counts, and in bf16
// alone: in fp32 a step takes ten times as long.
inline uint32_t InputBatches(const ResNet18StepOptions& options) {
  const bool whole = MicroBatchImages(options) == options.max_batch;
  const bool beside = options.type == ConvolutionType::kBf16 && options.two_streams && whole &&
                      options.max_batch <= kMaxBatchMadeBeside;
  return beside ? 2 : 1;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET18_STEP_OPTIONS_H_
