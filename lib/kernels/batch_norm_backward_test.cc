#include "lib/kernels/batch_norm_backward.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/batch_norm_reference.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::ExpectRounded;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::RandomValues;
using ::lockstep::testing::SameBits;
using ::lockstep::testing::WholeValues;
using Bf16 = __nv_bfloat16;

// Relative error of the last few operations on exact sums.
constexpr double kSumTolerance = 32 * 0x1p-24;

template <typename T>
Values ToValues(const std::vector<T>& from) {
  Values values;
  for (const T value : from) {
    values.push_back(static_cast<float>(value));
  }
  return values;
}

void ExpectNear(const std::vector<float>& found, const Values& exact, const std::string& what) {
  double magnitude = 0;
  for (const double value : exact) {
    magnitude = std::max(magnitude, std::abs(value));
  }
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_LE(std::abs(found[i] - exact[i]), kSumTolerance * magnitude) << what << " " << i;
  }
}

// The values are whole, and the means a few halves, so that all sums are exact in any order.
void Check(const BatchNormShape& shape, bool relu, bool in_place) {
  const std::string name = absl::StrCat(shape.rows, " x ", shape.channels, relu ? ", ReLU" : "");
  const size_t size = size_t{shape.rows} * shape.channels;
  const std::vector<Bf16> x = WholeValues<Bf16>(1, size), dy = WholeValues<Bf16>(2, size);
  std::vector<float> mean = WholeValues<float>(3, shape.channels), inv_std = RandomValues<float>(4, shape.channels);
  const std::vector<float> scale = RandomValues<float>(5, shape.channels);
  std::vector<uint8_t> mask(size / 8);
  Values g = ToValues(dy);
  for (float& value : mean) {
    value *= 0.5f;
  }
  for (size_t i = 0; i < mask.size(); ++i) {
    mask[i] = static_cast<uint8_t>(i * 37 % 251);
  }
  for (size_t i = 0; relu && i < size; ++i) {
    g[i] = (mask[i / 8] >> i % 8 & 1) != 0 ? g[i] : 0;
  }
  const BatchNormReduceReference exact =
      ReferenceBackwardReduce(shape, ToValues(x), g, ToValues(mean), ToValues(inv_std), ToValues(scale));

  DeviceArray<Bf16> on_x(x), on_dy(dy), dx(size), dresidual(size);
  DeviceArray<uint8_t> on_mask(mask);
  DeviceArray<float> on_mean(mean), on_inv_std(inv_std), on_scale(scale);
  DeviceArray<float> dgamma(shape.channels), dbeta(shape.channels), on_g(shape.channels), of_x(shape.channels),
      constant(shape.channels);
  const BatchNormGradients gradients = {dgamma.data(), dbeta.data(), on_g.data(), of_x.data(), constant.data()};
  // The kernel that only applies, on a copy of x, gives the bits that are expected of dx.
  DeviceArray<Bf16> copy(x), dx_apart(size);
  const BatchNormUpstream<Bf16> upstream = {on_dy.data(), nullptr, relu ? on_mask.data() : nullptr};
  Bf16* const to = in_place ? on_x.data() : dx.data();
  ASSERT_EQ(BatchNormBackwardAtOnce(shape, on_x.data(), upstream,
                                    {on_mean.data(), on_inv_std.data(), on_scale.data(), nullptr}, gradients, to,
                                    in_place ? nullptr : dresidual.data(), nullptr),
            cudaSuccess);
  ASSERT_EQ(BatchNormBackwardApply<Bf16>(shape, copy.data(), upstream, gradients, dx_apart.data(), nullptr,
                                         RowOrder::kFirstToLast, nullptr),
            cudaSuccess);
  ExpectNear(dgamma.ToHost(), exact.dgamma, name + " dgamma");
  ExpectNear(dbeta.ToHost(), exact.dbeta, name + " dbeta");
  ExpectNear(on_g.ToHost(), exact.on_g, name + " on_g");
  ExpectNear(of_x.ToHost(), exact.on_x, name + " on_x");
  ExpectNear(constant.ToHost(), exact.constant, name + " constant");
  EXPECT_TRUE(SameBits(in_place ? on_x.ToHost() : dx.ToHost(), dx_apart.ToHost())) << name;
  if (!in_place) {
    ExpectRounded(dresidual.ToHost(), g, name + " dresidual");
  }
}

// The batch norms of layer 4 at 32 and 64 images, and numbers of rows that do not fill the threads.
TEST(BatchNormBackwardTest, EqualsTheReference) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no CUDA device";
  }
  for (const BatchNormShape& shape :
       std::vector<BatchNormShape>{{512, 512}, {1024, 512}, {2, 64}, {255, 64}, {257, 64}, {513, 128}, {1023, 64}}) {
    for (const bool relu : {false, true}) {
      for (const bool in_place : {false, true}) {
        Check(shape, relu, in_place);
      }
    }
  }
}

TEST(BatchNormBackwardTest, RefusesWhatItCannotHandle) {
  const Bf16* const x = nullptr;
  const Bf16 dy2 = 0.0f;
  EXPECT_EQ(BatchNormBackwardAtOnce({1025, 64}, x, {}, {}, {}, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(BatchNormBackwardAtOnce({1, 64}, x, {}, {}, {}, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(BatchNormBackwardAtOnce({512, 65}, x, {}, {}, {}, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(BatchNormBackwardAtOnce({512, 64}, x, {x, &dy2, nullptr}, {}, {}, nullptr, nullptr, nullptr),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace lockstep
