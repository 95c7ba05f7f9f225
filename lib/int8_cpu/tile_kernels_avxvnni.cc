// AVX-VNNI: 8 outputs per vector, 4 values per step, by vpdpbusd as in AVX-512 VNNI.
#define LOCKSTEP_TARGET gnu::target("avx2,fma,avxvnni")

#include "lib/int8_cpu/tile_kernels.h"
#include "lib/int8_cpu/vector_kernels.h"
#include "lib/int8_cpu/ymm_vector.h"

namespace lockstep {
namespace {

struct AvxVnni : YmmVector<uint8_t, int8_t> {
  static constexpr uint32_t kMaxPixels[] = {8, 6};

  [[LOCKSTEP_TARGET, gnu::always_inline]] static Int AddProducts(Int sums, Int values, Int weights) {
    return _mm256_dpbusd_avx_epi32(sums, values, weights);
  }
};

}  // namespace

const TileKernels& AvxVnniTileKernels() {
  static constexpr TileKernels kKernels = VectorKernels<AvxVnni>({.max_blocks = 4});
  return kKernels;
}

}  // namespace lockstep
