// Hopper's matrix instruction: a group of 128 threads multiplies tiles in shared memory and accumulates in registers,
// bf16 in fp32, int8 in int32.
//
// Source: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions". Tiles have the layout of tensor copies with
// 128-byte swizzle (tensor_copy.cuh): lines of 64 values, eight lines per pattern of 1,024 bytes.
//
// Accumulator of thread t: acc[4j + 2h + i] is row 16 * (t / 32) + 8 * h + t % 32 / 4, column 8j + t % 4 * 2 + i.
#ifndef LOCKSTEP_LIB_CUDA_WGMMA_CUH_
#define LOCKSTEP_LIB_CUDA_WGMMA_CUH_

#include <cstdint>

namespace lockstep {
namespace wgmma {

constexpr uint32_t kThreads = 128;
constexpr uint32_t kRows = 64;   // rows of the accumulator
constexpr uint32_t kDepth = 16;  // depth of one instruction
constexpr uint32_t kLine = 64;   // bf16 values in a swizzled line
constexpr uint32_t kLineBytes = 128;
constexpr uint32_t kPatternBytes = 1024;

// Returns the position of a thread's acc[4j]: its row (acc[4j + 2] is eight rows below), and its column relative to 8j.
__device__ inline uint32_t RowOf(uint32_t thread) { return thread / 32 * 16 + thread % 32 / 4; }
__device__ inline uint32_t ColumnOf(uint32_t thread) { return thread % 4 * 2; }

// Returns the descriptor of a tile whose lines run across the depth, with 64 values of the other dimension per line.
// `address`: first line, which need not be at the start of a pattern (the swizzle depends on the address itself). The
// other arguments are the bytes from eight lines to the next eight, and from 64 values of the other dimension to the
// next 64.
__device__ inline uint64_t DescribeLinesAcross(uint32_t address, uint32_t eight_lines_bytes,
                                               uint32_t next_values_bytes) {
  constexpr uint64_t kSwizzle128 = uint64_t{1} << 62;
  return kSwizzle128 | uint64_t{eight_lines_bytes / 16} << 32 | uint64_t{next_values_bytes / 16} << 16 |
         (address & 0x3FFFF) / 16;
}

// Returns the descriptor of a tile that is one line wide, with eight contiguous lines: the lines follow each other in
// the non-depth dimension if they run along the depth, otherwise along the depth. Neither the tile nor the next eight
// lines need to start at a pattern.
__device__ inline uint64_t Describe(uint32_t address, uint32_t eight_lines_bytes = kPatternBytes) {
  constexpr uint32_t kNotUsed = 16;
  return DescribeLinesAcross(address, eight_lines_bytes, kNotUsed);
}

// Returns the descriptor for lines of 64 bytes with a 64-byte swizzle: a pattern is eight lines, 512 bytes.
__device__ inline uint64_t DescribeShortLines(uint32_t address, uint32_t eight_lines_bytes) {
  constexpr uint64_t kSwizzle64 = uint64_t{2} << 62;
  constexpr uint32_t kNotUsed = 16;
  return kSwizzle64 | uint64_t{eight_lines_bytes / 16} << 32 | uint64_t{kNotUsed / 16} << 16 | (address & 0x3FFFF) / 16;
}

// Returns the descriptor for unswizzled lines of 16 bytes of the depth; eight lines are contiguous, 128 bytes. The
// arguments are the bytes to the next 16 bytes of the depth, and to the next eight lines.
__device__ inline uint64_t DescribePlainLines(uint32_t address, uint32_t next_depth_bytes, uint32_t eight_lines_bytes) {
  return uint64_t{eight_lines_bytes / 16} << 32 | uint64_t{next_depth_bytes / 16} << 16 | (address & 0x3FFFF) / 16;
}

// Increments of a descriptor for 16 values further in the depth.
constexpr uint32_t kDeeperAlongLines = kDepth * 2 / 16;
constexpr uint32_t kDeeperAcrossLines = kDepth * kLineBytes / 16;

// Adds only to the lower half, since no carry can occur.
__device__ inline uint64_t Deeper(uint64_t description, uint32_t by) {
  return (description & 0xFFFFFFFF00000000u) | (static_cast<uint32_t>(description) + by);
}

// Returns a value that must be the same in all threads of a warp, and tells the compiler so. The compiler can then keep
// values derived from it, including the descriptors, in uniform registers, from which the instruction reads them.
__device__ inline uint32_t OfWarp(uint32_t value) { return __shfl_sync(0xFFFFFFFF, value, 0); }

// Must be called before the first instruction, and whenever other code has accessed registers of the accumulator.
__device__ inline void Fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void Commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Waits until all committed groups except the last `kPending` are done.
template <int kPending>
__device__ inline void Wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// Macros for the accumulator's operands, by name and by number.
#define LOCKSTEP_ACC8(i)                                                                                            \
  "+f"(acc[i]), "+f"(acc[(i) + 1]), "+f"(acc[(i) + 2]), "+f"(acc[(i) + 3]), "+f"(acc[(i) + 4]), "+f"(acc[(i) + 5]), \
      "+f"(acc[(i) + 6]), "+f"(acc[(i) + 7])
#define LOCKSTEP_ACC32(i) LOCKSTEP_ACC8(i), LOCKSTEP_ACC8((i) + 8), LOCKSTEP_ACC8((i) + 16), LOCKSTEP_ACC8((i) + 24)
#define LOCKSTEP_0_TO_31                                                   \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define LOCKSTEP_0_TO_63                                                             \
  LOCKSTEP_0_TO_31                                                                   \
  ", "                                                                               \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define LOCKSTEP_0_TO_95                                                             \
  LOCKSTEP_0_TO_63                                                                   \
  ", "                                                                               \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define LOCKSTEP_0_TO_127                                                                        \
  LOCKSTEP_0_TO_95                                                                               \
  ", "                                                                                           \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// acc (64, 64) += a (64, 16) * b (16, 64). kAIsMMajor, kBIsNMajor: the operand's lines run across the depth, not along
// it.
template <bool kAIsMMajor, bool kBIsNMajor = false>
__device__ inline void MultiplyAsync(uint64_t a, uint64_t b, float (&acc)[32]) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" LOCKSTEP_0_TO_31
               "}, %32, %33, 1, 1, 1, %34, %35;\n"
               : LOCKSTEP_ACC32(0)
               : "l"(a), "l"(b), "n"(kAIsMMajor ? 1 : 0), "n"(kBIsNMajor ? 1 : 0));
}

