// AVX2: 8 outputs per vector, 2 values per step. vpmaddwd multiplies int16 by int16 and adds 2 products to an int32,
// which these values cannot overflow. Values are kept as int16.
#define LOCKSTEP_TARGET gnu::target("avx2,fma")

#include "lib/int8_cpu/tile_kernels.h"
#include "lib/int8_cpu/vector_kernels.h"
#include "lib/int8_cpu/ymm_vector.h"

namespace lockstep {
namespace {

struct Avx2 : YmmVector<int16_t, int16_t> {
  static constexpr uint32_t kMaxPixels[] = {8, 6};

  [[LOCKSTEP_TARGET, gnu::always_inline]] static Int AddProducts(Int sums, Int values, Int weights) {
    return _mm256_add_epi32(sums, _mm256_madd_epi16(values, weights));
  }
};

}  // namespace

const TileKernels& Avx2TileKernels() {
  static constexpr TileKernels kKernels = VectorKernels<Avx2>({.max_blocks = 4});
  return kKernels;
}

}  // namespace lockstep
