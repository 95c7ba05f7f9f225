// Options of a ResNet training step.
#ifndef LOCKSTEP_LIB_FUSED_RESNET_STEP_OPTIONS_H_
#define LOCKSTEP_LIB_FUSED_RESNET_STEP_OPTIONS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lib/dataset/augment.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/fused/resnet_units.h"
#include "lib/fused/sm_partition.h"
#include "lib/kernels/convolution_shape.h"

namespace lockstep {

struct ResNetStepOptions {
  ConvolutionType type = ConvolutionType::kBf16;  // activations and convolutions; master weights and statistics are
                                                  // fp32
  StageBlocks stage_blocks = kResNet18Blocks;     // residual blocks of the network
  uint32_t classes = kCifar10Classes;             // 1 to kMaxFusedClasses
  uint32_t image_size = kCifar10ImageSize;        // height and width of the images; IsFusedImageSize must be true
  uint32_t max_batch = 0;                         // images of the largest batch
  uint32_t micro_batch = 0;  // images computed at a time; their gradients are added up to the batch's; 0: all
  float momentum = 0.9f;
  float weight_decay = 5e-4f;
  bool nesterov = false;      // Nesterov momentum; without micro-batches only
  float label_smoothing = 0;  // label smoothing of the loss (classifier.h)
  float clip_norm = 0;        // gradient norm to which the update is scaled down (layer_factors.h); 0: no clipping
  float lars = 0;             // LARS' trust coefficient (layer_factors.h); 0: plain SGD
  uint64_t seed = 0;          // seed of the augmentation
  bool augment = true;
  AugmentationRule augmentation;  // kind of augmentation, with `augment` only
  bool two_streams = true;        // runs weight gradients, shortcuts and most of SGD concurrently with the rest
  bool autotune = true;           // times cuDNN's engines and our kernels; false: the likeliest of each
  bool fused_sums = true;         // bf16: batch norm sums in the adjacent convolution's kernel, where that is faster
  // Also applies the batch norm in that kernel, where that is faster. Needs bf16 and fused_sums; in the backward pass
  // also divide_multiprocessors.
  bool fused_batch_norm = true;
  // bf16 and fused_sums: forward convolutions by cuDNN, and kernels for the sums, where these are faster when timed
  // alone; false: our kernel wherever it supports the shape, for experiments.
  bool cudnn_forward = true;
  // Our convolutions in bf16 copy their first weights to shared memory while the previous launch of their stream ends.
  bool early_weights = true;
  // Our convolutions in bf16 of 256 channels and more run in pairs of blocks that copy their weights together, where
  // that is faster. Needs autotune.
  bool paired_weights = true;
  // Forward launches that apply the batch norm let the next launch begin while their blocks wait for each other's sums,
  // instead of after that wait.
  bool early_next = false;
  bool short_batch_norms = true;     // bf16: backward batch norms of few rows in one launch (batch_norm_backward.h)
  bool own_weight_gradients = true;  // bf16: by our kernel where it is faster than cuDNN's
  // Runs launches of the backward pass concurrently on parts of the GPU, instead of in turn on all of it. Needs bf16,
  // two_streams, a batch of up to 512 and images of 32x32.
  bool divide_multiprocessors = true;
  // Other SMs of some layers, for experiments (CheckLayerSms). If the list is not empty, the step must divide the
  // multiprocessors at each batch.
  std::vector<LayerSms> layer_sms;
  bool own_convolutions = true;  // fp32: forward and data gradients by our kernel where it is faster than cuDNN's
  bool deterministic = false;    // allows only engines that give the same bits every time
  GradientExchange* exchange = nullptr;  // exchange with other GPUs; must outlive the step; null: single GPU
};

// Returns true if the update waits for the norms of all gradients (gradient_norm_update.h).
inline bool NeedsGradientNorms(const ResNetStepOptions& options) { return options.clip_norm != 0 || options.lars != 0; }

// Returns the role by which each rank updates a share of the weights for all ranks; null if each rank updates all.
inline SharedUpdate* SharedUpdateOf(const ResNetStepOptions& options) {
  return options.exchange != nullptr ? options.exchange->shared_update() : nullptr;
}

// Returns the network of the step.
inline ResNetUnits NetworkOf(const ResNetStepOptions& options) {
  return MakeResNetUnits(options.stage_blocks, options.classes, options.image_size);
}

// Returns the number of images computed at a time.
inline uint32_t MicroBatchImages(const ResNetStepOptions& options) {
  return options.micro_batch == 0 ? options.max_batch : std::min(options.micro_batch, options.max_batch);
}

inline constexpr uint32_t kMaxPrefetchedBatch = 512;

// Returns 2 if a step makes the next step's batch during its own work, else 1. Large batches are excluded because their
// memory counts, and fp32 because its steps take ten times as long.
inline uint32_t InputBatches(const ResNetStepOptions& options) {
  const bool whole = MicroBatchImages(options) == options.max_batch;
  const bool prefetches = options.type == ConvolutionType::kBf16 && options.two_streams && whole &&
                          options.max_batch <= kMaxPrefetchedBatch;
  return prefetches ? 2 : 1;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET_STEP_OPTIONS_H_
