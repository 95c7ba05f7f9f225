#include "lib/train/matmul_ceiling.h"

#include <ATen/Context.h>
#include <torch/cuda.h>

#include "lib/base/stopwatch.h"
#include "lib/device/device.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;

const c10::Device kCpu(c10::kCPU);
const c10::Device kGpu(c10::kCUDA, 0);

TEST(MatmulCeilingTest, SizesGrowWithTheThreads) {
  EXPECT_EQ(MatmulSize(kCpu, 1), 1024);
  EXPECT_EQ(MatmulSize(kCpu, 2), 1536);  // 1024 * 2^(1/3) = 1290
  EXPECT_EQ(MatmulSize(kCpu, 8), 2048);
  EXPECT_EQ(MatmulSize(kCpu, 64), 4096);
  EXPECT_EQ(MatmulSize(kGpu, 1), 8192);
}

TEST(MatmulCeilingTest, TimesProductsOnTheCpu) {
  Numerics numerics;
  numerics.threads = 1;
  ASSERT_THAT(SetNumerics(numerics), IsOk());
  for (const proto::Precision precision : {proto::FP32, proto::BF16}) {
    const Stopwatch clock;
    const auto ceiling = MeasureMatmulCeiling(kCpu, precision);
    const double wall = clock.Seconds();
    ASSERT_THAT(ceiling, IsOk());
    EXPECT_EQ(ceiling->size(), 1024);
    EXPECT_EQ(ceiling->precision(), precision);
    ASSERT_GE(ceiling->product_seconds().value_size(), 1);
    EXPECT_LE(ceiling->product_seconds().value_size(), 20);
    double sum = 0;
    for (const double seconds : ceiling->product_seconds().value()) {
      EXPECT_GT(seconds, 2.0 * 1024 * 1024 * 1024 / 1e13);  // 10 TFLOP/s is more than a core can do
      sum += seconds;
    }
    EXPECT_LT(sum, wall);
  }
}

TEST(MatmulCeilingTest, Tf32IsSwitchedBack) {
  at::globalContext().setAllowTF32CuBLAS(false);
  ASSERT_THAT(MeasureMatmulCeiling(kCpu, proto::TF32), IsOk());  // same as fp32 on a CPU
  EXPECT_FALSE(at::globalContext().allowTF32CuBLAS());
}

// Each precision is faster than the previous one, which shows that it was really used.
TEST(MatmulCeilingTest, PrecisionsDifferOnTheGpu) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "no GPU";
  }
  ASSERT_THAT(SetNumerics(Numerics()), IsOk());
  double before = 1e9;
  for (const proto::Precision precision : {proto::FP32, proto::TF32, proto::BF16}) {
    const auto ceiling = MeasureMatmulCeiling(kGpu, precision);
    ASSERT_THAT(ceiling, IsOk());
    ASSERT_EQ(ceiling->product_seconds().value_size(), 20);
    EXPECT_LT(ceiling->product_seconds().value(10), before) << proto::Precision_Name(precision);
    before = ceiling->product_seconds().value(10);
  }
}

}  // namespace
}  // namespace lockstep
