#include "benchmarks/int8_peak_probe.h"
#include "lib/int8_cpu/amx_tiles.h"

namespace lockstep {
namespace {

// The sums are independent and fill the registers; hiding the latency needs fewer. Their values do not matter.
[[gnu::target("avx512f")]] void LoopAvx512Vnni() {
  for (int i = 0; i < kPeakLoops; ++i) {
    __asm__ volatile(
        "vpdpbusd %%zmm1, %%zmm0, %%zmm2\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm3\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm4\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm5\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm6\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm7\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm8\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm9\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm10\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm11\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm12\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm13\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm14\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm15\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm16\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm17\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm18\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm19\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm20\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm21\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm22\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm23\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm24\n\t"
        "vpdpbusd %%zmm1, %%zmm0, %%zmm25\n\t"
        :
        :
        : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
          "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",
          "xmm25");
  }
}

[[gnu::target("avx2")]] void LoopAvxVnni() {
  for (int i = 0; i < kPeakLoops; ++i) {
    __asm__ volatile(
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm2\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm3\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm4\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm5\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm6\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm7\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm8\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm9\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm10\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm11\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm12\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm13\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm14\n\t"
        "%{vex%} vpdpbusd %%ymm1, %%ymm0, %%ymm15\n\t"
        :
        :
        : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
          "xmm13", "xmm14", "xmm15");
  }
}

[[gnu::target("avx2")]] void LoopAvx2() {
  for (int i = 0; i < kPeakLoops; ++i) {
    __asm__ volatile(
        "vpmaddwd %%ymm1, %%ymm0, %%ymm2\n\t"
        "vpaddd %%ymm2, %%ymm5, %%ymm5\n\t"
        "vpmaddwd %%ymm1, %%ymm0, %%ymm3\n\t"
        "vpaddd %%ymm3, %%ymm6, %%ymm6\n\t"
        "vpmaddwd %%ymm1, %%ymm0, %%ymm4\n\t"
        "vpaddd %%ymm4, %%ymm7, %%ymm7\n\t"
        "vpmaddwd %%ymm1, %%ymm0, %%ymm15\n\t"
        "vpaddd %%ymm15, %%ymm8, %%ymm8\n\t"
        "vpmaddwd %%ymm1, %%ymm0, %%ymm2\n\t"
        "vpaddd %%ymm2, %%ymm9, %%ymm9\n\t"
        "vpmaddwd %%ymm1, %%ymm0, %%ymm3\n\t"
        "vpaddd %%ymm3, %%ymm10, %%ymm10\n\t"
        "vpmaddwd %%ymm1, %%ymm0, %%ymm4\n\t"
        "vpaddd %%ymm4, %%ymm11, %%ymm11\n\t"
        "vpmaddwd %%ymm1, %%ymm0, %%ymm15\n\t"
        "vpaddd %%ymm15, %%ymm12, %%ymm12\n\t"
        "vpmaddwd %%ymm1, %%ymm0, %%ymm2\n\t"
        "vpaddd %%ymm2, %%ymm13, %%ymm13\n\t"
        "vpmaddwd %%ymm1, %%ymm0, %%ymm3\n\t"
        "vpaddd %%ymm3, %%ymm14, %%ymm14\n\t"
        :
        :
        : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
          "xmm13", "xmm14", "xmm15");
  }
}

[[gnu::target("sse2")]] void LoopPortable() {
  for (int i = 0; i < kPeakLoops; ++i) {
    __asm__ volatile(
        "movdqa %%xmm0, %%xmm2\n\t"
        "pmaddwd %%xmm1, %%xmm2\n\t"
        "paddd %%xmm2, %%xmm5\n\t"
        "movdqa %%xmm0, %%xmm3\n\t"
        "pmaddwd %%xmm1, %%xmm3\n\t"
        "paddd %%xmm3, %%xmm6\n\t"
        "movdqa %%xmm0, %%xmm4\n\t"
        "pmaddwd %%xmm1, %%xmm4\n\t"
        "paddd %%xmm4, %%xmm7\n\t"
        "movdqa %%xmm0, %%xmm15\n\t"
        "pmaddwd %%xmm1, %%xmm15\n\t"
        "paddd %%xmm15, %%xmm8\n\t"
        "movdqa %%xmm0, %%xmm2\n\t"
        "pmaddwd %%xmm1, %%xmm2\n\t"
        "paddd %%xmm2, %%xmm9\n\t"
        "movdqa %%xmm0, %%xmm3\n\t"
        "pmaddwd %%xmm1, %%xmm3\n\t"
        "paddd %%xmm3, %%xmm10\n\t"
        "movdqa %%xmm0, %%xmm4\n\t"
        "pmaddwd %%xmm1, %%xmm4\n\t"
        "paddd %%xmm4, %%xmm11\n\t"
        "movdqa %%xmm0, %%xmm15\n\t"
        "pmaddwd %%xmm1, %%xmm15\n\t"
        "paddd %%xmm15, %%xmm12\n\t"
        "movdqa %%xmm0, %%xmm2\n\t"
        "pmaddwd %%xmm1, %%xmm2\n\t"
        "paddd %%xmm2, %%xmm13\n\t"
        "movdqa %%xmm0, %%xmm3\n\t"
        "pmaddwd %%xmm1, %%xmm3\n\t"
        "paddd %%xmm3, %%xmm14\n\t"
        :
        :
        : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
          "xmm13", "xmm14", "xmm15");
  }
}

// Alternates between four sums, because the latency of a product is longer than the time that it occupies the unit.
void LoopAmx() {
  AmxTiles::Configure();
  for (int i = 0; i < kPeakLoops; ++i) {
    AmxTiles::MultiplyAdd<0, 4, 6>();
    AmxTiles::MultiplyAdd<1, 4, 7>();
    AmxTiles::MultiplyAdd<2, 5, 6>();
    AmxTiles::MultiplyAdd<3, 5, 7>();
  }
  AmxTiles::Release();
}

}  // namespace

PeakProbe PeakProbeFor(Isa isa) {
  switch (isa) {
    case Isa::kAmx:
      return {LoopAmx, 4 * 16 * 16 * 64};
    case Isa::kAvx512Vnni:
      return {LoopAvx512Vnni, 24 * 16 * 4};
    case Isa::kAvxVnni:
      return {LoopAvxVnni, 14 * 8 * 4};
    case Isa::kAvx2:
      return {LoopAvx2, 10 * 8 * 2};
    case Isa::kPortable:
    case Isa::kDotProd:
    case Isa::kI8mm:
      break;
  }
  return {LoopPortable, 10 * 4 * 2};
}

}  // namespace lockstep
