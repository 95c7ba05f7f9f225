#include "lib/int8_cuda/implicit_convolution.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_buffer.h"
#include "lib/int8_cuda/device_layout.h"
#include "lib/int8_cuda/epilogue_tables.h"
#include "lib/int8_cuda/implicit_product.h"

namespace lockstep {
namespace {

class ImplicitConvolution : public CudaConvolution {
 public:
  ImplicitConvolution(const LayerShape& shape, ProductKind kind, uint32_t multiprocessors, DeviceBuffer weights,
                      DeviceEpilogue epilogue)
      : name_(shape.name), kind_(kind), multiprocessors_(multiprocessors), weights_(std::move(weights)),
        epilogue_(std::move(epilogue)) {
    product_.weights = static_cast<const int8_t*>(weights_.data());
    product_.in_height = shape.in_height;
    product_.in_width = shape.in_width;
    product_.in_channels = PaddedChannels(shape.in_channels);
    product_.out_width = shape.Out().width;
    product_.kernel = shape.kernel;
    product_.stride = shape.stride;
    product_.padding = shape.padding;
    product_.depth = PackedDepth(shape);
  }

  absl::Status Launch(const int8_t* input, const int8_t* addend, void* output, uint32_t images,
                      cudaStream_t stream) const override {
    ImplicitProduct product = product_;
    product.input = input;
    product.output = output;
    product.epilogue = epilogue_.With(addend);
    product.pixels = images * product.epilogue.pixels;
    return CudaStatus(LaunchProduct(product, stream), absl::StrCat("launch layer ", name_));
  }

 private:
  cudaError_t LaunchProduct(const ImplicitProduct& product, cudaStream_t stream) const {
    if (IsDotProduct(product)) {
      return LaunchDotProduct(product, kind_, stream);
    }
    return kind_ == ProductKind::kQuads ? LaunchQuadProduct(product, stream)
                                        : LaunchTensorCoreProduct(product, multiprocessors_, stream);
  }

  const std::string name_;
  const ProductKind kind_;
  const uint32_t multiprocessors_;
  const DeviceBuffer weights_;
  const DeviceEpilogue epilogue_;
  ImplicitProduct product_;
};

absl::StatusOr<uint32_t> Multiprocessors() {
  int device = 0, count = 0;
  RETURN_IF_ERROR(CudaStatus(cudaGetDevice(&device), "find a GPU"));
  RETURN_IF_ERROR(CudaStatus(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
                             "read how many multiprocessors the GPU has"));
  return static_cast<uint32_t>(count);
}

}  // namespace

absl::StatusOr<std::unique_ptr<CudaConvolution>> MakeImplicitConvolution(const ConvolutionTask& task,
                                                                         ProductKind kind) {
  const std::vector<int8_t> packed = PackWeightsFor(kind, task.layer);
  ASSIGN_OR_RETURN(const uint32_t multiprocessors, Multiprocessors());
  ASSIGN_OR_RETURN(DeviceBuffer weights, DeviceBuffer::Make(packed.size()));
  RETURN_IF_ERROR(CudaStatus(CopyToDevice(weights.data(), packed.data(), packed.size()),
                             absl::StrCat("copy the weights of layer ", task.layer.shape.name)));
  ASSIGN_OR_RETURN(DeviceEpilogue epilogue, DeviceEpilogue::Make(task));
  return std::make_unique<ImplicitConvolution>(task.layer.shape, kind, multiprocessors, std::move(weights),
                                               std::move(epilogue));
}

}  // namespace lockstep
