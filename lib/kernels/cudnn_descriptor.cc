#include "lib/kernels/cudnn_descriptor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

// Returns the first 400 characters of cuDNN's message, which has several lines, as one line.
std::string LastMessage() {
  char message[400] = "";
  cudnnGetLastErrorString(message, sizeof(message));
  message[sizeof(message) - 1] = '\0';
  std::string text = message;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !absl::ascii_isprint(static_cast<unsigned char>(c)); }, ' ');
  absl::RemoveExtraAsciiWhitespace(&text);
  return text;
}

}  // namespace

absl::Status CudnnStatus(cudnnStatus_t status, absl::string_view doing) {
  if (status == CUDNN_STATUS_SUCCESS) {
    return absl::OkStatus();
  }
  const std::string text = absl::StrCat(doing, ": cuDNN: ", cudnnGetErrorString(status), " (", static_cast<int>(status),
                                        "; ", LastMessage(), ")");
  if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat(text, ": out of memory"));
  }
  return CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED ? absl::UnimplementedError(text)
                                                                     : absl::InternalError(text);
}

absl::StatusOr<CudnnDescriptor> CudnnDescriptor::Make(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t descriptor = nullptr;
  RETURN_IF_ERROR(CudnnStatus(cudnnBackendCreateDescriptor(type, &descriptor),
                              absl::StrCat("make descriptor ", static_cast<int>(type))));
  return CudnnDescriptor(type, descriptor);
}

CudnnDescriptor::~CudnnDescriptor() {
  if (descriptor_ != nullptr) {
    (void)cudnnBackendDestroyDescriptor(descriptor_);
  }
}

CudnnDescriptor::CudnnDescriptor(CudnnDescriptor&& other) noexcept
    : type_(other.type_), descriptor_(std::exchange(other.descriptor_, nullptr)) {}

CudnnDescriptor& CudnnDescriptor::operator=(CudnnDescriptor&& other) noexcept {
  std::swap(type_, other.type_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

std::string CudnnDescriptor::Doing(absl::string_view verb, int64_t attribute) const {
  return absl::StrCat(verb, " attribute ", attribute, " of descriptor ", static_cast<int>(type_));
}

absl::Status CudnnDescriptor::Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                                  const void* elements) {
  const cudnnStatus_t status = cudnnBackendSetAttribute(descriptor_, name, type, count, elements);
  return status == CUDNN_STATUS_SUCCESS ? absl::OkStatus() : CudnnStatus(status, Doing("set", name));
}

absl::Status CudnnDescriptor::Set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value) {
  return Set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.descriptor_);
}

absl::Status CudnnDescriptor::Set(cudnnBackendAttributeName_t name, cudnnHandle_t value) {
  return Set(name, CUDNN_TYPE_HANDLE, 1, &value);
}

absl::Status CudnnDescriptor::Set(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
  return Set(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
}

absl::Status CudnnDescriptor::Set(cudnnBackendAttributeName_t name, cudnnConvolutionMode_t value) {
  return Set(name, CUDNN_TYPE_CONVOLUTION_MODE, 1, &value);
}

absl::Status CudnnDescriptor::Set(cudnnBackendAttributeName_t name, cudnnBackendHeurMode_t value) {
  return Set(name, CUDNN_TYPE_HEUR_MODE, 1, &value);
}

absl::Status CudnnDescriptor::Set(cudnnBackendAttributeName_t name, float value) {
  return Set(name, CUDNN_TYPE_FLOAT, 1, &value);
}

absl::Status CudnnDescriptor::SetInts(cudnnBackendAttributeName_t name, const std::vector<int64_t>& values) {
  return Set(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()), values.data());
}

absl::Status CudnnDescriptor::Finalize() {
  const cudnnStatus_t status = cudnnBackendFinalize(descriptor_);
  return status == CUDNN_STATUS_SUCCESS
             ? absl::OkStatus()
             : CudnnStatus(status, absl::StrCat("finalize descriptor ", static_cast<int>(type_)));
}

absl::StatusOr<int64_t> CudnnDescriptor::Get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                             int64_t limit, void* elements) const {
  int64_t count = 0;
  RETURN_IF_ERROR(
      CudnnStatus(cudnnBackendGetAttribute(descriptor_, name, type, limit, &count, elements), Doing("get", name)));
  return count;
}

absl::StatusOr<int64_t> CudnnDescriptor::GetInt(cudnnBackendAttributeName_t name) const {
  int64_t value = 0;
  RETURN_IF_ERROR(Get(name, CUDNN_TYPE_INT64, 1, &value).status());
  return value;
}

absl::StatusOr<std::vector<cudnnBackendNumericalNote_t>> CudnnDescriptor::GetNotes() const {
  std::vector<cudnnBackendNumericalNote_t> notes(CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  const int64_t limit = static_cast<int64_t>(notes.size());
  ASSIGN_OR_RETURN(const int64_t count,
                   Get(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, limit, notes.data()));
  notes.resize(static_cast<size_t>(std::clamp<int64_t>(count, 0, limit)));
  return notes;
}

absl::StatusOr<std::vector<CudnnDescriptor>> CudnnDescriptor::GetDescriptors(cudnnBackendAttributeName_t name,
                                                                             cudnnBackendDescriptorType_t type,
                                                                             int64_t limit) const {
  if (limit < 0) {
    ASSIGN_OR_RETURN(limit, Get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr));
  }
  std::vector<CudnnDescriptor> found;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (int64_t i = 0; i < limit; ++i) {
    ASSIGN_OR_RETURN(CudnnDescriptor descriptor, Make(type));
    raw.push_back(descriptor.get());
    found.push_back(std::move(descriptor));
  }
  ASSIGN_OR_RETURN(const int64_t count, Get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, limit, raw.data()));
  found.resize(static_cast<size_t>(std::clamp<int64_t>(count, 0, limit)));
  return found;
}

absl::StatusOr<cudnnBackendKnobType_t> CudnnDescriptor::GetKnobType() const {
  cudnnBackendKnobType_t type = CUDNN_KNOB_TYPE_COUNTS;
  RETURN_IF_ERROR(Get(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &type).status());
  return type;
}

}  // namespace lockstep
