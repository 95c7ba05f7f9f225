// How much is cut into a share for each rank, and a share into pieces: in whole steps of 16 bytes, so that each begins where
// a load of 16 bytes may; the last ones are shorter, or empty.
#ifndef LOCKSTEP_LIB_PEER_RANK_SHARE_H_
#define LOCKSTEP_LIB_PEER_RANK_SHARE_H_

#include <cstddef>
#include <cstdint>

namespace lockstep {

inline constexpr size_t kShareStepBytes = 16;

// Elements begin .. begin + count - 1 of all.
struct ShareRange {
  size_t begin = 0, count = 0;
};

// The most elements of a rank's share of `count`, each of 1, 2, 4, 8 or 16 bytes.
size_t MaxShare(size_t count, size_t element_bytes, uint32_t ranks);

ShareRange ShareOf(size_t count, size_t element_bytes, uint32_t rank, uint32_t ranks);

// Piece `piece` of `pieces` of that share.
ShareRange PieceOf(size_t count, size_t element_bytes, uint32_t rank, uint32_t ranks, uint32_t piece, uint32_t pieces);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_RANK_SHARE_H_
