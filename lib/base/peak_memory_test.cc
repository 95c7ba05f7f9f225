#include "lib/base/peak_memory.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>

namespace lockstep {
namespace {

TEST(PeakResidentBytesTest, GrowsWithWhatIsTouchedAndStaysWhenItIsFreed) {
  const uint64_t before = PeakResidentBytes();
  constexpr size_t kBytes = size_t{64} << 20;
  {
    const std::unique_ptr<volatile char[]> touched(new volatile char[kBytes]);
    for (size_t i = 0; i < kBytes; i += 4096) {
      touched[i] = 1;
    }
  }
  EXPECT_GE(PeakResidentBytes(), before + kBytes / 2);  // half: pages that were free before are not counted again
}

}  // namespace
}  // namespace lockstep
