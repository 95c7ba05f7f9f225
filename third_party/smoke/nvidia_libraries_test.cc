// Header and library of NCCL, cuDNN and cuBLASLt are of one version; needs no GPU.

#include <cublasLt.h>
#include <cudnn.h>
#include <nccl.h>

#include "gtest/gtest.h"

namespace {

TEST(NvidiaLibrariesTest, HeaderAndLibraryOfNcclAgree) {
  int version = 0;
  ASSERT_EQ(ncclGetVersion(&version), ncclSuccess);
  EXPECT_EQ(version, NCCL_VERSION_CODE);
}

TEST(NvidiaLibrariesTest, HeaderAndLibraryOfCudnnAgree) {
  EXPECT_EQ(cudnnGetVersion(), static_cast<size_t>(CUDNN_VERSION));
}

TEST(NvidiaLibrariesTest, CublasLtAnswers) { EXPECT_GE(cublasLtGetVersion(), size_t{120000}); }

}  // namespace
