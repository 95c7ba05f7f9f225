// Object that owns a descriptor of cuDNN's backend API (cudnn_graph.h): created, filled attribute by attribute,
// finalized, and destroyed with the object. Error messages contain the call, the numbers of the descriptor and the
// attribute in cudnn_graph.h, and cuDNN's message.
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

// Returns OK for CUDNN_STATUS_SUCCESS, otherwise a one-line error: `doing`, the status's name and cuDNN's last message
// of this thread. The code is ResourceExhausted if memory ran out, Unimplemented if cuDNN does not support the request,
// Internal otherwise.
absl::Status CudnnStatus(cudnnStatus_t status, absl::string_view doing);

class CudnnDescriptor {
 public:
  static absl::StatusOr<CudnnDescriptor> Make(cudnnBackendDescriptorType_t type);

  CudnnDescriptor() = default;  // owns no descriptor
  ~CudnnDescriptor();
  CudnnDescriptor(CudnnDescriptor&& other) noexcept;
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept;

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  // Sets an attribute: in cuDNN's own form, and for the types that convolutions need. Everything that `value` refers to
  // must live as long as this object: cuDNN does not promise to copy it.
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

  // Returns attributes of a finalized descriptor.
  absl::StatusOr<int64_t> GetInt(cudnnBackendAttributeName_t name) const;
  absl::StatusOr<std::vector<cudnnBackendNumericalNote_t>> GetNotes() const;  // notes of an engine
  // Returns at most `limit` descriptors of the given type; all of them if `limit` is negative.
  absl::StatusOr<std::vector<CudnnDescriptor>> GetDescriptors(cudnnBackendAttributeName_t name,
                                                              cudnnBackendDescriptorType_t type, int64_t limit) const;
  absl::StatusOr<cudnnBackendKnobType_t> GetKnobType() const;  // type of a knob choice

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
