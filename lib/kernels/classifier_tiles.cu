// The classifier for more classes than a block has warps. Three matrix products take the place of the loops over
// classes of classifier.cu, each in tiles of 32 x 32 results:
//
//   logits  = pooled weight^T + bias      (images, classes), depth: channels
//   dpooled = dlogits weight              (images, channels), depth: classes
//   dweight = dlogits^T pooled            (classes, channels), depth: images
//
// A block computes a tile over the whole depth, so each result is one sum in the order of the depth: the same bits on
// every run. A tile is small because there are few: 128 images of 100 classes are 16 tiles. The operands of the next 32
// steps of the depth are loaded into registers while a block multiplies the current ones. Tensor cores were not used:
// they would round pooled values and logits' gradients to bf16 or TF32.
#include <cmath>

#include "lib/kernels/classifier_block.cuh"
#include "lib/kernels/classifier_tiles.h"

namespace lockstep {
namespace classifier {
namespace {

constexpr uint32_t kTile = kClassifierTile;  // rows and columns of a tile
constexpr uint32_t kStageDepth = 32;         // steps of the depth that are in shared memory
constexpr uint32_t kTileThreads = 128;
constexpr uint32_t kThreadRows = 2, kThreadColumns = 4;  // results of a thread
constexpr uint32_t kColumnThreads = kTile / kThreadColumns;
constexpr uint32_t kLoads = kTile * kStageDepth / kTileThreads;  // elements of an operand that a thread loads at once
constexpr uint32_t kPitch = kTile + 4;  // floats of a line in shared memory, a multiple of 4 for loads of 16 bytes
static_assert(kTile * kTile == kTileThreads * kThreadRows * kThreadColumns, "the threads hold the tile");
static_assert(kTile == kWarp && kStageDepth == kWarp, "a warp loads a line of an operand");

enum class Contiguous { kDepth, kRow };  // dimension of an operand whose elements are adjacent in memory

// Operand of a product: (rows, depth) if the depth is contiguous, otherwise (depth, rows).
template <typename T, Contiguous kContiguous>
struct Operand {
  const T* data;
  uint32_t rows;
  uint32_t depth;

  // Returns an element; 0 outside the matrix.
  __device__ float At(uint32_t row, uint32_t k) const {
    if (row >= rows || k >= depth) {
      return 0;
    }
    const size_t at = kContiguous == Contiguous::kDepth ? size_t{row} * depth + k : size_t{k} * rows + row;
    return static_cast<float>(data[at]);
  }
};

// The elements of an operand that a thread takes from memory to shared memory. A warp loads 32 adjacent elements.
template <Contiguous kContiguous>
struct Loaded {
  float value[kLoads];

  template <typename T>
  __device__ void Load(const Operand<T, kContiguous>& operand, uint32_t first_row, uint32_t first_k) {
#pragma unroll
    for (uint32_t i = 0; i < kLoads; ++i) {
      value[i] = operand.At(first_row + Row(i), first_k + Step(i));
    }
  }
  __device__ void Store(float (&tile)[kStageDepth][kPitch]) const {
#pragma unroll
    for (uint32_t i = 0; i < kLoads; ++i) {
      tile[Step(i)][Row(i)] = value[i];
    }
  }

 private:
  static __device__ uint32_t Lane() { return threadIdx.x % kWarp; }
  static __device__ uint32_t Line(uint32_t i) { return threadIdx.x / kWarp + i * (kTileThreads / kWarp); }
  static __device__ uint32_t Row(uint32_t i) { return kContiguous == Contiguous::kDepth ? Line(i) : Lane(); }
  static __device__ uint32_t Step(uint32_t i) { return kContiguous == Contiguous::kDepth ? Lane() : Line(i); }
};

// Results of a thread: rows first_row ... + 1 and columns first_column ... + 3 of the product, of which some may lie
// outside.
struct ThreadSums {
  uint32_t first_row;
  uint32_t first_column;
  float sum[kThreadRows][kThreadColumns];

