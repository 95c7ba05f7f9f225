// The end of a network: global average pooling, the fully connected layer, softmax cross entropy, and its counts.
// Up to kClassifierBlockClasses classes, forward and backward take two launches, because only the loss lies between
// them; more classes take six, of which three are matrix products in tiles:
//
//     pooled = mean over the positions of x
//     logits = weight pooled + bias
//     loss   = log(sum(exp(logits))) - logits[label]
//
// The largest logit is subtracted first, so that no exp overflows. The gradients are those of the MEAN of the images'
// losses, as in torch.nn.CrossEntropyLoss: d/dlogits = (softmax(logits) - onehot(label)) / images.
//
// With label smoothing s, the target (1 - s) onehot(label) + s / classes replaces onehot(label), and the loss is
// log(sum(exp(logits))) - sum(target * logits), as in torch.nn.CrossEntropyLoss(label_smoothing=s).
//
// Sums are in fp32 (the sum of the images' losses in fp64), in an order that depends only on the shape: the same input
// gives the same output, bit for bit, on every run. Activations, weight and gradients are T (float or __nv_bfloat16);
// pooled values and logits are never rounded to T.
#ifndef LOCKSTEP_LIB_KERNELS_CLASSIFIER_H_
#define LOCKSTEP_LIB_KERNELS_CLASSIFIER_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace lockstep {

inline constexpr uint32_t kMaxClassifierClasses = 1000;
inline constexpr uint32_t kClassifierBlockClasses = 16;  // up to here, each class takes one warp of an image's block
inline constexpr uint32_t kClassifierTile = 32;          // beyond, rows and columns of a product's tile
inline constexpr uint32_t kClassifierChannels = 8;       // channels must be a multiple of this, 16 bytes in bf16
inline constexpr uint32_t kMaxClassifierChannels = 8 * 512;  // kClassifierChannels for each of a block's 512 threads

struct ClassifierShape {
  uint32_t images = 0;     // at least 1
  uint32_t positions = 0;  // height * width of the last activations, at least 1
  uint32_t channels = 0;   // must be a multiple of kClassifierChannels, at most kMaxClassifierChannels
  uint32_t classes = 0;    // 1 to kMaxClassifierClasses
};

// Launch dimensions of the kernels. They depend only on the shape.
struct ClassifierLaunch {
  uint32_t image_blocks = 0;   // first kernel: one block per image
  uint32_t position_rows = 0;  // first kernel: number of threads that share the positions of 8 channels
  // Up to kClassifierBlockClasses classes; 0 for more:
  uint32_t channel_blocks = 0;    // second kernel: one block per 8 channels of dweight
  uint32_t parameter_blocks = 0;  // channel_blocks, one block for dbias and one for the loss
  // Beyond; 0 for fewer. Tiles of kClassifierTile along each dimension of the products; the last may be partly filled.
  uint32_t image_tiles = 0;
  uint32_t class_tiles = 0;
  uint32_t channel_tiles = 0;
};
// Returns zeros for an unsupported shape.
ClassifierLaunch PlanClassifier(const ClassifierShape& shape);

// Returns the bytes of device workspace of a launch, of any content. Launches that share it must not run at the same
// time.
size_t ClassifierWorkspaceBytes(const ClassifierShape& shape);

// Input of the classifier. All pointers must be device pointers, aligned to 16 bytes.
template <typename T>
struct ClassifierInput {
  const T* x = nullptr;             // T (images, positions, channels): channels last
  const T* weight = nullptr;        // T (classes, channels)
  const float* bias = nullptr;      // fp32 (classes)
  const int64_t* labels = nullptr;  // int64 (images); an image whose label is not a class has a loss of NaN
  float label_smoothing = 0;        // 0 to 1; 0: no smoothing
};

// Counters that accumulate over the steps of an epoch. The caller must zero them before the epoch.
struct ClassifierCounts {
  double* loss_sum = nullptr;  // fp64 (): increased by the sum, not the mean, of the images' losses
  // uint32 (): increased by the number of images whose largest logit is the label's; of equal logits the first counts
  uint32_t* correct = nullptr;
};

template <typename T>
struct ClassifierOutput {
  T* dx = nullptr;          // T (images, positions, channels)
  T* dweight = nullptr;     // T (classes, channels)
  float* dbias = nullptr;   // fp32 (classes), like the bias
  float* logits = nullptr;  // fp32 (images, classes); null: not written
  ClassifierCounts counts;
};

// Runs on `stream`. All three functions return the launches' error, or cudaErrorInvalidValue for an unsupported shape.
// Training takes two: ClassifierTrain for the results per image, ClassifierParameters for the sums over the images
// (dweight, dbias, loss_sum), which no earlier layer's backward pass needs.
template <typename T>
cudaError_t ClassifierTrain(const ClassifierShape& shape, const ClassifierInput<T>& input,
                            const ClassifierOutput<T>& output, void* workspace, cudaStream_t stream);
// Must be called with the same output, and with the workspace as ClassifierTrain left it.
template <typename T>
cudaError_t ClassifierParameters(const ClassifierShape& shape, const ClassifierOutput<T>& output, void* workspace,
                                 cudaStream_t stream);

// Runs the forward pass only: updates the counts and, unless null, writes logits: fp32 (images, classes).
template <typename T>
cudaError_t ClassifierEvaluate(const ClassifierShape& shape, const ClassifierInput<T>& input,
                               const ClassifierCounts& counts, float* logits, void* workspace, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CLASSIFIER_H_
