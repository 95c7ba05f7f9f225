// Parts that both forms of the classifier use: one block per image (classifier.cu) and products in tiles
// (classifier_tiles.cu).
#ifndef LOCKSTEP_LIB_KERNELS_CLASSIFIER_BLOCK_CUH_
#define LOCKSTEP_LIB_KERNELS_CLASSIFIER_BLOCK_CUH_

#include <cstddef>
#include <cstdint>

#include "lib/kernels/classifier.h"
#include "lib/kernels/pack.cuh"

namespace lockstep {
namespace classifier {

constexpr uint32_t kVector = kPackChannels;
constexpr uint32_t kThreads = 512;
constexpr uint32_t kBlocksAtOnce = 4;       // blocks of an image per SM: batch 512 is one wave on 132 SMs
constexpr uint32_t kPositionsInFlight = 2;  // positions per thread: all of ResNet-18's 16
constexpr uint32_t kWarp = 32;
constexpr uint32_t kAllLanes = 0xFFFFFFFF;
static_assert(kVector == kClassifierChannels, "the shape's contract");
static_assert(kMaxClassifierChannels == kThreads * kVector, "a row of threads holds an image's channels");

template <typename T>
__device__ void Load(const T* from, float (&to)[kVector]) {
  const Pack<T> pack = LoadPack(from);
#pragma unroll
  for (uint32_t i = 0; i < kVector; ++i) {
    to[i] = static_cast<float>(pack.value[i]);
  }
}

// Returns the sum over the lanes of a warp, added in the same order on all of them.
__device__ inline float WarpSum(float value) {
#pragma unroll
  for (uint32_t distance = kWarp / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, distance);
  }
  return value;
}

__device__ inline float WarpMax(float value) {
#pragma unroll
  for (uint32_t distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, distance));
  }
  return value;
}

// Returns the number of logits' gradients per image in the workspace. With fewer classes than that, zeros follow.
__host__ __device__ inline uint32_t LogitsPerImage(const ClassifierShape& shape) {
  return shape.classes > kClassifierBlockClasses ? shape.classes : kClassifierBlockClasses;
}

// Results of ClassifierTrain that ClassifierParameters reads.
struct Workspace {
  float* dlogits;  // (images, LogitsPerImage)
  float* pooled;   // (images, channels)
  float* losses;   // (images)

  Workspace(const ClassifierShape& shape, void* memory)
      : dlogits(static_cast<float*>(memory)),
        pooled(dlogits + static_cast<size_t>(shape.images) * LogitsPerImage(shape)),
        losses(pooled + static_cast<size_t>(shape.images) * shape.channels) {}
};

// Position of a thread of an image's block when the block is eight channels wide: positions row, row + rows, ... of the
// image.
struct Place {
  uint32_t channel;
  uint32_t row;

  __device__ explicit Place(const ClassifierShape& shape)
      : channel(threadIdx.x % (shape.channels / kVector) * kVector), row(threadIdx.x / (shape.channels / kVector)) {}
};

// Computes of_channel[c] = mean over the positions of x, for the whole block. The threads of each row add up their
// positions in order.
template <typename T>
__device__ void Pool(const ClassifierShape& shape, uint32_t rows, const Place& place, const T* x, float* of_channel) {
  if (place.row < rows) {
    float sum[kVector] = {};
    for (uint32_t first = place.row; first < shape.positions; first += kPositionsInFlight * rows) {
      float value[kPositionsInFlight][kVector];
#pragma unroll
      for (uint32_t i = 0; i < kPositionsInFlight; ++i) {
        const size_t position = min(first + i * rows, shape.positions - 1);
        Load(x + position * shape.channels + place.channel, value[i]);
      }
#pragma unroll
      for (uint32_t i = 0; i < kPositionsInFlight; ++i) {
#pragma unroll
        for (uint32_t j = 0; j < kVector; ++j) {
          sum[j] += first + i * rows < shape.positions ? value[i][j] : 0.0f;
        }
      }
    }
    Store(sum, of_channel + place.row * shape.channels + place.channel);
  }
  __syncthreads();
  for (uint32_t channel = threadIdx.x; channel < shape.channels; channel += kThreads) {
    float sum = of_channel[channel];
    for (uint32_t row = 1; row < rows; ++row) {
      sum += of_channel[row * shape.channels + channel];
    }
    of_channel[channel] = sum / static_cast<float>(shape.positions);
  }
  __syncthreads();
}

// Target probability of each class in the loss: `spread`, plus `keep` for the label's class.
struct LossTarget {
  float keep;
  float spread;  // 0: no label smoothing

  LossTarget(float label_smoothing, uint32_t classes)
      : keep(1 - label_smoothing), spread(label_smoothing / static_cast<float>(classes)) {}
};

// Adds the losses to loss_sum. Must run in one block only, so that additions to loss_sum do not race. Each thread adds
// every 512th image, then halves of the block are added.
__device__ inline void AddLosses(const ClassifierShape& shape, const Workspace& workspace, double* loss_sum) {
  __shared__ double of_thread[kThreads];
  double sum = 0;
#pragma unroll 4
  for (size_t image = threadIdx.x; image < shape.images; image += kThreads) {
    sum += workspace.losses[image];
  }
  of_thread[threadIdx.x] = sum;
  __syncthreads();
  for (uint32_t half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      of_thread[threadIdx.x] += of_thread[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *loss_sum += of_thread[0];
  }
}

}  // namespace classifier
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CLASSIFIER_BLOCK_CUH_
