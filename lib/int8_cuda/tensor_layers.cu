// Each kernel reads and writes memory once, 16 bytes per thread where the result's layout allows it, and is limited by
// memory. Together the kernels take some hundredths of a network's time, except for max-pooling in small networks. With
// few images a kernel takes as long as its dependent loads, so a thread begins as many loads as possible at once.
#include "lib/cuda/overlapped_launch.cuh"
#include "lib/int8_cuda/device_layout.h"
#include "lib/int8_cuda/requantize.cuh"
#include "lib/int8_cuda/tensor_layers.h"

namespace lockstep {
namespace {

constexpr uint32_t kThreads = 256;
constexpr uint32_t kFewThreads = 64;       // threads per block of a small launch, so that more SMs share it
constexpr size_t kFew = 64 * kFewThreads;  // most threads of a small launch
constexpr uint32_t kMaxBlocks = 1u << 30;  // limit of a grid
constexpr uint32_t kWarp = 32;
constexpr uint32_t kPoolParts = 4;  // threads that share the pixels of an average
constexpr uint32_t kPoolLoads = 4;  // pixels that each thread loads at once: together all of 4x4
constexpr uint32_t kWarpQuads = kWarp / kPoolParts;
constexpr uint32_t kFewChannels = 4;  // channels of an image

// Returns a launch of enough threads for all items; if the grid would be too large, each thread does several.
LaunchSize SizeFor(size_t threads) {
  const uint32_t of_block = threads <= kFew ? kFewThreads : kThreads;
  const size_t blocks = (threads + of_block - 1) / of_block;
  return {dim3(static_cast<uint32_t>(blocks < kMaxBlocks ? blocks : kMaxBlocks)), of_block};
}

// Begins a kernel. Other launches use all memory that the kernel reads and writes, so it must wait before its first
// access.
__device__ inline void TakeTurn() {
  LetNextBegin();
  WaitForLaunchBefore();
}

__device__ inline size_t FirstIndex() { return static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline size_t IndexStep() { return static_cast<size_t>(gridDim.x) * blockDim.x; }

// Sixteen channels of a pixel, as words.
union Load {
  uint4 whole;
  uint32_t word[4];
  int8_t value[16];
};

__device__ inline Load ReadLoad(const int8_t* from) {
  Load load;
  load.whole = *reinterpret_cast<const uint4*>(from);
  return load;
}

__device__ inline void WriteLoad(const Load& load, int8_t* to) { *reinterpret_cast<uint4*>(to) = load.whole; }

// Sixteen channels of one pixel of `extent`, from a thread's index.
struct LoadPlace {
  uint32_t channel;  // first channel
  uint32_t pixel;    // pixel in the image
  size_t image;

  __device__ LoadPlace(size_t index, const Extent& extent) {
    const uint32_t loads = PaddedChannels(extent.channels) / kLoadBytes;
    channel = static_cast<uint32_t>(index % loads) * kLoadBytes;
    const size_t pixels = static_cast<size_t>(extent.height) * extent.width;
    pixel = static_cast<uint32_t>(index / loads % pixels);
    image = index / loads / pixels;
  }
};

// Converts images of at most kFewChannels, four pixels per thread. `quads`: groups of four pixels per image.
__global__ void QuantizeFewChannelsKernel(const uint8_t* pixels, const int8_t* table, uint32_t channels, uint32_t quads,
                                          uint32_t all_quads, int8_t* output) {
  TakeTurn();
  const uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= all_quads) {
    return;
  }
  const uint32_t image = index / quads, quad = index % quads;
  const uint32_t* const from =
      reinterpret_cast<const uint32_t*>(pixels) + static_cast<size_t>(image) * channels * quads + quad;
  uint32_t four[kFewChannels], word[4] = {};
#pragma unroll
  for (uint32_t c = 0; c < kFewChannels; ++c) {
    four[c] = c < channels ? from[static_cast<size_t>(c) * quads] : 0;
  }
#pragma unroll
  for (uint32_t i = 0; i < 4 * kFewChannels; ++i) {
    const uint32_t c = i / 4, p = i % 4;
    const uint32_t value = c < channels ? static_cast<uint8_t>(table[c * 256 + (four[c] >> 8 * p & 0xFF)]) : 0;
    word[p] |= value << 8 * c;
  }
#pragma unroll
  for (uint32_t p = 0; p < 4; ++p) {
    reinterpret_cast<uint4*>(output)[static_cast<size_t>(index) * 4 + p] = {word[p], 0, 0, 0};
  }
}

__global__ void QuantizePixelsKernel(const uint8_t* pixels, const int8_t* table, Extent extent, size_t loads,
                                     int8_t* output) {
  TakeTurn();
  const size_t plane = static_cast<size_t>(extent.height) * extent.width;
  for (size_t i = FirstIndex(); i < loads; i += IndexStep()) {
    const LoadPlace place(i, extent);
    Load load = {};
#pragma unroll
    for (uint32_t c = 0; c < kLoadBytes; ++c) {
      if (const size_t channel = place.channel + c; channel < extent.channels) {
        load.value[c] = table[channel * 256 + pixels[(place.image * extent.channels + channel) * plane + place.pixel]];
      }
    }
    WriteLoad(load, output + i * kLoadBytes);
  }
}

__global__ void PadChannelsKernel(const int8_t* input, Extent extent, size_t loads, int8_t* output) {
  TakeTurn();
  const size_t plane = static_cast<size_t>(extent.height) * extent.width;
  for (size_t i = FirstIndex(); i < loads; i += IndexStep()) {
    const LoadPlace place(i, extent);
    const int8_t* from = input + (place.image * plane + place.pixel) * extent.channels + place.channel;
    Load load = {};
#pragma unroll
    for (uint32_t c = 0; c < kLoadBytes; ++c) {
      load.value[c] = place.channel + c < extent.channels ? from[c] : int8_t{0};
    }
    WriteLoad(load, output + i * kLoadBytes);
  }
}

__device__ inline uint32_t AddByte(uint32_t first, uint32_t second, uint32_t byte, const AdditionFactors& factors) {
  return BitsOf(AddedInRounder(ByteAsFloat(first, byte), factors.own, ByteAsFloat(second, byte), factors.other,
                               factors.offset, factors.low));
}

__global__ void AddTensorsKernel(const int8_t* first, const int8_t* second, AdditionFactors factors, size_t loads,
                                 int8_t* output) {
  TakeTurn();
  for (size_t i = FirstIndex(); i < loads; i += IndexStep()) {
    const Load a = ReadLoad(first + i * kLoadBytes), b = ReadLoad(second + i * kLoadBytes);
    Load sum;
#pragma unroll
    for (uint32_t w = 0; w < 4; ++w) {
      sum.word[w] = LowBytes(AddByte(a.word[w], b.word[w], 0, factors), AddByte(a.word[w], b.word[w], 1, factors),
                             AddByte(a.word[w], b.word[w], 2, factors), AddByte(a.word[w], b.word[w], 3, factors)) ^
                    0x80808080u;
    }
    WriteLoad(sum, output + i * kLoadBytes);
  }
}

__global__ void MaxPoolKernel(Extent in, Extent out, uint32_t pool, const int8_t* input, size_t loads, int8_t* output) {
  TakeTurn();
  const uint32_t channels = PaddedChannels(in.channels);
  for (size_t i = FirstIndex(); i < loads; i += IndexStep()) {
    const LoadPlace place(i, out);
    const uint32_t y = place.pixel / out.width * pool, x = place.pixel % out.width * pool;
    const size_t first = (place.image * in.height + y) * in.width + x;
    Load largest = ReadLoad(input + first * channels + place.channel);
    for (uint32_t t = 1; t < pool * pool; ++t) {
      const size_t pixel = first + static_cast<size_t>(t / pool) * in.width + t % pool;
      const Load load = ReadLoad(input + pixel * channels + place.channel);
#pragma unroll
      for (uint32_t w = 0; w < 4; ++w) {
        largest.word[w] = __vmaxs4(largest.word[w], load.word[w]);
      }
    }
    WriteLoad(largest, output + i * kLoadBytes);
  }
}

// Adds up four channels of kPoolLoads pixels: `first`, first + kPoolParts, ...
__device__ inline void AddPixels(const int8_t* from, uint32_t first, uint32_t pixels, uint32_t channels,
                                 int32_t (&sums)[4]) {
  uint32_t word[kPoolLoads];  // 0 beyond the last pixel: it adds nothing
#pragma unroll
  for (uint32_t i = 0; i < kPoolLoads; ++i) {
    const uint32_t pixel = first + i * kPoolParts;
    word[i] = pixel < pixels ? *reinterpret_cast<const uint32_t*>(from + static_cast<size_t>(pixel) * channels) : 0;
  }
#pragma unroll
  for (uint32_t i = 0; i < 4 * kPoolLoads; ++i) {
    sums[i % 4] = __dp4a(static_cast<int32_t>(word[i / 4]), 1 << 8 * (i % 4), sums[i % 4]);
  }
}

// Eight neighbouring quads of channels per warp, kPoolParts threads each, which share the pixels. Thread t has quad t %
// 8.
__global__ void AveragePoolKernel(Extent extent, AveragePoolFactors factors, const int8_t* input, size_t quads,
                                  size_t threads, int8_t* output) {
  TakeTurn();
  const uint32_t channels = PaddedChannels(extent.channels), pixels = extent.height * extent.width;
  const uint32_t part = threadIdx.x % kWarp / kWarpQuads;
  for (size_t i = FirstIndex(); i < threads; i += IndexStep()) {  // whole warps
    const size_t quad = i / kWarp * kWarpQuads + i % kWarpQuads;
    const uint32_t channel = static_cast<uint32_t>(quad % (channels / 4)) * 4;
    const int8_t* from = input + quad / (channels / 4) * pixels * channels + channel;
    const int32_t start = part == 0 ? -factors.input_zero_point * static_cast<int32_t>(pixels) : 0;
    int32_t sums[4] = {start, start, start, start};
    for (uint32_t first = part; quad < quads && first < pixels; first += kPoolParts * kPoolLoads) {
      AddPixels(from, first, pixels, channels, sums);
    }
    uint32_t bits[4];
#pragma unroll
    for (uint32_t c = 0; c < 4; ++c) {
#pragma unroll
      for (uint32_t other = kWarpQuads; other < kWarp; other *= 2) {
        sums[c] += __shfl_xor_sync(0xFFFFFFFF, sums[c], other);
      }
      bits[c] = BitsOf(
          RequantizedInRounder(sums[c], 0.0f, factors.multiplier, factors.low, factors.high, factors.zero_point));
    }
    if (part == 0 && quad < quads) {
      *reinterpret_cast<uint32_t*>(output + quad * 4) = LowBytes(bits[0], bits[1], bits[2], bits[3]);
    }
  }
}

__global__ void ReadLogitsKernel(const int8_t* input, uint32_t channels, size_t logits_size, int32_t* logits) {
  TakeTurn();
  const uint32_t padded = PaddedChannels(channels);
  for (size_t i = FirstIndex(); i < logits_size; i += IndexStep()) {
    logits[i] = input[i / channels * padded + i % channels];
  }
}

size_t LoadsOf(const Extent& extent, uint32_t images) {
  return static_cast<size_t>(extent.height) * extent.width * (PaddedChannels(extent.channels) / kLoadBytes) * images;
}

}  // namespace

cudaError_t LaunchQuantizePixels(const uint8_t* pixels, const int8_t* table, const Extent& extent, uint32_t images,
                                 int8_t* output, cudaStream_t stream) {
  const uint32_t plane = extent.height * extent.width;
  const size_t loads = LoadsOf(extent, images);
  if (extent.channels <= kFewChannels && plane % 4 == 0 && reinterpret_cast<uintptr_t>(pixels) % 4 == 0) {
    const auto quads = static_cast<uint32_t>(loads / 4);  // one load per pixel
    return LaunchOverlapped(QuantizeFewChannelsKernel, SizeFor(quads), stream, pixels, table, extent.channels,
                            plane / 4, quads, output);
  }
  return LaunchOverlapped(QuantizePixelsKernel, SizeFor(loads), stream, pixels, table, extent, loads, output);
}

cudaError_t LaunchPadChannels(const int8_t* input, const Extent& extent, uint32_t images, int8_t* output,
                              cudaStream_t stream) {
  const size_t loads = LoadsOf(extent, images);
  return LaunchOverlapped(PadChannelsKernel, SizeFor(loads), stream, input, extent, loads, output);
}

cudaError_t LaunchAddTensors(const int8_t* first, const int8_t* second, const AdditionFactors& factors, size_t bytes,
                             int8_t* output, cudaStream_t stream) {
  const size_t loads = bytes / kLoadBytes;
  return LaunchOverlapped(AddTensorsKernel, SizeFor(loads), stream, first, second, factors, loads, output);
}

cudaError_t LaunchMaxPool(const LayerShape& shape, const int8_t* input, uint32_t images, int8_t* output,
                          cudaStream_t stream) {
  const Extent out = shape.Pooled();
  const size_t loads = LoadsOf(out, images);
  return LaunchOverlapped(MaxPoolKernel, SizeFor(loads), stream, shape.Out(), out, shape.pool, input, loads, output);
}

cudaError_t LaunchAveragePool(const Extent& extent, const AveragePoolFactors& factors, const int8_t* input,
                              uint32_t images, int8_t* output, cudaStream_t stream) {
  const size_t quads = static_cast<size_t>(PaddedChannels(extent.channels) / 4) * images;
  const size_t threads = (quads + kWarpQuads - 1) / kWarpQuads * kWarp;
  return LaunchOverlapped(AveragePoolKernel, SizeFor(threads), stream, extent, factors, input, quads, threads, output);
}

cudaError_t LaunchReadLogits(const int8_t* input, const Extent& extent, uint32_t images, int32_t* logits,
                             cudaStream_t stream) {
  const size_t size = static_cast<size_t>(extent.height) * extent.width * extent.channels * images;
  return LaunchOverlapped(ReadLogitsKernel, SizeFor(size), stream, input, extent.channels, size, logits);
}

}  // namespace lockstep
