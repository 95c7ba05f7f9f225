// The end of a network: global average pooling, the fully connected layer, softmax cross entropy, and what is counted
// of it. Forward and backward in two launches, since nothing but the loss stands between them:
//
//     pooled = mean over the positions of x
//     logits = weight pooled + bias
//     loss   = log(sum(exp(logits))) - logits[label]
//
// with the largest logit subtracted first, so that no exp overflows. The gradients are those of the MEAN of the images'
// losses, as torch.nn.CrossEntropyLoss: d/dlogits = (softmax(logits) - onehot(label)) / images.
//
// With label smoothing s the target is (1 - s) onehot(label) + s / classes in the place of onehot(label), and the loss is
// log(sum(exp(logits))) - sum(target * logits), as torch.nn.CrossEntropyLoss(label_smoothing=s).
//
// Sums are in fp32 (over the images' losses in fp64), in an order that depends on the shape alone: the same input gives
// the same output, bit for bit, on every run. Activations, weight and gradients are T (float or __nv_bfloat16); pooled
// values and logits are never rounded to T.
#ifndef LOCKSTEP_LIB_KERNELS_CLASSIFIER_H_
#define LOCKSTEP_LIB_KERNELS_CLASSIFIER_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace lockstep {

inline constexpr uint32_t kMaxClasses = 16;                  // a warp of the block each
inline constexpr uint32_t kClassifierChannels = 8;           // channels must be a multiple of this: 16 bytes in bf16
inline constexpr uint32_t kMaxClassifierChannels = 8 * 512;  // this many for each of a block's threads

struct ClassifierShape {
  uint32_t images = 0;     // at least 1
  uint32_t positions = 0;  // height * width of the last activations, at least 1
  uint32_t channels = 0;   // a multiple of kClassifierChannels, at most kMaxClassifierChannels
  uint32_t classes = 0;    // 1 to kMaxClasses
};

// How the two kernels are launched: a function of the shape alone.
struct ClassifierLaunch {
  uint32_t image_blocks = 0;      // first kernel: one an image
  uint32_t position_rows = 0;     // of its threads: this many share the positions of 8 channels
  uint32_t channel_blocks = 0;    // second kernel: one for 8 channels of dweight,
  uint32_t parameter_blocks = 0;  // and with them one for dbias and one for the loss
};
ClassifierLaunch PlanClassifier(const ClassifierShape& shape);

// Device memory that a launch needs besides its arguments, in bytes; what it holds before does not matter. Launches
// that share it must not run at the same time.
size_t ClassifierWorkspaceBytes(const ClassifierShape& shape);

// All pointers are of the device and aligned to 16 bytes.
template <typename T>
struct ClassifierInput {
  const T* x = nullptr;             // T (images, positions, channels): channels last
  const T* weight = nullptr;        // T (classes, channels)
  const float* bias = nullptr;      // fp32 (classes)
  const int64_t* labels = nullptr;  // int64 (images); an image whose label is no class has the loss NaN
  float label_smoothing = 0;        // 0 to 1; 0: none
};

// What is added up over the steps of an epoch; zeroed by the caller before it.
struct ClassifierCounts {
  double* loss_sum = nullptr;  // fp64 (): plus the sum, not the mean, of the images' losses
  uint32_t* correct =
      nullptr;  // uint32 (): plus the images whose largest logit is the label's; of equal ones the first
};

template <typename T>
struct ClassifierOutput {
  T* dx = nullptr;          // T (images, positions, channels)
  T* dweight = nullptr;     // T (classes, channels)
  float* dbias = nullptr;   // fp32 (classes), as the bias
  float* logits = nullptr;  // fp32 (images, classes); null: not wanted
  ClassifierCounts counts;
};

// All return the launch's error, or cudaErrorInvalidValue for a shape that does not fit, and run on `stream`. Training
// takes two: the images', and what is summed over them (dweight, dbias, loss_sum), which nothing before it in the
// network waits for.
template <typename T>
cudaError_t ClassifierTrain(const ClassifierShape& shape, const ClassifierInput<T>& input,
                            const ClassifierOutput<T>& output, void* workspace, cudaStream_t stream);
// With the same output, and the workspace as ClassifierTrain left it.
template <typename T>
cudaError_t ClassifierParameters(const ClassifierShape& shape, const ClassifierOutput<T>& output, void* workspace,
                                 cudaStream_t stream);

// Forward only: counts and, unless null, logits: fp32 (images, classes).
template <typename T>
cudaError_t ClassifierEvaluate(const ClassifierShape& shape, const ClassifierInput<T>& input,
                               const ClassifierCounts& counts, float* logits, void* workspace, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CLASSIFIER_H_
