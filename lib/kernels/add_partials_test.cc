#include "lib/kernels/add_partials.h"

#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::RandomValues;
using Bf16 = __nv_bfloat16;

template <typename T>
void ExpectSameBits(const PartialsToAdd& shape) {
  const std::vector<T> partials = RandomValues<T>(1, shape.partials * shape.stride);
  std::vector<T> expected = RandomValues<T>(2, shape.count);
  DeviceArray<T> on_partials(partials), sum(expected);
  ASSERT_EQ(AddPartials(shape, static_cast<const T*>(on_partials.data()), sum.data(), nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  AddPartialsReference(shape, partials.data(), expected.data());
  EXPECT_EQ(std::memcmp(sum.ToHost().data(), expected.data(), shape.count * sizeof(T)), 0)
      << shape.partials << " partials of " << shape.count;
}

TEST(AddPartialsTest, EqualsTheReferenceBitForBit) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const PartialsToAdd& shape :
       {PartialsToAdd{1, 1, 1}, PartialsToAdd{2, 1024, 1000}, PartialsToAdd{5, 300'000, 300'000}}) {
    ExpectSameBits<float>(shape);
    ExpectSameBits<Bf16>(shape);
  }
}

TEST(AddPartialsTest, NothingToAddLaunchesNothing) {
  EXPECT_EQ(AddPartials<float>({0, 8, 8}, nullptr, nullptr, nullptr), cudaSuccess);
  EXPECT_EQ(AddPartials<float>({2, 0, 0}, nullptr, nullptr, nullptr), cudaSuccess);
}

// 1 + 2^-8 + 2^-8: if each 2^-8 were added separately in bf16, it would be rounded away, because bf16 numbers above 1
// are 2^-7 apart.
TEST(AddPartialsReferenceTest, RoundsOnceAtTheEnd) {
  const std::vector<Bf16> partials = {Bf16(0x1p-8f), Bf16(7.0f), Bf16(0x1p-8f), Bf16(7.0f)};
  Bf16 sum(1.0f);
  AddPartialsReference<Bf16>({2, 2, 1}, partials.data(), &sum);
  EXPECT_EQ(static_cast<float>(sum), 1 + 0x1p-7f);
}

}  // namespace
}  // namespace lockstep
