#include "benchmarks/cublaslt_product.h"

#include <array>
#include <limits>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/graph_timer.h"

namespace lockstep {
namespace {

constexpr int kAlgorithms = 8;
constexpr size_t kWorkspaceBytes = size_t{32} << 20;  // workspace that cuBLAS uses on Hopper

absl::Status CublasStatus(cublasStatus_t status, absl::string_view doing) {
  if (status == CUBLAS_STATUS_SUCCESS) {
    return absl::OkStatus();
  }
  const std::string message = absl::StrCat(doing, ": cuBLASLt says ", cublasLtGetStatusString(status));
  return status == CUBLAS_STATUS_NOT_SUPPORTED ? absl::NotFoundError(message) : absl::InternalError(message);
}

}  // namespace

absl::StatusOr<CublasLtProduct::Layout> CublasLtProduct::MakeLayout(cudaDataType_t type, uint64_t rows,
                                                                    uint64_t columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  RETURN_IF_ERROR(CublasStatus(cublasLtMatrixLayoutCreate(&layout, type, rows, columns, static_cast<int64_t>(rows)),
                               "describe a matrix"));
  return Layout(layout);
}

absl::Status CublasLtProduct::Init(const ProductShape& shape) {
  cublasLtHandle_t handle = nullptr;
  RETURN_IF_ERROR(CublasStatus(cublasLtCreate(&handle), "start cuBLASLt"));
  handle_.reset(handle);
  cublasLtMatmulDesc_t operation = nullptr;
  RETURN_IF_ERROR(
      CublasStatus(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32I, to_int8_ ? CUDA_R_32F : CUDA_R_32I),
                   "describe a product"));
  operation_.reset(operation);
  const cublasOperation_t transposed = CUBLAS_OP_T;
  RETURN_IF_ERROR(CublasStatus(
      cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof(transposed)),
      "transpose the weights"));
  ASSIGN_OR_RETURN(weights_, MakeLayout(CUDA_R_8I, shape.depth, shape.outputs));
  ASSIGN_OR_RETURN(input_, MakeLayout(CUDA_R_8I, shape.depth, shape.rows));
  ASSIGN_OR_RETURN(output_, MakeLayout(to_int8_ ? CUDA_R_8I : CUDA_R_32I, shape.outputs, shape.rows));
  ASSIGN_OR_RETURN(workspace_, DeviceBuffer::Make(kWorkspaceBytes));
  return absl::OkStatus();
}

absl::Status CublasLtProduct::ChooseAlgorithm(const ProductOperands& operands, cudaStream_t stream) {
  cublasLtMatmulPreference_t made = nullptr;
  RETURN_IF_ERROR(CublasStatus(cublasLtMatmulPreferenceCreate(&made), "make a preference"));
  const std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, Destroy<cublasLtMatmulPreferenceDestroy>> preference(made);
  RETURN_IF_ERROR(CublasStatus(cublasLtMatmulPreferenceSetAttribute(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                                    &kWorkspaceBytes, sizeof(kWorkspaceBytes)),
                               "set the workspace"));
  std::array<cublasLtMatmulHeuristicResult_t, kAlgorithms> results = {};
  RETURN_IF_ERROR(CublasStatus(
      cublasLtMatmulAlgoGetHeuristic(handle_.get(), operation_.get(), weights_.get(), input_.get(), output_.get(),
                                     output_.get(), made, kAlgorithms, results.data(), &offered_),
      "find algorithms"));
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double best = kNone;
  cublasLtMatmulAlgo_t fastest = {};
  for (int i = 0; i < offered_; ++i) {
    algorithm_ = results[i].algo;
    const absl::StatusOr<double> microseconds = MicrosecondsInGraph(
        stream, [&] { return Launch(operands, stream); }, HopelessMicroseconds(best));
    if (microseconds.ok() && *microseconds < best) {
      best = *microseconds;
      fastest = algorithm_;
    }
  }
  algorithm_ = fastest;
  return best < kNone ? absl::OkStatus()
                      : absl::NotFoundError(absl::StrCat("none of cuBLASLt's ", offered_, " algorithms runs"));
}

absl::StatusOr<std::unique_ptr<CublasLtProduct>> CublasLtProduct::Make(const ProductShape& shape, bool to_int8,
                                                                       float scale, const ProductOperands& operands,
                                                                       cudaStream_t stream) {
  auto product = absl::WrapUnique(new CublasLtProduct(to_int8, scale));
  RETURN_IF_ERROR(product->Init(shape));
  RETURN_IF_ERROR(product->ChooseAlgorithm(operands, stream));
  return product;
}

absl::Status CublasLtProduct::Launch(const ProductOperands& operands, cudaStream_t stream) const {
  const int32_t one = 1, zero = 0;  // scale factors for int32 sums
  const float none = 0;
  const void* const alpha = to_int8_ ? static_cast<const void*>(&scale_) : &one;
  const void* const beta = to_int8_ ? static_cast<const void*>(&none) : &zero;
  return CublasStatus(
      cublasLtMatmul(handle_.get(), operation_.get(), alpha, operands.weights, weights_.get(), operands.input,
                     input_.get(), beta, operands.output, output_.get(), operands.output, output_.get(), &algorithm_,
                     workspace_.data(), kWorkspaceBytes, stream),
      "launch a product");
}

std::string CublasLtProduct::Describe() const {
  return absl::StrCat(to_int8_ ? "int8" : "int32", " output, fastest of ", offered_, " algorithms");
}

}  // namespace lockstep
