// Shared code of implicit products: sums by dp4a, the writing of four outputs, and the copies of a block's two tiles,
// pixels and weights, into shared memory. One step of the depth is copied while the step before it is multiplied.
//
// A line has kStepBytes of one pixel or one output, in loads of 16 bytes. The order of the loads in a line changes
// every two lines, so that loads at one position of eight lines are in different banks.
#ifndef LOCKSTEP_LIB_INT8_CUDA_IMPLICIT_PRODUCT_CUH_
#define LOCKSTEP_LIB_INT8_CUDA_IMPLICIT_PRODUCT_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "lib/int8_cuda/epilogue.cuh"
#include "lib/int8_cuda/implicit_product.h"

namespace lockstep {

constexpr uint32_t kLineLoads = kStepBytes / 16;

// Returns the bytes from the start of the tile to load `load` of line `line`.
__device__ inline uint32_t PlaceInTile(uint32_t line, uint32_t load) {
  return line * kStepBytes + ((load ^ (line / 2)) % kLineLoads) * 16;
}

// Adds sixteen products.
__device__ inline int32_t DotLoad(const uint4& a, const uint4& b, int32_t sum) {
  sum = __dp4a(static_cast<int32_t>(a.x), static_cast<int32_t>(b.x), sum);
  sum = __dp4a(static_cast<int32_t>(a.y), static_cast<int32_t>(b.y), sum);
  sum = __dp4a(static_cast<int32_t>(a.z), static_cast<int32_t>(b.z), sum);
  return __dp4a(static_cast<int32_t>(a.w), static_cast<int32_t>(b.w), sum);
}

// Writes outputs `channel` to `channel` + 3 of a pixel of the batch.
__device__ inline void WriteQuad(const ImplicitProduct& product, uint32_t pixel, uint32_t channel,
                                 const int32_t (&sums)[4]) {
  const Epilogue& epilogue = product.epilogue;
  const int32_t* const start = StartOf(epilogue, pixel);
  if (epilogue.multiplier == nullptr) {
    WriteSums(epilogue, sums, start, pixel, channel, static_cast<int32_t*>(product.output));
    return;
  }
  const size_t at = static_cast<size_t>(pixel) * epilogue.channels + channel;
  const uint32_t addend = epilogue.addend == nullptr ? 0 : *reinterpret_cast<const uint32_t*>(epilogue.addend + at);
  *reinterpret_cast<uint32_t*>(static_cast<int8_t*>(product.output) + at) =
      FinishQuad(epilogue, sums, start, channel, addend);
}

// Copies 16 bytes, or zeros, to an address of shared memory; from 8.0 on without waiting for the copy.
__device__ inline void CopyLoad(uint32_t to, const int8_t* from, bool is_real) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(is_real ? 16 : 0) : "memory");
#else
  const uint4 value = is_real ? __ldg(reinterpret_cast<const uint4*>(from)) : uint4{0, 0, 0, 0};
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
#endif
}

__device__ inline void CommitCopies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all of this thread's committed copies are complete, except the last `kPending` groups.
template <int kPending>
__device__ inline void WaitForCopies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}

// A thread's share of a block's copies: one load per line, of every (kThreads / kLineLoads)-th line.
template <uint32_t kTilePixels, uint32_t kTileOutputs, uint32_t kThreads>
class TileCopies {
 public:
  static constexpr uint32_t kSlotBytes = (kTilePixels + kTileOutputs) * kStepBytes;

  // `first_pixel`, `first_output`: first ones of the block.
  __device__ TileCopies(const ImplicitProduct& product, uint32_t first_pixel, uint32_t first_output)
      : product_(product), channel_(threadIdx.x % kLineLoads * 16) {
    const uint32_t line = threadIdx.x / kLineLoads;
    weight_ = product.weights + static_cast<size_t>(first_output + line) * product.depth + channel_;
#pragma unroll
    for (uint32_t i = 0; i < kPixelLines; ++i) {
      PlacePixel(first_pixel + line + i * kLinesAtOnce, i);
    }
    FindTap();
  }

