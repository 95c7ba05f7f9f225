// CopyPart: copies fewer values than a group of vectors has, without a call and without a loop.
#ifndef LOCKSTEP_LIB_INT8_CPU_COPY_PART_H_
#define LOCKSTEP_LIB_INT8_CPU_COPY_PART_H_

#include <cstddef>
#include <cstring>

namespace lockstep {

// Copies the first kCount and the last kCount of `count` values, which may overlap.
template <size_t kCount, typename Value>
[[gnu::always_inline]] inline void CopyEnds(const Value* source, size_t count, Value* target) {
  std::memcpy(target, source, kCount * sizeof(Value));
  std::memcpy(target + count - kCount, source + count - kCount, kCount * sizeof(Value));
}

// Copies `count` values, which must be below 16. `source` and `target` must not overlap.
template <typename Value>
[[gnu::always_inline]] inline void CopyPart(const Value* source, size_t count, Value* target) {
  if (count >= 8) {
    CopyEnds<8>(source, count, target);
  } else if (count >= 4) {
    CopyEnds<4>(source, count, target);
  } else if (count >= 2) {
    CopyEnds<2>(source, count, target);
  } else if (count == 1) {
    *target = *source;
  }
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_COPY_PART_H_
