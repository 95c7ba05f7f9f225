#include "lib/peer/rank_share.h"

#include <algorithm>

namespace lockstep {

size_t MaxShare(size_t count, size_t element_bytes, uint32_t ranks) {
  const size_t step = kShareStepBytes / element_bytes;
  const size_t steps = (count + step - 1) / step;
  return (steps + ranks - 1) / ranks * step;
}

ShareRange ShareOf(size_t count, size_t element_bytes, uint32_t rank, uint32_t ranks) {
  return PieceOf(count, element_bytes, rank, ranks, 0, 1);
}

ShareRange PieceOf(size_t count, size_t element_bytes, uint32_t rank, uint32_t ranks, uint32_t piece, uint32_t pieces) {
  const size_t share = MaxShare(count, element_bytes, ranks), max_piece = MaxShare(share, element_bytes, pieces);
  const size_t from = rank * share + std::min(share, piece * max_piece);
  const size_t to = rank * share + std::min(share, (piece + 1) * max_piece);
  return {std::min(count, from), std::min(count, to) - std::min(count, from)};
}

}  // namespace lockstep
