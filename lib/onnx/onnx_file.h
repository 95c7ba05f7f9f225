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

// A ResNet-18 takes 11 MB in int8, and 45 MB in fp32, which import then refuses by the name of its first node.
inline constexpr uint64_t kMaxOnnxBytes = uint64_t{64} << 20;

struct OnnxFile {
  ::onnx::ModelProto model;
  proto::Input input;  // path, SHA-256, size, for a record's header
};

// The model that `bytes` are, at most kMaxOnnxBytes. `name` is for messages. DataLoss: no protobuf message, or so many
// small parts that they would take gigabytes.
absl::StatusOr<::onnx::ModelProto> ParseOnnx(const std::string& bytes, absl::string_view name);

// "-": standard input. DataLoss: larger than kMaxOnnxBytes, or as ParseOnnx. Others as ReadInputText.
absl::StatusOr<OnnxFile> ReadOnnx(const std::string& path);

// The file appears under its name whole or not at all; "-": standard output. The same model gives the same bytes. `rule`
// says whether a file that is there may be replaced. Errors as WriteWholeFile.
absl::Status WriteOnnx(const std::string& path, const ::onnx::ModelProto& model, const ReplaceRule& rule);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_ONNX_ONNX_FILE_H_
