#include "lib/onnx/onnx_origin.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "google/protobuf/text_format.h"
#include "lib/base/existing_file.h"
#include "lib/base/status_macros.h"
#include "lib/onnx/model_names.h"
#include "lib/onnx/onnx_file.h"
#include "lib/record/other_result.h"

namespace lockstep {
namespace {

// Returns the parts of a header that distinguish one result from another.
proto::Header Origin(const proto::Header& header) {
  proto::Header origin;
  *origin.mutable_command_line() = header.command_line();
  origin.set_cache_key(header.cache_key());
  for (const proto::Input& input : header.input()) {
    proto::Input& kept = *origin.add_input();
    kept.set_path(input.path());
    kept.set_sha256(input.sha256());
  }
  for (const proto::Device& device : header.device()) {
    origin.add_device()->set_name(device.name());
  }
  return origin;
}

absl::optional<proto::Header> OriginOf(const ::onnx::ModelProto& model) {
  for (const ::onnx::StringStringEntryProto& entry : model.metadata_props()) {
    proto::Header origin;
    if (entry.key() == kOriginKey && google::protobuf::TextFormat::ParseFromString(entry.value(), &origin)) {
      return origin;
    }
  }
  return absl::nullopt;
}

absl::StatusOr<bool> IsOwnOnnx(const std::string& path, const proto::Header& origin) {
  if (!HasBytes(path)) {
    return false;
  }
  const absl::StatusOr<OnnxFile> file = ReadOnnx(path);
  if (absl::IsCancelled(file.status())) {
    return file.status();
  }
  if (!file.ok()) {
    return RefuseToReplace(absl::StrCat("would replace ", file.status().message()));
  }
  const absl::optional<proto::Header> then = OriginOf(file->model);
  if (!then) {
    return RefuseToReplace(absl::StrCat("would replace ", path, ": is an ONNX model without the command that made it"));
  }
  RETURN_IF_ERROR(CheckIsOfSameCommand(path, *then, origin));
  return true;
}

}  // namespace

void SetOrigin(const proto::Header& header, ::onnx::ModelProto& model) {
  ::onnx::StringStringEntryProto& entry = *model.add_metadata_props();
  entry.set_key(kOriginKey);
  entry.set_value(Origin(header).ShortDebugString());
}

ReplaceRule ReplaceOwnOnnx(const proto::Header& planned) {
  return [origin = Origin(planned)](const ReplacedOutput& output) { return IsOwnOnnx(output.path, origin); };
}

}  // namespace lockstep
