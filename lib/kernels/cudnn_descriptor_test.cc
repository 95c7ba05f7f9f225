// Descriptors without a GPU: cuDNN checks tensors on the host.
#include "lib/kernels/cudnn_descriptor.h"

#include <utility>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

absl::StatusOr<CudnnDescriptor> Tensor() { return CudnnDescriptor::Make(CUDNN_BACKEND_TENSOR_DESCRIPTOR); }

void FillTensor(CudnnDescriptor& tensor, int64_t channels) {
  EXPECT_TRUE(tensor.Set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT).ok());
  EXPECT_TRUE(tensor.SetInts(CUDNN_ATTR_TENSOR_DIMENSIONS, {3, channels, 8, 8}).ok());
  EXPECT_TRUE(tensor.SetInts(CUDNN_ATTR_TENSOR_STRIDES, {64 * channels, 1, 8 * channels, channels}).ok());
  EXPECT_TRUE(tensor.SetInts(CUDNN_ATTR_TENSOR_UNIQUE_ID, {7}).ok());
  EXPECT_TRUE(tensor.SetInts(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16}).ok());
}

TEST(CudnnDescriptorTest, GivesBackWhatWasSet) {
  auto made = Tensor();
  ASSERT_TRUE(made.ok()) << made.status();
  FillTensor(*made, 64);
  CudnnDescriptor tensor = *std::move(made);  // its contents move too
  const absl::Status finalized = tensor.Finalize();
  ASSERT_TRUE(finalized.ok()) << finalized;
  const absl::StatusOr<int64_t> id = tensor.GetInt(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  ASSERT_TRUE(id.ok()) << id.status();
  EXPECT_EQ(*id, 7);
}

TEST(CudnnDescriptorTest, AnErrorNamesTheCallTheDescriptorAndTheAttributeOnOneLine) {
  auto tensor = Tensor();
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  const absl::Status status = tensor->SetInts(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_NE(status.message().find("set attribute 102 of descriptor 17: cuDNN: CUDNN_STATUS_BAD_PARAM"),
            std::string::npos)
      << status;
  EXPECT_EQ(status.message().find('\n'), std::string::npos) << status;
}

TEST(CudnnDescriptorTest, AnUnfinishedTensorIsNotFinalized) {
  auto tensor = Tensor();
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_FALSE(tensor->Finalize().ok());
}

TEST(CudnnStatusTest, ReportsWhatKindOfErrorItIs) {
  EXPECT_TRUE(CudnnStatus(CUDNN_STATUS_SUCCESS, "plan").ok());
  EXPECT_EQ(CudnnStatus(CUDNN_STATUS_NOT_SUPPORTED_SHAPE, "plan").code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CudnnStatus(CUDNN_STATUS_EXECUTION_FAILED, "plan").code(), absl::StatusCode::kInternal);
  const absl::Status memory = CudnnStatus(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, "plan");
  EXPECT_EQ(memory.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(memory.message().find("out of memory"), std::string::npos);
}

}  // namespace
}  // namespace lockstep
