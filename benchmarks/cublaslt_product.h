// A product of int8 matrices by cuBLASLt, with the fastest of the algorithms that it offers: what ours is compared with.
#ifndef LOCKSTEP_BENCHMARKS_CUBLASLT_PRODUCT_H_
#define LOCKSTEP_BENCHMARKS_CUBLASLT_PRODUCT_H_

#include <cublasLt.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kernels/device_buffer.h"

namespace lockstep {

// output (rows, outputs) = input (rows, depth) * weights (outputs, depth) transposed: all along the depth, as a network's
// weights lie and as cuBLASLt wants int8 ("TN").
struct ProductShape {
  uint64_t rows;
  uint32_t outputs;  // a multiple of 16
  uint32_t depth;    // a multiple of 32
};

// int8, aligned to 16 bytes, all on the device; the output as the product has it.
struct ProductOperands {
  const void* input;
  const void* weights;
  void* output;
};

class CublasLtProduct {
 public:
  // Sums are int32. to_int8: they are multiplied by one float32, `scale`, rounded and clamped; else written as they are.
  // Takes the fastest algorithm of the up to 8 that cuBLASLt's heuristic gives, timed on `operands` (graph_timer.h).
  // NotFound: there is none that runs. Internal: cuBLASLt's other errors.
  static absl::StatusOr<std::unique_ptr<CublasLtProduct>> Make(const ProductShape& shape, bool to_int8, float scale,
                                                               const ProductOperands& operands, cudaStream_t stream);

  absl::Status Launch(const ProductOperands& operands, cudaStream_t stream) const;

  // "int8 output, fastest of 8 algorithms".
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
  Layout weights_, input_, output_;  // column by column, as cuBLASLt has them
  cublasLtMatmulAlgo_t algorithm_ = {};
  int offered_ = 0;
  DeviceBuffer workspace_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_CUBLASLT_PRODUCT_H_
