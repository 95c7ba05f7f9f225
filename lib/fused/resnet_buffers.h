// ResNetBuffers: the device memory of a ResNet training step, and the copies from and to the host.
//
// Elements of T per image of 32x32: patches 32,768; raw outputs of the convolutions 614,400; outputs of the ReLUs, kept
// for the weight gradients, 557,056; at most five gradients of a block's size, 5 * 65,536. In addition one bit per ReLU
// output. In bf16 3.1 MB in total.
#ifndef LOCKSTEP_LIB_FUSED_RESNET_BUFFERS_H_
#define LOCKSTEP_LIB_FUSED_RESNET_BUFFERS_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/device_arena.h"
#include "lib/fused/resnet_units.h"
#include "lib/fused/resnet_values.h"
#include "lib/kernels/augment_batch.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/classifier.h"
#include "lib/kernels/step_state.h"

namespace lockstep {

inline constexpr uint32_t kMaxMultiprocessors = 256;  // limit for predictions without a GPU; an H200 has 132

// Input of one step. T: as in ResNetBuffers.
template <typename T>
struct InputBatch {
  T* images = nullptr;        // (n, image_size, image_size, 32): patches
  int64_t* labels = nullptr;  // (n)
};

// View of the images of an evaluation.
enum class EvaluationView { kPlain, kMirrored };
inline constexpr size_t kEvaluationViews = 2;

// A batch norm with running statistics: scale * x + shift; fp32 (channels) each.
struct FoldedBatchNorm {
  const float* scale = nullptr;
  const float* shift = nullptr;
};

// T: float or __nv_bfloat16. All pointers are device pointers and valid after Allocate.
template <typename T>
class ResNetBuffers {
 public:
  // `input_batches` must be 1, or 2 if one batch is made while another is trained on.
  ResNetBuffers(ResNetUnits net, uint32_t max_batch, uint32_t input_batches = 1);

  // Returns the bytes that Allocate would take for a data set of `images`, on any GPU of up to kMaxMultiprocessors SMs.
  size_t PredictBytes(uint32_t images);

  // Allocates the memory and uploads the data set. `shared_weights`: memory for network_weights that other ranks write
  // to (bf16 only); null: network_weights is allocated, too.
  absl::Status Allocate(const ResidentImages& images, uint32_t multiprocessors, T* shared_weights = nullptr);
  size_t bytes() const { return arena_.bytes(); }

  // Copies from and to the host. The uploads return InvalidArgumentError if an array's length differs from `net`'s.
  absl::Status Upload(const ResNetValues& values, cudaStream_t stream);
  absl::Status UploadMomentum(const ResNetValues& momentum, cudaStream_t stream);
  absl::StatusOr<ResNetValues> DownloadValues(cudaStream_t stream);
  absl::StatusOr<ResNetValues> DownloadMomentum(cudaStream_t stream);
  absl::StatusOr<ResNetValues> DownloadGradients(cudaStream_t stream);

  // Uploads the order and the rates, and resets the position and the counts. Returns InvalidArgumentError if there are
  // more entries or rates than images, no rates, or an image index out of range.
  absl::Status BeginEpoch(const std::vector<uint32_t>& order, uint32_t epoch, const std::vector<float>& rates,
                          cudaStream_t stream);

  // Folds the batch norms with the running statistics in the layout of resnet_units.h (empty: `running`), and resets
  // position and counts. Returns InvalidArgumentError if the length of `statistics` is wrong.
  absl::Status BeginEvaluation(std::vector<float> statistics, cudaStream_t stream);
  absl::StatusOr<EvaluationCounts> DownloadEvaluationCounts(cudaStream_t stream);

  AugmentBatchInput BatchInput() const;  // the caller sets seed, batch, augment and rule
  BatchNormParameters BatchNormParametersOf(const ConvolutionUnit& unit) const;
  // Returns the same with running statistics that nobody reads.
  BatchNormParameters SpareParametersOf(const ConvolutionUnit& unit) const;
  FoldedBatchNorm FoldedBatchNormOf(const ConvolutionUnit& unit) const;
  FoldedBatchNorm Halving() const;  // x / 2 for each of the classifier's features
  BatchNormState BatchNormStateOf(const ConvolutionUnit& unit) const;
  BatchNormGradients BatchNormGradientsOf(const ConvolutionUnit& unit) const;
  ClassifierOutput<T> ClassifierGradients() const;  // including the counts
  ClassifierCounts EvaluationCountsOf(EvaluationView view) const;
  const T* BlockInput(size_t block) const { return block == 0 ? stem_output : block_output[block - 1]; }

  const ResNetUnits net;

  // Data set, and the position of the next step in it.
  uint8_t* pixels = nullptr;
  uint16_t* labels = nullptr;
  uint32_t* order = nullptr;
  uint32_t* epoch = nullptr;
  float* table = nullptr;  // fp32 (3, 256)
  float* rates = nullptr;  // learning rate of each step of the epoch
  StepState* state = nullptr;

  // Parameters, in the layout of resnet_units.h.
  float* weights = nullptr;
  float* weight_velocity = nullptr;
  T* weight_gradients = nullptr;
  T* network_weights = nullptr;  // weights that the convolutions read: the bf16 copy, or `weights` itself
  float* batch_norms = nullptr;
  float* batch_norm_velocity = nullptr;
  float* batch_norm_gradients = nullptr;
  float* running = nullptr;

  // Activations.
  std::vector<InputBatch<T>> input;
  std::vector<T*> raw;         // output of each unit's convolution; in the backward pass its gradient
  std::vector<uint8_t*> mask;  // mask of the ReLU after each unit; null: there is no ReLU
  T* stem_output = nullptr;
  std::vector<T*> inner;            // activations between each block's convolutions
  std::vector<T*> block_output;     // output of each block
  std::array<T*, 4> gradient = {};  // gradients of a block's output and of its input, two addends each
  T* inner_gradient = nullptr;

  std::array<char*, 3> batch_norm_workspace = {};  // one per stream (StepStreams::SetBatchNormWorkspaces)
  char* lamport_buffer = nullptr;
  char* stem_workspace = nullptr;
  char* classifier_workspace = nullptr;
  double* loss_sum = nullptr;   // (kEvaluationViews); training uses the first
  uint32_t* correct = nullptr;  // (kEvaluationViews)

 private:
  void TakeAll(uint32_t image_count, uint32_t multiprocessors);
  void TakeParameters();
  void TakeActivations();
  void TakeWorkspaces(uint32_t multiprocessors);

  const uint32_t max_batch_;
  uint32_t image_count_ = 0;
  DeviceArena arena_;
  float* batch_norm_state_ = nullptr;     // fp32 (4, channels): mean, inv_std, scale, shift
  float* batch_norm_backward_ = nullptr;  // fp32 (3, channels): on_g, on_x, constant
  float* folded_ = nullptr;         // fp32 (2, channels): scale, shift of an evaluation; then (2, features): 0.5 and 0
  float* spare_running_ = nullptr;  // fp32 (2, channels)
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET_BUFFERS_H_
