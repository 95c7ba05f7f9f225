// A descriptor of cuDNN's backend API (cudnn_graph.h) as an object: made, filled attribute by attribute, finalized, and
// destroyed with the object. Errors name the call, the descriptor's and the attribute's number in cudnn_graph.h, and
// what cuDNN says.
#ifndef LOCKSTEP_LIB_KERNELS_CUDNN_DESCRIPTOR_H_
#define LOCKSTEP_LIB_KERNELS_CUDNN_DESCRIPTOR_H_

#include <cudnn.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Ok for CUDNN_STATUS_SUCCESS; else one line: `doing`, the status's name and cuDNN's last message of this thread.
// ResourceExhausted when memory ran out, Unimplemented for what cuDNN does not support, Internal otherwise.
absl::Status CudnnStatus(cudnnStatus_t status, absl::string_view doing);

class CudnnDescriptor {
 public:
  static absl::StatusOr<CudnnDescriptor> Make(cudnnBackendDescriptorType_t type);

  CudnnDescriptor() = default;  // of nothing
  ~CudnnDescriptor();
  CudnnDescriptor(CudnnDescriptor&& other) noexcept;
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept;

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  // The attribute as cuDNN takes it, and the types that convolutions need. What `value` refers to stays alive as long
  // as this object: cuDNN does not promise to copy it.
  absl::Status Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                   const void* elements);
  absl::Status Set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value);
  absl::Status Set(cudnnBackendAttributeName_t name, cudnnHandle_t value);
  absl::Status Set(cudnnBackendAttributeName_t name, cudnnDataType_t value);
  absl::Status Set(cudnnBackendAttributeName_t name, cudnnConvolutionMode_t value);
  absl::Status Set(cudnnBackendAttributeName_t name, cudnnBackendHeurMode_t value);
  absl::Status Set(cudnnBackendAttributeName_t name, float value);
  absl::Status SetInts(cudnnBackendAttributeName_t name, const std::vector<int64_t>& values);

  absl::Status Finalize();

  // Attributes of a finalized descriptor.
  absl::StatusOr<int64_t> GetInt(cudnnBackendAttributeName_t name) const;
  absl::StatusOr<std::vector<cudnnBackendNumericalNote_t>> GetNotes() const;  // of an engine
  // At most `limit`, each of the given type; a negative limit: as many as there are.
  absl::StatusOr<std::vector<CudnnDescriptor>> GetDescriptors(cudnnBackendAttributeName_t name,
                                                              cudnnBackendDescriptorType_t type, int64_t limit) const;
  absl::StatusOr<cudnnBackendKnobType_t> GetKnobType() const;  // of a knob choice

 private:
  CudnnDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t descriptor)
      : type_(type), descriptor_(descriptor) {}
  std::string Doing(absl::string_view verb, int64_t attribute) const;
  absl::StatusOr<int64_t> Get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t limit,
                              void* elements) const;

  cudnnBackendDescriptorType_t type_ = CUDNN_BACKEND_POINTWISE_DESCRIPTOR;
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CUDNN_DESCRIPTOR_H_
