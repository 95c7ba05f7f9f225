// LibTorch on the CPU: a product that a reader can check by hand.

#include <ATen/core/Tensor.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>

#include "gtest/gtest.h"

namespace {

TEST(TorchTest, MultipliesMatrices) {
  const at::Tensor a = at::tensor({1.0f, 2.0f, 3.0f, 4.0f}).reshape({2, 2});
  const at::Tensor b = at::tensor({5.0f, 6.0f, 7.0f, 8.0f}).reshape({2, 2});
  const at::Tensor expected = at::tensor({19.0f, 22.0f, 43.0f, 50.0f}).reshape({2, 2});
  // Whole numbers this small are exact in float.
  EXPECT_TRUE(at::matmul(a, b).equal(expected));
}

}  // namespace
