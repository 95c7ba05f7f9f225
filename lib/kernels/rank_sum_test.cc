#include "lib/kernels/rank_sum.h"

#include <cstring>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::RandomValues;

// The arrays begin at `offset` elements, so that they are unaligned; the sum is written over the last rank's array.
template <typename W>
void ExpectSameBits(size_t count, uint32_t ranks, size_t offset, uint32_t max_blocks) {
  std::vector<std::vector<W>> values;
  std::vector<std::unique_ptr<DeviceArray<W>>> on_device;
  RankSumInput<W> host, device;
  host.count = device.count = count;
  host.ranks = device.ranks = ranks;
  values.reserve(ranks);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    values.push_back(RandomValues<W>(rank, count + offset));
    on_device.push_back(std::make_unique<DeviceArray<W>>(values.back()));
    host.from[rank] = values.back().data() + offset;
    device.from[rank] = on_device.back()->data() + offset;
  }
  host.to = values.back().data() + offset;
  device.to = on_device.back()->data() + offset;
  ASSERT_EQ(RankSum(device, nullptr, max_blocks), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  RankSumReference(host);
  const std::vector<W> found = on_device.back()->ToHost();
  EXPECT_EQ(std::memcmp(found.data(), values.back().data(), found.size() * sizeof(W)), 0)
      << count << " elements of " << ranks << " ranks from " << offset;
}

TEST(RankSumTest, EqualsTheReferenceBitForBit) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const size_t count : {1, 7, 8, 4099, 3'000'001}) {
    for (const uint32_t ranks : {1u, 2u, 3u, 8u, kMaxPeerRanks}) {
      for (const size_t offset : {0, 1}) {
        ExpectSameBits<float>(count, ranks, offset, 0);
        ExpectSameBits<__nv_bfloat16>(count, ranks, offset, 5);
      }
    }
  }
}

TEST(RankSumTest, NothingToSumLaunchesNothing) {
  RankSumInput<float> input;
  input.ranks = 2;
  EXPECT_EQ(RankSum(input, nullptr), cudaSuccess);
}

// 1 and three times 2^-8: if each addition were rounded, the sum would stay 1 in bf16, whose numbers above 1 are 2^-7
// apart.
TEST(RankSumReferenceTest, RoundsOnceAtTheEnd) {
  std::vector<__nv_bfloat16> one = {__nv_bfloat16(1.0f)}, small = {__nv_bfloat16(0x1p-8f)};
  RankSumInput<__nv_bfloat16> input;
  input.count = 1;
  input.ranks = 4;
  input.from[0] = one.data();
  input.from[1] = input.from[2] = input.from[3] = small.data();
  __nv_bfloat16 sum;
  input.to = &sum;
  RankSumReference(input);
  EXPECT_EQ(static_cast<float>(sum), 1 + 0x1p-6f);
}

}  // namespace
}  // namespace lockstep