  // Position of the thread in the tile (blockIdx.x, blockIdx.y) of rows and columns.
  __device__ ThreadSums()
      : first_row(blockIdx.x * kTile + threadIdx.x / kColumnThreads * kThreadRows),
        first_column(blockIdx.y * kTile + threadIdx.x % kColumnThreads * kThreadColumns), sum{} {}
};

// Computes sum(i, j) = sum over k of a(i, k) b(j, k) for the tile of a block.
template <typename A, Contiguous kA, typename B, Contiguous kB>
__device__ ThreadSums Multiply(const Operand<A, kA>& a, const Operand<B, kB>& b) {
  __shared__ alignas(16) float a_tile[kStageDepth][kPitch], b_tile[kStageDepth][kPitch];
  ThreadSums result;
  const uint32_t row = threadIdx.x / kColumnThreads * kThreadRows;
  const uint32_t column = threadIdx.x % kColumnThreads * kThreadColumns;
  Loaded<kA> next_a;
  Loaded<kB> next_b;
  next_a.Load(a, blockIdx.x * kTile, 0);
  next_b.Load(b, blockIdx.y * kTile, 0);
  for (uint32_t first = 0; first < a.depth; first += kStageDepth) {
    next_a.Store(a_tile);
    next_b.Store(b_tile);
    __syncthreads();
    next_a.Load(a, blockIdx.x * kTile, first + kStageDepth);
    next_b.Load(b, blockIdx.y * kTile, first + kStageDepth);
#pragma unroll 8
    for (uint32_t k = 0; k < kStageDepth; ++k) {
      const float2 of_rows = *reinterpret_cast<const float2*>(&a_tile[k][row]);
      const float4 of_columns = *reinterpret_cast<const float4*>(&b_tile[k][column]);
      const float row_value[kThreadRows] = {of_rows.x, of_rows.y};
      const float column_value[kThreadColumns] = {of_columns.x, of_columns.y, of_columns.z, of_columns.w};
#pragma unroll
      for (uint32_t i = 0; i < kThreadRows; ++i) {
#pragma unroll
        for (uint32_t j = 0; j < kThreadColumns; ++j) {
          result.sum[i][j] += row_value[i] * column_value[j];
        }
      }
    }
    __syncthreads();
  }
  return result;
}

// Writes the pooled values. One block per image.
template <typename T>
__global__ void __launch_bounds__(kThreads, kBlocksAtOnce)
    PoolKernel(ClassifierShape shape, uint32_t rows, const T* x, Workspace workspace) {
  __shared__ alignas(16) float of_channel[kMaxClassifierChannels];  // `rows` rows of channels
  const size_t image = blockIdx.x;
  Pool(shape, rows, Place(shape), x + image * shape.positions * shape.channels, of_channel);
  for (uint32_t channel = threadIdx.x; channel < shape.channels; channel += kThreads) {
    workspace.pooled[image * shape.channels + channel] = of_channel[channel];
  }
}

// Writes the logits to the place of their gradients and, unless null, to `logits`.
template <typename T>
__global__ void __launch_bounds__(kTileThreads)
    LogitsKernel(ClassifierShape shape, const T* weight, const float* bias, Workspace workspace, float* logits) {
  const Operand<float, Contiguous::kDepth> a = {workspace.pooled, shape.images, shape.channels};
  const Operand<T, Contiguous::kDepth> b = {weight, shape.classes, shape.channels};
  const ThreadSums sums = Multiply(a, b);
#pragma unroll
  for (uint32_t i = 0; i < kThreadRows; ++i) {
#pragma unroll
    for (uint32_t j = 0; j < kThreadColumns; ++j) {
      const uint32_t image = sums.first_row + i, k = sums.first_column + j;
      if (image < shape.images && k < shape.classes) {
        const size_t at = size_t{image} * shape.classes + k;
        const float logit = sums.sum[i][j] + bias[k];
        workspace.dlogits[at] = logit;
        if (logits != nullptr) {
          logits[at] = logit;
        }
      }
    }
  }
}

__device__ inline uint32_t WarpMin(uint32_t value) {
#pragma unroll
  for (uint32_t distance = kWarp / 2; distance > 0; distance /= 2) {
    value = min(value, __shfl_xor_sync(kAllLanes, value, distance));
  }
  return value;
}

// Computes loss and count of each image and, to train, replaces its logits by their gradients. One warp per image.
template <bool kTrain>
__global__ void __launch_bounds__(kTileThreads)
    SoftmaxKernel(ClassifierShape shape, LossTarget target, const int64_t* labels, Workspace workspace,
                  uint32_t* correct) {
  const size_t image = size_t{blockIdx.x} * (kTileThreads / kWarp) + threadIdx.x / kWarp;
  if (image >= shape.images) {
    return;
  }
  const uint32_t lane = threadIdx.x % kWarp;
  float* const of_class = workspace.dlogits + image * shape.classes;
  const int64_t label = labels[image];
  const bool label_is_class = label >= 0 && label < shape.classes;
  float largest = -INFINITY;
#pragma unroll 8
  for (uint32_t k = lane; k < shape.classes; k += kWarp) {
    largest = fmaxf(largest, of_class[k]);
  }
  largest = WarpMax(largest);
  float sum = 0, moved_sum = 0;
  uint32_t predicted = UINT32_MAX;
#pragma unroll 4
  for (uint32_t k = lane; k < shape.classes; k += kWarp) {
    const float logit = of_class[k];
    sum += expf(logit - largest);
    moved_sum += logit - largest;
    predicted = logit == largest ? min(predicted, k) : predicted;
  }
  sum = WarpSum(sum);
  predicted = WarpMin(predicted);
  if (lane == 0) {
    workspace.losses[image] = NAN;
  }
  if (target.spread != 0) {
    moved_sum = WarpSum(moved_sum);
  }
  if (lane == 0 && label_is_class) {
    const float moved = of_class[label] - largest;
    workspace.losses[image] =
        logf(sum) - (target.spread == 0 ? moved : target.keep * moved + target.spread * moved_sum);
    if (predicted == label) {
      atomicAdd(correct, 1);
    }
  }
  if (!kTrain) {
    return;
  }
  __syncwarp();  // after it, no lane reads the label's logit
  for (uint32_t k = lane; k < shape.classes; k += kWarp) {
    const float wanted = (k == label ? target.keep : 0.0f) + target.spread;
    of_class[k] = (expf(of_class[k] - largest) / sum - wanted) / static_cast<float>(shape.images);
  }
}

// Writes dx: the gradient of the pooled values, divided by the number of positions, at each position.
template <typename T>
__global__ void __launch_bounds__(kTileThreads)
    InputGradientKernel(ClassifierShape shape, const T* weight, Workspace workspace, T* dx) {
  struct alignas(kThreadColumns * sizeof(T)) Four {
    T value[kThreadColumns];
  };
  static_assert(kClassifierChannels % kThreadColumns == 0, "the four channels of a thread are inside or outside");
  const Operand<float, Contiguous::kDepth> a = {workspace.dlogits, shape.images, shape.classes};
  const Operand<T, Contiguous::kRow> b = {weight, shape.channels, shape.classes};
  const ThreadSums sums = Multiply(a, b);
#pragma unroll
  for (uint32_t i = 0; i < kThreadRows; ++i) {
    const uint32_t image = sums.first_row + i;
    if (image >= shape.images || sums.first_column >= shape.channels) {
      continue;
    }
    Four four;
#pragma unroll
    for (uint32_t j = 0; j < kThreadColumns; ++j) {
      four.value[j] = T(sums.sum[i][j] / static_cast<float>(shape.positions));
    }
    T* to = dx + size_t{image} * shape.positions * shape.channels + sums.first_column;
    for (uint32_t position = 0; position < shape.positions; ++position, to += shape.channels) {
      *reinterpret_cast<Four*>(to) = four;
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(kTileThreads)
    WeightGradientKernel(ClassifierShape shape, Workspace workspace, T* dweight) {
  const Operand<float, Contiguous::kRow> a = {workspace.dlogits, shape.classes, shape.images};
  const Operand<float, Contiguous::kRow> b = {workspace.pooled, shape.channels, shape.images};
  const ThreadSums sums = Multiply(a, b);
#pragma unroll
  for (uint32_t i = 0; i < kThreadRows; ++i) {
#pragma unroll
    for (uint32_t j = 0; j < kThreadColumns; ++j) {
      const uint32_t k = sums.first_row + i, channel = sums.first_column + j;
      if (k < shape.classes && channel < shape.channels) {
        dweight[size_t{k} * shape.channels + channel] = T(sums.sum[i][j]);
      }
    }
  }
}

// Computes dbias, 32 classes per block, and in the last block the sum of the losses. Order of the sums of dbias: each
// thread adds every 16th image, then the threads of a class are added in order.
__global__ void __launch_bounds__(kThreads) BiasAndLossKernel(ClassifierShape shape, uint32_t class_tiles,
                                                              Workspace workspace, float* dbias, double* loss_sum) {
  if (blockIdx.x == class_tiles) {
    AddLosses(shape, workspace, loss_sum);
    return;
  }
  constexpr uint32_t kRows = kThreads / kTile;
  __shared__ float of_row[kRows][kTile];
  const uint32_t column = threadIdx.x % kTile, k = blockIdx.x * kTile + column;
  float sum = 0;
  if (k < shape.classes) {
#pragma unroll 4
    for (size_t image = threadIdx.x / kTile; image < shape.images; image += kRows) {
      sum += workspace.dlogits[image * shape.classes + k];
    }
  }
  of_row[threadIdx.x / kTile][column] = sum;
  __syncthreads();
  if (threadIdx.x < kTile && k < shape.classes) {
    float total = of_row[0][column];
    for (uint32_t row = 1; row < kRows; ++row) {
      total += of_row[row][column];
    }
    dbias[k] = total;
  }
}

template <typename T, bool kTrain>
cudaError_t LaunchImages(const ClassifierShape& shape, const ClassifierLaunch& launch, const ClassifierInput<T>& input,
                         const ClassifierOutput<T>& output, const Workspace& workspace, cudaStream_t stream) {
  constexpr uint32_t kImagesOfBlock = kTileThreads / kWarp;
  PoolKernel<<<launch.image_blocks, kThreads, 0, stream>>>(shape, launch.position_rows, input.x, workspace);
  LogitsKernel<<<dim3(launch.image_tiles, launch.class_tiles), kTileThreads, 0, stream>>>(
      shape, input.weight, input.bias, workspace, output.logits);
  SoftmaxKernel<kTrain><<<(shape.images - 1) / kImagesOfBlock + 1, kTileThreads, 0, stream>>>(
      shape, LossTarget(input.label_smoothing, shape.classes), input.labels, workspace, output.counts.correct);
  if (kTrain) {
    InputGradientKernel<<<dim3(launch.image_tiles, launch.channel_tiles), kTileThreads, 0, stream>>>(
        shape, input.weight, workspace, output.dx);
  }
  return cudaGetLastError();
}

}  // namespace

template <typename T>
cudaError_t TrainInTiles(const ClassifierShape& shape, const ClassifierLaunch& launch, const ClassifierInput<T>& input,
                         const ClassifierOutput<T>& output, void* workspace, cudaStream_t stream) {
  return LaunchImages<T, true>(shape, launch, input, output, Workspace(shape, workspace), stream);
}

template <typename T>
cudaError_t EvaluateInTiles(const ClassifierShape& shape, const ClassifierLaunch& launch,
                            const ClassifierInput<T>& input, const ClassifierOutput<T>& output, void* workspace,
                            cudaStream_t stream) {
  return LaunchImages<T, false>(shape, launch, input, output, Workspace(shape, workspace), stream);
}

template <typename T>
cudaError_t ParametersInTiles(const ClassifierShape& shape, const ClassifierLaunch& launch,
                              const ClassifierOutput<T>& output, void* memory, cudaStream_t stream) {
  const Workspace workspace(shape, memory);
  WeightGradientKernel<<<dim3(launch.class_tiles, launch.channel_tiles), kTileThreads, 0, stream>>>(shape, workspace,
                                                                                                    output.dweight);
  BiasAndLossKernel<<<launch.class_tiles + 1, kThreads, 0, stream>>>(shape, launch.class_tiles, workspace, output.dbias,
                                                                     output.counts.loss_sum);
  return cudaGetLastError();
}

#define INSTANTIATE(T)                                                                                                \
  template cudaError_t TrainInTiles(const ClassifierShape&, const ClassifierLaunch&, const ClassifierInput<T>&,       \
                                    const ClassifierOutput<T>&, void*, cudaStream_t);                                 \
  template cudaError_t EvaluateInTiles(const ClassifierShape&, const ClassifierLaunch&, const ClassifierInput<T>&,    \
                                       const ClassifierOutput<T>&, void*, cudaStream_t);                              \
  template cudaError_t ParametersInTiles(const ClassifierShape&, const ClassifierLaunch&, const ClassifierOutput<T>&, \
                                         void*, cudaStream_t)
INSTANTIATE(float);
INSTANTIATE(__nv_bfloat16);
#undef INSTANTIATE

}  // namespace classifier
}  // namespace lockstep
