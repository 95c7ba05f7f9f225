// Baseline of our int8 kernels: a product of int8 matrices by cuBLASLt, with the fastest of its algorithms.
#ifndef LOCKSTEP_BENCHMARKS_CUBLASLT_PRODUCT_H_
#define LOCKSTEP_BENCHMARKS_CUBLASLT_PRODUCT_H_

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/cuda/device_buffer.h"

namespace lockstep {

// output (rows, outputs) = input (rows, depth) * weights (outputs, depth) transposed. Both matrices are contiguous
// along the depth, like a network's weights and as cuBLASLt requires for int8 ("TN").
struct ProductShape {
  uint64_t rows;
  uint32_t outputs;  // must be a multiple of 16
  uint32_t depth;    // must be a multiple of 32
};

// Device memory of int8 values, aligned to 16 bytes; the output has the product's type.
struct ProductOperands {
  const void* input;
  const void* weights;
  void* output;
};

class CublasLtProduct {
 public:
  // Makes a product. Sums are int32. to_int8: they are multiplied by one float32, `scale`, rounded and clamped; else
  // they are written as they are. Uses the fastest of up to 8 algorithms of cuBLASLt's heuristic, timed on `operands`
  // (graph_timer.h). NotFound: no algorithm runs. Internal: cuBLASLt's other errors.
  static absl::StatusOr<std::unique_ptr<CublasLtProduct>> Make(const ProductShape& shape, bool to_int8, float scale,
                                                               const ProductOperands& operands, cudaStream_t stream);

  absl::Status Launch(const ProductOperands& operands, cudaStream_t stream) const;

  // Returns for example "int8 output, fastest of 8 algorithms".
  std::string Describe() const;

 private:
  template <auto kDestroy>
  struct Destroy {
    template <typename T>
    void operator()(T* object) const {
      (void)kDestroy(object);
    }
  };
  using Handle = std::unique_ptr<cublasLtContext, Destroy<cublasLtDestroy>>;
  using Operation = std::unique_ptr<cublasLtMatmulDescOpaque_t, Destroy<cublasLtMatmulDescDestroy>>;
  using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, Destroy<cublasLtMatrixLayoutDestroy>>;

  CublasLtProduct(bool to_int8, float scale) : to_int8_(to_int8), scale_(scale) {}
  static absl::StatusOr<Layout> MakeLayout(cudaDataType_t type, uint64_t rows, uint64_t columns);
  absl::Status Init(const ProductShape& shape);
  absl::Status ChooseAlgorithm(const ProductOperands& operands, cudaStream_t stream);

  const bool to_int8_;
  const float scale_;
  Handle handle_;
  Operation operation_;
  Layout weights_, input_, output_;  // column-major, the order of cuBLASLt
  cublasLtMatmulAlgo_t algorithm_ = {};
  int offered_ = 0;
  DeviceBuffer workspace_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_CUBLASLT_PRODUCT_H_
