// ONNX model files on disk.
#ifndef LOCKSTEP_LIB_ONNX_ONNX_FILE_H_
#define LOCKSTEP_LIB_ONNX_ONNX_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/onnx/onnx.pb.h"
#include "lib/proto/header.pb.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Limit on the size of a file. A ResNet-18 takes 11 MB in int8, and 45 MB in fp32; import then rejects the latter with
// the name of its first node.
inline constexpr uint64_t kMaxOnnxBytes = uint64_t{64} << 20;

struct OnnxFile {
  ::onnx::ModelProto model;
  proto::Input input;  // path, SHA-256, size, for a record's header
};

// Parses a model from `bytes`, at most kMaxOnnxBytes. `name` appears in messages. DataLoss: not a protobuf message, or
// so many small parts that they would take gigabytes of memory.
absl::StatusOr<::onnx::ModelProto> ParseOnnx(const std::string& bytes, absl::string_view name);

// Reads a model; "-" is standard input. DataLoss: larger than kMaxOnnxBytes, or as ParseOnnx. Other errors as
// ReadInputText.
absl::StatusOr<OnnxFile> ReadOnnx(const std::string& path);

// Writes a model; "-" is standard output. The file appears under its name complete or not at all. The same model gives
// the same bytes. `rule` decides whether an existing file may be replaced. Errors as WriteWholeFile.
absl::Status WriteOnnx(const std::string& path, const ::onnx::ModelProto& model, const ReplaceRule& rule);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_ONNX_FILE_H_
