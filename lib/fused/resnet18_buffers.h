// The device memory of a ResNet-18 training step: what there is, how large, and the ways in and out.
//
// An image costs, in elements of T: its patches 32,768; the raw outputs of the convolutions 614,400; what the ReLUs
// give 557,056, kept for the weight gradients; five gradients of a block's size at most, 5 * 65,536; and a bit for each
// ReLU's output. In bf16 3.1 MB.
#ifndef LOCKSTEP_LIB_FUSED_RESNET18_BUFFERS_H_
#define LOCKSTEP_LIB_FUSED_RESNET18_BUFFERS_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/device_arena.h"
#include "lib/fused/resnet18_units.h"
#include "lib/fused/resnet18_values.h"
#include "lib/kernels/augment_batch.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/classifier.h"
#include "lib/kernels/step_state.h"

namespace lockstep {

inline constexpr uint32_t kMaxMultiprocessors = 256;  // for a prediction without a GPU; an H200 has 132

// What a step trains on. T as below.
template <typename T>
struct InputBatch {
  T* images = nullptr;        // (n, 32, 32, 32): patches
  int64_t* labels = nullptr;  // (n)
};

// T: float or __nv_bfloat16. All pointers are of the device and valid after Allocate.
template <typename T>
class ResNet18Buffers {
 public:
  // input_batches: 1, or 2 where a batch is made while another is trained on.
  explicit ResNet18Buffers(uint32_t max_batch, uint32_t input_batches = 1);

  // What Allocate would take for a data set of `images`, on any GPU of up to kMaxMultiprocessors.
  size_t PredictBytes(uint32_t images);

  // shared_weights: where network_weights are (bf16 alone), in memory that other ranks write to; null: they are taken,
  // too.
  absl::Status Allocate(const ResidentImages& images, uint32_t multiprocessors, T* shared_weights = nullptr);
  size_t bytes() const { return arena_.bytes(); }

  // InvalidArgument: arrays of other lengths than `net` has.
  absl::Status Upload(const ResNet18Values& values, cudaStream_t stream);
  absl::Status UploadMomentum(const ResNet18Values& momentum, cudaStream_t stream);
  absl::StatusOr<ResNet18Values> DownloadValues(cudaStream_t stream);
  absl::StatusOr<ResNet18Values> DownloadMomentum(cudaStream_t stream);
  absl::StatusOr<ResNet18Values> DownloadGradients(cudaStream_t stream);

  // InvalidArgument: more entries or rates than there are images, no rates, or an image that there is not.
  absl::Status BeginEpoch(const std::vector<uint32_t>& order, uint32_t epoch, const std::vector<float>& rates,
                          cudaStream_t stream);

  AugmentBatchInput BatchInput() const;  // seed, batch and augment are left to the caller
  BatchNormParameters NormParameters(const ConvolutionUnit& unit) const;
  BatchNormState NormState(const ConvolutionUnit& unit) const;
  BatchNormGradients NormGradients(const ConvolutionUnit& unit) const;
  ClassifierOutput<T> ClassifierGradients() const;  // and counts
  const T* BlockInput(size_t block) const { return block == 0 ? stem_output : block_output[block - 1]; }

  const ResNet18Units net = MakeResNet18Units();

  // The data set, and where in it the next step begins.
  uint8_t* pixels = nullptr;
  uint8_t* labels = nullptr;
  uint32_t* order = nullptr;
  uint32_t* epoch = nullptr;
  float* table = nullptr;  // fp32 (3, 256)
  float* rates = nullptr;  // the learning rate of each step of the epoch
  StepState* state = nullptr;

  // Parameters, as resnet18_units.h lays them out.
  float* weights = nullptr;
  float* weight_velocity = nullptr;
  T* weight_gradients = nullptr;
  T* network_weights = nullptr;  // what the convolutions read: the bf16 copy, or `weights` itself
  float* norms = nullptr;
  float* norm_velocity = nullptr;
  float* norm_gradients = nullptr;
  float* running = nullptr;

  // Activations.
  std::vector<InputBatch<T>> input;
  std::vector<T*> raw;         // by unit: what its convolution gives; in the backward pass its gradient
  std::vector<uint8_t*> mask;  // by unit: of the ReLU behind it; null: there is none
  T* stem_output = nullptr;
  std::vector<T*> inner;            // by block: between its convolutions
  std::vector<T*> block_output;     // by block
  std::array<T*, 4> gradient = {};  // a block's output's, as two addends, and its input's
  T* inner_gradient = nullptr;

  std::array<char*, 3> norm_workspace = {};  // one a lane (StepLanes::SetNormWorkspaces)
  char* norm_meeting = nullptr;
  char* stem_workspace = nullptr;
  char* classifier_workspace = nullptr;
  double* loss_sum = nullptr;
  uint32_t* correct = nullptr;

 private:
  void TakeAll(uint32_t image_count, uint32_t multiprocessors);
  void TakeParameters();
  void TakeActivations();
  void TakeWorkspaces(uint32_t multiprocessors);

  const uint32_t max_batch_;
  uint32_t image_count_ = 0;
  DeviceArena arena_;
  float* norm_state_ = nullptr;     // fp32 (4, channels): mean, inv_std, scale, shift
  float* norm_backward_ = nullptr;  // fp32 (3, channels): on_g, on_x, constant
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET18_BUFFERS_H_
