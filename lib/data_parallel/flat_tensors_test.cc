#include "lib/data_parallel/flat_tensors.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Two dtypes, a scalar, a parameter, and a weight in channels-last order: 24 + 5 floats and 1 int64.
std::vector<at::Tensor> Sample(double scale) {
  return {at::arange(24, at::kFloat).mul(scale).reshape({2, 3, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast),
          at::full({}, static_cast<int64_t>(scale), at::kLong), at::arange(5, at::kFloat).mul(scale).requires_grad_()};
}

TEST(FlatTensorsTest, CarriesShapesStridesAndDtypes) {
  const std::vector<at::Tensor> sample = Sample(3);
  FlatTensors here(sample, c10::kCPU), there(sample, c10::kCPU);
  here.Pack(sample);
  EXPECT_EQ(there.CopyFrom(here), 29 * sizeof(float) + sizeof(int64_t));
  for (size_t i = 0; i < sample.size(); ++i) {
    EXPECT_TRUE(there.views()[i].equal(sample[i])) << i;
    EXPECT_EQ(there.views()[i].strides(), sample[i].strides()) << i;
    EXPECT_FALSE(there.views()[i].is_alias_of(here.views()[i])) << i;
  }
}

TEST(FlatTensorsTest, OrderInMemoryMayDiffer) {
  const std::vector<at::Tensor> like = Sample(1);
  FlatTensors flat(like, c10::kCPU);
  flat.Pack({like[0].contiguous(), like[1], like[2]});
  EXPECT_TRUE(flat.views()[0].equal(like[0]));
}

TEST(FlatTensorsTest, Adds) {
  FlatTensors sum(Sample(1), c10::kCPU), other(Sample(1), c10::kCPU);
  sum.Pack(Sample(1));
  other.Pack(Sample(2));
  sum.Add(other);
  const std::vector<at::Tensor> expected = Sample(3);  // small integers: exact
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(sum.views()[i].equal(expected[i])) << i;
  }
}

TEST(FlatTensorsTest, RefusesGaps) {
  EXPECT_THROW(FlatTensors({at::arange(10).slice(0, 0, 10, 2)}, c10::kCPU), c10::Error);
}

}  // namespace
}  // namespace lockstep
