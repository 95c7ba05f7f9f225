// Sum of N arrays, added in the given order, so that every rank that adds the same arrays gets the same bits.
#ifndef LOCKSTEP_LIB_PEER_RANK_ORDER_SUM_H_
#define LOCKSTEP_LIB_PEER_RANK_ORDER_SUM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

enum class SumType {
  kFloat,     // IEEE fp32, added in fp32
  kBFloat16,  // upper half of an fp32, as uint16_t; added in fp32, rounded once, to nearest even; NaN stays NaN
  kDouble,    // IEEE fp64, added in fp64
};

size_t BytesOf(SumType type);

// Computes out[i] = ((sources[0][i] + sources[1][i]) + sources[2][i]) + ... for `count` elements. There must be at
// least one source; a single source is copied, except that a signalling NaN in bf16 becomes quiet. `out` may be one of
// the sources. All pointers must be aligned to their elements.
void SumInRankOrder(SumType type, const std::vector<const void*>& sources, size_t count, void* out);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_RANK_ORDER_SUM_H_
