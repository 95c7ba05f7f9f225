#include "lib/peer/streaming_copy.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Copies from every offset in a cache line to every other, and checks that the neighbouring bytes do not change.
TEST(StreamingCopyTest, CopiesWhatItShouldAndNothingElse) {
  constexpr size_t kCapacity = 512;
  std::vector<uint8_t> from(kCapacity), to(kCapacity);
  for (size_t i = 0; i < kCapacity; ++i) {
    from[i] = static_cast<uint8_t>(i * 7 + 1);
  }
  for (const size_t bytes : {0, 1, 15, 63, 64, 65, 127, 128, 200, 300}) {
    for (size_t first = 0; first < 64; ++first) {
      for (const size_t to_first : {size_t{0}, first, size_t{63}}) {
        std::fill(to.begin(), to.end(), 0);
        StreamingCopy(to.data() + to_first, from.data() + first, bytes);
        for (size_t i = 0; i < kCapacity; ++i) {
          const bool inside = i >= to_first && i < to_first + bytes;
          ASSERT_EQ(to[i], inside ? from[first + i - to_first] : 0)
              << bytes << " " << first << " " << to_first << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
