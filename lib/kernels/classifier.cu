// Up to kClassifierBlockClasses classes, the classifier is the two kernels below; for more, see classifier_tiles.cu.
//
// Memory traffic: x once, dx once. ResNet-18's 16 positions of 512 channels in bf16 are 16 KB per image each way. At
// batch 32 that is 1 MB, and the time is that of two launches and of dependent loads. At batch 512 it is 16 MB, 4 us at
// 4.3 TB/s (copies on an H200). The weight (10 KB) comes from the L2 cache for every image.
//
// First kernel: one block per image, with all loads of x in flight at once. Its 512 threads are 8 channels wide (16
// bytes in bf16) for the pooling and dx, one channel wide in between, and a warp per class for the logits.
// Second kernel: the sum over the images of dlogits x pooled, both written to the workspace by the first. A block owns
// 8 channels, 32 bytes of a row of pooled: 64 blocks for 512 channels, with 256 images in flight each.
#include <algorithm>
#include <cmath>

#include "lib/kernels/classifier.h"
#include "lib/kernels/classifier_block.cuh"
#include "lib/kernels/classifier_tiles.h"
#include "lib/kernels/pack.cuh"

namespace lockstep {
namespace {

using namespace classifier;

constexpr uint32_t kWarps = kThreads / kWarp;
constexpr uint32_t kTileImages = kThreads / kVector;  // images that a block of dweight reads at once: 64
constexpr uint32_t kImagesInFlight = 4;               // images per thread of such a block
constexpr uint32_t kBiasImages = kThreads / kClassifierBlockClasses;  // images that a block of dbias reads at once: 32
static_assert(kWarps == kClassifierBlockClasses, "a warp a class");

// Computes of_class[k] = logit of class k, for the whole block.
template <typename T>
__device__ void MakeLogits(const ClassifierShape& shape, const ClassifierInput<T>& input, const float* pooled,
                           float* of_class) {
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t k = threadIdx.x / kWarp;
  if (k < shape.classes) {
    float sum = 0;
#pragma unroll 2
    for (uint32_t channel = lane * kVector; channel < shape.channels; channel += kWarp * kVector) {
      float weight[kVector], value[kVector];
      Load(input.weight + k * shape.channels + channel, weight);
      Load(pooled + channel, value);
#pragma unroll
      for (uint32_t i = 0; i < kVector; ++i) {
        sum += weight[i] * value[i];
      }
    }
    sum = WarpSum(sum);
    if (lane == 0) {
      of_class[k] = sum + input.bias[k];
    }
  }
  __syncthreads();
}

// Computes loss and count, and replaces the logits in of_class by their gradients, 0 after the last class. Runs in the
// first warp, one lane per class.
__device__ void MakeLoss(const ClassifierShape& shape, const LossTarget& target, int64_t label, float* of_class,
                         float* logits, float* loss, uint32_t* correct) {
  const uint32_t lane = threadIdx.x;
  const bool is_class = lane < shape.classes;
  const bool is_label = is_class && lane == label;
  const float logit = is_class ? of_class[lane] : -INFINITY;
  const float largest = WarpMax(logit);
  const float moved = logit - largest;
  const float power = is_class ? expf(moved) : 0.0f;
  const float sum = WarpSum(power);
  const uint32_t predicted = __ffs(__ballot_sync(kAllLanes, is_class && logit == largest)) - 1;
  if (is_class && logits != nullptr) {
    logits[lane] = logit;
  }
  if (lane < kClassifierBlockClasses) {
    const float wanted = (is_label ? target.keep : 0.0f) + (is_class ? target.spread : 0.0f);
    of_class[lane] = (power / sum - wanted) / static_cast<float>(shape.images);
  }
  float on_target = moved;  // sum(target * moved) in the label's lane
  if (target.spread != 0) {
    on_target = target.keep * moved + target.spread * WarpSum(is_class ? moved : 0.0f);
  }
  if (lane == 0 && (label < 0 || label >= shape.classes)) {
    *loss = NAN;
  }
  if (is_label) {
    *loss = logf(sum) - on_target;
    if (predicted == lane) {
      atomicAdd(correct, 1);
    }
  }
}

// Replaces the pooled values in of_channel by their gradients, divided by the number of positions, for the whole block.
template <typename T>
__device__ void MakePooledGradient(const ClassifierShape& shape, const T* weight, const float* of_class,
                                   float* of_channel, float* pooled) {
  for (uint32_t channel = threadIdx.x; channel < shape.channels; channel += kThreads) {
    pooled[channel] = of_channel[channel];
    float sum = 0;
#pragma unroll 8
    for (uint32_t k = 0; k < kClassifierBlockClasses; ++k) {
      const float of_k = k < shape.classes ? static_cast<float>(weight[k * shape.channels + channel]) : 0.0f;
      sum += of_class[k] * of_k;
    }
    of_channel[channel] = sum / static_cast<float>(shape.positions);
  }
  __syncthreads();
}

template <typename T, bool kTrain>
__global__ void __launch_bounds__(kThreads, kBlocksAtOnce)
    ImageKernel(ClassifierShape shape, uint32_t rows, LossTarget target, ClassifierInput<T> input,
                ClassifierOutput<T> output, Workspace workspace) {
  __shared__ alignas(16) float of_channel[kMaxClassifierChannels];  // `rows` rows of channels, then one row
  __shared__ float of_class[kClassifierBlockClasses];
  const size_t image = blockIdx.x;
  const size_t first = image * shape.positions * shape.channels;
  const Place place(shape);
  Pool(shape, rows, place, input.x + first, of_channel);
  MakeLogits(shape, input, of_channel, of_class);
  if (threadIdx.x < kWarp) {
    float* logits = output.logits != nullptr ? output.logits + image * shape.classes : nullptr;
    MakeLoss(shape, target, input.labels[image], of_class, logits, workspace.losses + image, output.counts.correct);
  }
  if (!kTrain) {
    return;
  }
  __syncthreads();
  if (threadIdx.x < kClassifierBlockClasses) {
    workspace.dlogits[image * kClassifierBlockClasses + threadIdx.x] = of_class[threadIdx.x];
  }
  MakePooledGradient(shape, input.weight, of_class, of_channel, workspace.pooled + image * shape.channels);
  if (place.row < rows) {
    float gradient[kVector];
    Load(of_channel + place.channel, gradient);
    for (uint32_t position = place.row; position < shape.positions; position += rows) {
      Store(gradient, output.dx + first + static_cast<size_t>(position) * shape.channels + place.channel);
    }
  }
}

// Computes dweight of eight channels. Order of the sums: each thread adds every 64th image, then the four images of a
// warp are added, then the warps in order.
template <typename T>
__device__ void MakeWeightGradient(const ClassifierShape& shape, const Workspace& workspace, T* dweight) {
  __shared__ float of_warp[kWarps][kClassifierBlockClasses][kVector];
  const uint32_t channel = threadIdx.x % kVector;
  const float* pooled = workspace.pooled + blockIdx.x * kVector + channel;
  float sum[kClassifierBlockClasses] = {};
  for (size_t first = threadIdx.x / kVector; first < shape.images; first += kImagesInFlight * kTileImages) {
    float value[kImagesInFlight], low[kImagesInFlight][kVector], high[kImagesInFlight][kVector];
#pragma unroll
    for (uint32_t i = 0; i < kImagesInFlight; ++i) {
      // After the last image, loads the last image's gradients and multiplies them by 0, so that no load waits for a
      // branch.
      const size_t image = first + i * kTileImages;
      const size_t from = image < shape.images ? image : shape.images - 1;
      value[i] = image < shape.images ? pooled[from * shape.channels] : 0.0f;
      Load(workspace.dlogits + from * kClassifierBlockClasses, low[i]);
      Load(workspace.dlogits + from * kClassifierBlockClasses + kVector, high[i]);
    }
#pragma unroll
    for (uint32_t i = 0; i < kImagesInFlight; ++i) {
#pragma unroll
      for (uint32_t k = 0; k < kVector; ++k) {
        sum[k] += low[i][k] * value[i];
        sum[kVector + k] += high[i][k] * value[i];
      }
    }
  }
#pragma unroll
  for (uint32_t k = 0; k < kClassifierBlockClasses; ++k) {
    sum[k] += __shfl_xor_sync(kAllLanes, sum[k], 2 * kVector);
    sum[k] += __shfl_xor_sync(kAllLanes, sum[k], kVector);
    if (threadIdx.x % kWarp < kVector) {
      of_warp[threadIdx.x / kWarp][k][channel] = sum[k];
    }
  }
  __syncthreads();
  const uint32_t k = threadIdx.x / kVector;
  if (k < shape.classes) {
    float total = of_warp[0][k][channel];
    for (uint32_t warp = 1; warp < kWarps; ++warp) {
      total += of_warp[warp][k][channel];
    }
    dweight[k * shape.channels + blockIdx.x * kVector + channel] = T(total);
  }
}

// Computes dbias. Order of the sums: each thread adds every 32nd image, then the two images of a warp are added, then
// the warps in order.
__device__ void MakeBiasGradient(const ClassifierShape& shape, const Workspace& workspace, float* dbias) {
  __shared__ float of_warp[kWarps][kClassifierBlockClasses];
  const uint32_t k = threadIdx.x % kClassifierBlockClasses;
  float sum = 0;
#pragma unroll 4
  for (size_t image = threadIdx.x / kClassifierBlockClasses; image < shape.images; image += kBiasImages) {
    sum += workspace.dlogits[image * kClassifierBlockClasses + k];
  }
  sum += __shfl_xor_sync(kAllLanes, sum, kClassifierBlockClasses);
  of_warp[threadIdx.x / kWarp][k] = sum;  // the lanes of both images of a warp hold the same sum
  __syncthreads();
  if (threadIdx.x < shape.classes) {
    float total = of_warp[0][k];
    for (uint32_t warp = 1; warp < kWarps; ++warp) {
      total += of_warp[warp][k];
    }
    dbias[k] = total;
  }
}

template <typename T>
__global__ void __launch_bounds__(kThreads, 1)
    ParameterKernel(ClassifierShape shape, uint32_t channel_blocks, Workspace workspace, ClassifierOutput<T> output) {
  if (blockIdx.x < channel_blocks) {
    MakeWeightGradient(shape, workspace, output.dweight);
  } else if (blockIdx.x == channel_blocks) {
    MakeBiasGradient(shape, workspace, output.dbias);
  } else {
    AddLosses(shape, workspace, output.counts.loss_sum);
  }
}

__global__ void __launch_bounds__(kThreads) LossKernel(ClassifierShape shape, Workspace workspace, double* loss_sum) {
  AddLosses(shape, workspace, loss_sum);
}

bool Fits(const ClassifierShape& shape) {
  return shape.images >= 1 && shape.positions >= 1 && shape.channels >= kVector && shape.channels % kVector == 0 &&
         shape.channels <= kMaxClassifierChannels && shape.classes >= 1 && shape.classes <= kMaxClassifierClasses;
}

bool UsesTiles(const ClassifierShape& shape) { return shape.classes > kClassifierBlockClasses; }

}  // namespace

ClassifierLaunch PlanClassifier(const ClassifierShape& shape) {
  if (!Fits(shape)) {
    return {};
  }
  ClassifierLaunch launch;
  launch.image_blocks = shape.images;
  launch.position_rows = std::min(shape.positions, kThreads / (shape.channels / kVector));
  if (UsesTiles(shape)) {
    launch.image_tiles = (shape.images - 1) / kClassifierTile + 1;
    launch.class_tiles = (shape.classes - 1) / kClassifierTile + 1;
    launch.channel_tiles = (shape.channels - 1) / kClassifierTile + 1;
  } else {
    launch.channel_blocks = shape.channels / kVector;
    launch.parameter_blocks = launch.channel_blocks + 2;
  }
  return launch;
}

size_t ClassifierWorkspaceBytes(const ClassifierShape& shape) {
  return static_cast<size_t>(shape.images) * (LogitsPerImage(shape) + shape.channels + 1) * sizeof(float);
}

template <typename T>
cudaError_t ClassifierTrain(const ClassifierShape& shape, const ClassifierInput<T>& input,
                            const ClassifierOutput<T>& output, void* memory, cudaStream_t stream) {
  if (!Fits(shape)) {
    return cudaErrorInvalidValue;
  }
  if (UsesTiles(shape)) {
    return TrainInTiles(shape, PlanClassifier(shape), input, output, memory, stream);
  }
  const ClassifierLaunch launch = PlanClassifier(shape);
  const Workspace workspace(shape, memory);
  const LossTarget target(input.label_smoothing, shape.classes);
  ImageKernel<T, true>
      <<<launch.image_blocks, kThreads, 0, stream>>>(shape, launch.position_rows, target, input, output, workspace);
  return cudaGetLastError();
}

template <typename T>
cudaError_t ClassifierParameters(const ClassifierShape& shape, const ClassifierOutput<T>& output, void* memory,
                                 cudaStream_t stream) {
  if (!Fits(shape)) {
    return cudaErrorInvalidValue;
  }
  if (UsesTiles(shape)) {
    return ParametersInTiles(shape, PlanClassifier(shape), output, memory, stream);
  }
  const ClassifierLaunch launch = PlanClassifier(shape);
  const Workspace workspace(shape, memory);
  ParameterKernel<T><<<launch.parameter_blocks, kThreads, 0, stream>>>(shape, launch.channel_blocks, workspace, output);
  return cudaGetLastError();
}

template <typename T>
cudaError_t ClassifierEvaluate(const ClassifierShape& shape, const ClassifierInput<T>& input,
                               const ClassifierCounts& counts, float* logits, void* memory, cudaStream_t stream) {
  if (!Fits(shape)) {
    return cudaErrorInvalidValue;
  }
  const ClassifierLaunch launch = PlanClassifier(shape);
  const Workspace workspace(shape, memory);
  ClassifierOutput<T> output;
  output.logits = logits;
  output.counts = counts;
  cudaError_t error = cudaSuccess;
  if (UsesTiles(shape)) {
    error = EvaluateInTiles(shape, PlanClassifier(shape), input, output, memory, stream);
  } else {
    const LossTarget target(input.label_smoothing, shape.classes);
    ImageKernel<T, false>
        <<<launch.image_blocks, kThreads, 0, stream>>>(shape, launch.position_rows, target, input, output, workspace);
    error = cudaGetLastError();
  }
  if (error != cudaSuccess) {
    return error;
  }
  LossKernel<<<1, kThreads, 0, stream>>>(shape, workspace, counts.loss_sum);
  return cudaGetLastError();
}

#define INSTANTIATE(T)                                                                                                \
  template cudaError_t ClassifierTrain(const ClassifierShape&, const ClassifierInput<T>&, const ClassifierOutput<T>&, \
                                       void*, cudaStream_t);                                                          \
  template cudaError_t ClassifierParameters(const ClassifierShape&, const ClassifierOutput<T>&, void*, cudaStream_t); \
  template cudaError_t ClassifierEvaluate(const ClassifierShape&, const ClassifierInput<T>&, const ClassifierCounts&, \
                                          float*, void*, cudaStream_t)
INSTANTIATE(float);
INSTANTIATE(__nv_bfloat16);
#undef INSTANTIATE

}  // namespace lockstep
