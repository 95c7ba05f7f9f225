#include "lib/int8_cpu/copy_part.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

template <typename Value>
void ExpectPartIsCopied() {
  for (size_t count = 0; count < 16; ++count) {
    Value source[16], target[16] = {};
    for (size_t i = 0; i < 16; ++i) {
      source[i] = static_cast<Value>(i + 1);
    }
    CopyPart(source, count, target);
    for (size_t i = 0; i < 16; ++i) {
      EXPECT_EQ(target[i], i < count ? source[i] : 0) << count;
    }
  }
}

TEST(CopyPartTest, CopiesNoMoreThanCount) {
  ExpectPartIsCopied<uint8_t>();
  ExpectPartIsCopied<int16_t>();
}

}  // namespace
}  // namespace lockstep