// acc (64, 128) += a (64, 16) * b (16, 128).
template <bool kAIsMMajor, bool kBIsNMajor = false>
__device__ inline void MultiplyAsync(uint64_t a, uint64_t b, float (&acc)[64]) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" LOCKSTEP_0_TO_63
               "}, %64, %65, 1, 1, 1, %66, %67;\n"
               : LOCKSTEP_ACC32(0), LOCKSTEP_ACC32(32)
               : "l"(a), "l"(b), "n"(kAIsMMajor ? 1 : 0), "n"(kBIsNMajor ? 1 : 0));
}

// acc (64, 192) += a (64, 16) * b (16, 192).
template <bool kAIsMMajor, bool kBIsNMajor = false>
__device__ inline void MultiplyAsync(uint64_t a, uint64_t b, float (&acc)[96]) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 {" LOCKSTEP_0_TO_95
               "}, %96, %97, 1, 1, 1, %98, %99;\n"
               : LOCKSTEP_ACC32(0), LOCKSTEP_ACC32(32), LOCKSTEP_ACC32(64)
               : "l"(a), "l"(b), "n"(kAIsMMajor ? 1 : 0), "n"(kBIsNMajor ? 1 : 0));
}

// acc (64, 256) += a (64, 16) * b (16, 256).
template <bool kAIsMMajor, bool kBIsNMajor = false>
__device__ inline void MultiplyAsync(uint64_t a, uint64_t b, float (&acc)[128]) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" LOCKSTEP_0_TO_127
               "}, %128, %129, 1, 1, 1, %130, %131;\n"
               : LOCKSTEP_ACC32(0), LOCKSTEP_ACC32(32), LOCKSTEP_ACC32(64), LOCKSTEP_ACC32(96)
               : "l"(a), "l"(b), "n"(kAIsMMajor ? 1 : 0), "n"(kBIsNMajor ? 1 : 0));
}

// The same for int8, 32 values deep, accumulated in int32 without saturation.
#define LOCKSTEP_SUM8(i)                                                                                            \
  "+r"(acc[i]), "+r"(acc[(i) + 1]), "+r"(acc[(i) + 2]), "+r"(acc[(i) + 3]), "+r"(acc[(i) + 4]), "+r"(acc[(i) + 5]), \
      "+r"(acc[(i) + 6]), "+r"(acc[(i) + 7])
#define LOCKSTEP_SUM32(i) LOCKSTEP_SUM8(i), LOCKSTEP_SUM8((i) + 8), LOCKSTEP_SUM8((i) + 16), LOCKSTEP_SUM8((i) + 24)

// acc (64, 64) += a (64, 32) * b (32, 64).
__device__ inline void MultiplyInt8Async(uint64_t a, uint64_t b, int32_t (&acc)[32]) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8 {" LOCKSTEP_0_TO_31 "}, %32, %33, 1;\n"
               : LOCKSTEP_SUM32(0)
               : "l"(a), "l"(b));
}

// acc (64, 128) += a (64, 32) * b (32, 128).
__device__ inline void MultiplyInt8Async(uint64_t a, uint64_t b, int32_t (&acc)[64]) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 {" LOCKSTEP_0_TO_63 "}, %64, %65, 1;\n"
               : LOCKSTEP_SUM32(0), LOCKSTEP_SUM32(32)
               : "l"(a), "l"(b));
}

// acc (64, 256) += a (64, 32) * b (32, 256).
__device__ inline void MultiplyInt8Async(uint64_t a, uint64_t b, int32_t (&acc)[128]) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {" LOCKSTEP_0_TO_127 "}, %128, %129, 1;\n"
               : LOCKSTEP_SUM32(0), LOCKSTEP_SUM32(32), LOCKSTEP_SUM32(64), LOCKSTEP_SUM32(96)
               : "l"(a), "l"(b));
}

#undef LOCKSTEP_SUM8
#undef LOCKSTEP_SUM32
#undef LOCKSTEP_ACC8
#undef LOCKSTEP_ACC32
#undef LOCKSTEP_0_TO_31
#undef LOCKSTEP_0_TO_63
#undef LOCKSTEP_0_TO_95
#undef LOCKSTEP_0_TO_127

}  // namespace wgmma
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CUDA_WGMMA_CUH_
