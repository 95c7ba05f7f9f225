// AVX-512 VNNI: 16 outputs per vector, 4 values per step. vpdpbusd multiplies uint8 by int8 and adds 4 products to an
// int32 without saturation.
#define LOCKSTEP_TARGET gnu::target("avx512f,avx512bw,avx512vl,avx512vnni")

#include "lib/int8_cpu/tile_kernels.h"
#include "lib/int8_cpu/vector_kernels.h"
#include "lib/int8_cpu/zmm_vector.h"
#include "lib/int8_cpu/zmm_wide.h"

namespace lockstep {
namespace {

struct Avx512Vnni : ZmmVector {
  static constexpr uint32_t kMaxPixels[] = {8, 8, 8, 6};

  [[LOCKSTEP_TARGET, gnu::always_inline]] static Int AddProducts(Int sums, Int values, Int weights) {
    return _mm512_dpbusd_epi32(sums, values, weights);
  }
};

constexpr TileKernels WideKernels() {
  TileKernels kernels = VectorKernels<Avx512Vnni>({.max_blocks = 1});
  kernels.scale = ScaleZmm;
  kernels.add = AddZmm;
  return kernels;
}

}  // namespace

const TileKernels& Avx512VnniTileKernels() {
  static constexpr TileKernels kKernels = WideKernels();
  return kKernels;
}

}  // namespace lockstep
