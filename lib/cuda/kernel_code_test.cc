#include "lib/cuda/kernel_code.h"

#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/cuda/multiprocessors.h"

namespace lockstep {
namespace {

using ::lockstep::testing::HaveGpu;

TEST(KernelCodeTest, WithoutADeviceThereIsNone) {
  if (HaveGpu()) {
    GTEST_SKIP() << "there is a GPU";
  }
  EXPECT_EQ(KernelArchitecture(), 0u);
  EXPECT_FALSE(HasHopperKernels());
  EXPECT_EQ(CheckKernelCode(), absl::OkStatus());
  EXPECT_EQ(HopperMultiprocessors(), 0u);
  EXPECT_EQ(ClusterMultiprocessors(), 0u);
}

// Kernel tests that are skipped would pass without testing anything: this test fails if the device has no code of this
// build.
TEST(KernelCodeTest, TheDeviceHasCodeThatItCanRun) {
  if (!HaveGpu()) {
    GTEST_SKIP() << "no GPU";
  }
  int major = 0, minor = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), cudaSuccess);
  const uint32_t device = static_cast<uint32_t>(major * 10 + minor), code = KernelArchitecture();
  EXPECT_EQ(CheckKernelCode(), absl::OkStatus());
  EXPECT_GE(code, 75u);
  EXPECT_LE(code, device);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  RecordProperty("compute_capability", static_cast<int>(device));
  RecordProperty("kernel_architecture", static_cast<int>(code));
  RecordProperty("hopper_kernels", HasHopperKernels() ? 1 : 0);
  EXPECT_EQ(HopperMultiprocessors() > 0, HasHopperKernels());
  EXPECT_EQ(ClusterMultiprocessors() > 0, code >= 90);
  if (device != 90) {
    EXPECT_FALSE(HasHopperKernels());
  }
}

}  // namespace
}  // namespace lockstep
