// Division of an array into one share per rank, and of a share into pieces. All begin at multiples of 16 bytes, so that
// 16-byte loads are aligned. The last ones may be shorter or empty.
#ifndef LOCKSTEP_LIB_PEER_RANK_SHARE_H_
#define LOCKSTEP_LIB_PEER_RANK_SHARE_H_

#include <cstddef>
#include <cstdint>

namespace lockstep {

inline constexpr size_t kShareStepBytes = 16;

// Range of elements begin .. begin + count - 1 of the whole array.
struct ShareRange {
  size_t begin = 0, count = 0;
};

// Returns the size of the largest share of `count` elements. element_bytes must be 1, 2, 4, 8 or 16.
size_t MaxShare(size_t count, size_t element_bytes, uint32_t ranks);

ShareRange ShareOf(size_t count, size_t element_bytes, uint32_t rank, uint32_t ranks);

// Returns piece `piece` of `pieces` of that share.
ShareRange PieceOf(size_t count, size_t element_bytes, uint32_t rank, uint32_t ranks, uint32_t piece, uint32_t pieces);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_RANK_SHARE_H_