  // Begins to copy the next step into the slot at this address of shared memory: pixels, then weights.
  __device__ void CopyStep(uint32_t slot) {
    const uint32_t line = threadIdx.x / kLineLoads, load = threadIdx.x % kLineLoads;
    const bool has_tap = tap_y_ < static_cast<int32_t>(product_.kernel);  // after the last tap, weights are zero
#pragma unroll
    for (uint32_t i = 0; i < kPixelLines; ++i) {
      const int32_t y = y_[i] + tap_y_, x = x_[i] + tap_x_;
      const bool is_real =
          has_tap && static_cast<uint32_t>(y) < product_.in_height && static_cast<uint32_t>(x) < product_.in_width;
      const int32_t offset =
          (y * static_cast<int32_t>(product_.in_width) + x) * static_cast<int32_t>(product_.in_channels) +
          static_cast<int32_t>(channel_);
      CopyLoad(slot + PlaceInTile(line + i * kLinesAtOnce, load), is_real ? image_[i] + offset : product_.input,
               is_real);
    }
    slot += kTilePixels * kStepBytes;
#pragma unroll
    for (uint32_t i = 0; i < kOutputLines; ++i) {
      CopyLoad(slot + PlaceInTile(line + i * kLinesAtOnce, load),
               weight_ + static_cast<size_t>(i * kLinesAtOnce) * product_.depth, true);
    }
    weight_ += kStepBytes;
    channel_ += kStepBytes;
    FindTap();
  }

 private:
  static constexpr uint32_t kLinesAtOnce = kThreads / kLineLoads;
  static constexpr uint32_t kPixelLines = kTilePixels / kLinesAtOnce;
  static constexpr uint32_t kOutputLines = kTileOutputs / kLinesAtOnce;
  static_assert(kPixelLines * kLinesAtOnce == kTilePixels && kOutputLines * kLinesAtOnce == kTileOutputs,
                "threads divide the tile");

  __device__ void PlacePixel(uint32_t pixel, uint32_t i) {
    const uint32_t image = pixel / product_.epilogue.pixels, of_image = pixel % product_.epilogue.pixels;
    const bool is_real = pixel < product_.pixels;
    const int32_t padding = static_cast<int32_t>(product_.padding);
    constexpr int32_t kBeyond = -(1 << 20);  // no tap reaches the image
    y_[i] = is_real ? static_cast<int32_t>(of_image / product_.out_width * product_.stride) - padding : kBeyond;
    x_[i] = static_cast<int32_t>(of_image % product_.out_width * product_.stride) - padding;
    image_[i] = product_.input + static_cast<size_t>(is_real ? image : 0) * product_.in_height * product_.in_width *
                                     product_.in_channels;
  }

  __device__ void FindTap() {
    while (channel_ >= product_.in_channels) {
      channel_ -= product_.in_channels;
      if (++tap_x_ == static_cast<int32_t>(product_.kernel)) {
        tap_x_ = 0;
        ++tap_y_;
      }
    }
  }

  const ImplicitProduct& product_;
  const int8_t* image_[kPixelLines];
  int32_t y_[kPixelLines], x_[kPixelLines];  // input pixel of the first tap, possibly in the padding
  const int8_t* weight_;
  uint32_t channel_;
  int32_t tap_y_ = 0, tap_x_ = 0;
};

// Calls multiply(address of a slot) for each step of the depth. `slots`: shared memory of kSlots * kSlotBytes.
template <uint32_t kSlots, typename Copies, typename Multiply>
__device__ inline void ForEachStep(uint32_t depth, uint32_t slots, Copies& copies, const Multiply& multiply) {
  const uint32_t steps = depth / kStepBytes;
  for (uint32_t step = 0; step + 1 < kSlots; ++step) {
    if (step < steps) {
      copies.CopyStep(slots + step * Copies::kSlotBytes);
    }
    CommitCopies();
  }
  uint32_t reading = 0, writing = kSlots - 1;
  for (uint32_t step = 0; step < steps; ++step) {
    WaitForCopies<kSlots - 2>();
    __syncthreads();  // all threads' copies are complete, and no thread reads the slot that is written next
    if (step + kSlots - 1 < steps) {
      copies.CopyStep(slots + writing * Copies::kSlotBytes);
    }
    CommitCopies();
    multiply(slots + reading * Copies::kSlotBytes);
    reading = reading + 1 == kSlots ? 0 : reading + 1;
    writing = writing + 1 == kSlots ? 0 : writing + 1;
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_IMPLICIT_PRODUCT_CUH_
