#include "lib/kernels/convolution_graph.h"

#include <utility>
#include <vector>

#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// Identifiers of the tensors in the graph; a gradient has the identifier of its tensor.
constexpr int64_t kX = 1;
constexpr int64_t kW = 2;
constexpr int64_t kY = 3;

// Makes a tensor. Dimensions are (n, channels, size, size) in cuDNN's order for every layout; the strides make the
// tensor channels-last.
absl::StatusOr<CudnnDescriptor> MakeTensor(int64_t id, cudnnDataType_t type, int64_t n, int64_t channels,
                                           int64_t size) {
  ASSIGN_OR_RETURN(CudnnDescriptor tensor, CudnnDescriptor::Make(CUDNN_BACKEND_TENSOR_DESCRIPTOR));
  RETURN_IF_ERROR(tensor.Set(CUDNN_ATTR_TENSOR_DATA_TYPE, type));
  RETURN_IF_ERROR(tensor.SetInts(CUDNN_ATTR_TENSOR_DIMENSIONS, {n, channels, size, size}));
  RETURN_IF_ERROR(tensor.SetInts(CUDNN_ATTR_TENSOR_STRIDES, {size * size * channels, 1, size * channels, channels}));
  RETURN_IF_ERROR(tensor.SetInts(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id}));
  RETURN_IF_ERROR(tensor.SetInts(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {kConvolutionAlignment}));
  RETURN_IF_ERROR(tensor.Finalize());
  return tensor;
}

// Makes the convolution. As usual in neural networks, the filter is not flipped (cross-correlation). Computed in fp32.
absl::StatusOr<CudnnDescriptor> MakeConvolution(const ConvolutionShape& shape) {
  const int64_t padding = shape.filter / 2;
  const int64_t stride = shape.stride;
  ASSIGN_OR_RETURN(CudnnDescriptor convolution, CudnnDescriptor::Make(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR));
  RETURN_IF_ERROR(convolution.Set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT));
  RETURN_IF_ERROR(convolution.Set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION));
  RETURN_IF_ERROR(convolution.SetInts(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {2}));
  RETURN_IF_ERROR(convolution.SetInts(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {padding, padding}));
  RETURN_IF_ERROR(convolution.SetInts(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {padding, padding}));
  RETURN_IF_ERROR(convolution.SetInts(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1}));
  RETURN_IF_ERROR(convolution.SetInts(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {stride, stride}));
  RETURN_IF_ERROR(convolution.Finalize());
  return convolution;
}

// Attribute names of the three operations, which differ only in these.
struct OperationNames {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t x, w, y, convolution, alpha, beta;
};

OperationNames NamesOf(ConvolutionPass pass) {
  switch (pass) {
    case ConvolutionPass::kForward:
      break;
    case ConvolutionPass::kDataGradient:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    case ConvolutionPass::kWeightGradient:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  }
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
}

}  // namespace

absl::StatusOr<ConvolutionGraph> ConvolutionGraph::Make(cudnnHandle_t handle, const ConvolutionShape& shape,
                                                        ConvolutionPass pass, ConvolutionType type) {
  const cudnnDataType_t data = type == ConvolutionType::kBf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
  const OperationNames names = NamesOf(pass);
  ConvolutionGraph made;
  ASSIGN_OR_RETURN(made.x_, MakeTensor(kX, data, shape.images, shape.in_channels, shape.in_size));
  ASSIGN_OR_RETURN(made.w_, MakeTensor(kW, data, shape.out_channels, shape.in_channels, shape.filter));
  ASSIGN_OR_RETURN(made.y_, MakeTensor(kY, data, shape.images, shape.out_channels, ConvolutionOutSize(shape)));
  ASSIGN_OR_RETURN(made.convolution_, MakeConvolution(shape));
  ASSIGN_OR_RETURN(made.operation_, CudnnDescriptor::Make(names.type));
  RETURN_IF_ERROR(made.operation_.Set(names.x, made.x_));
  RETURN_IF_ERROR(made.operation_.Set(names.w, made.w_));
  RETURN_IF_ERROR(made.operation_.Set(names.y, made.y_));
  RETURN_IF_ERROR(made.operation_.Set(names.convolution, made.convolution_));
  RETURN_IF_ERROR(made.operation_.Set(names.alpha, 1.0f));  // out = alpha * convolution + beta * out
  RETURN_IF_ERROR(made.operation_.Set(names.beta, 0.0f));
  RETURN_IF_ERROR(made.operation_.Finalize());
  ASSIGN_OR_RETURN(made.graph_, CudnnDescriptor::Make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR));
  RETURN_IF_ERROR(made.graph_.Set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle));
  RETURN_IF_ERROR(made.graph_.Set(CUDNN_ATTR_OPERATIONGRAPH_OPS, made.operation_));
  RETURN_IF_ERROR(made.graph_.Finalize());
  return made;
}

absl::Status ExecuteConvolution(cudnnHandle_t handle, const CudnnDescriptor& plan, ConvolutionPass pass, const void* a,
                                const void* b, void* out, void* workspace) {
  std::vector<int64_t> ids = {kX, kW, kY};
  if (pass != ConvolutionPass::kForward) {
    ids = pass == ConvolutionPass::kDataGradient ? std::vector<int64_t>{kY, kW, kX} : std::vector<int64_t>{kY, kX, kW};
  }
  const void* const pointers[] = {a, b, out};
  ASSIGN_OR_RETURN(CudnnDescriptor pack, CudnnDescriptor::Make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR));
  RETURN_IF_ERROR(pack.SetInts(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids));
  RETURN_IF_ERROR(pack.Set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, pointers));
  RETURN_IF_ERROR(pack.Set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace));
  RETURN_IF_ERROR(pack.Finalize());
  return CudnnStatus(cudnnBackendExecute(handle, plan.get(), pack.get()), "execute");
}

}  // namespace lockstep
