#include "lib/onnx/onnx_origin.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "google/protobuf/text_format.h"
#include "lib/onnx/model_names.h"
#include "lib/onnx/onnx_file.h"
#include "lib/record/other_result.h"

namespace lockstep {
namespace {

// What of a header tells one result from another.
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

}  // namespace

void SetOrigin(const proto::Header& header, ::onnx::ModelProto& model) {
  ::onnx::StringStringEntryProto& entry = *model.add_metadata_props();
  entry.set_key(kOriginKey);
  entry.set_value(Origin(header).ShortDebugString());
}

absl::Status CheckMayReplaceOnnx(const std::string& path, const proto::Header& planned) {
  if (path == "-") {
    return absl::OkStatus();
  }
  const absl::StatusOr<OnnxFile> file = ReadOnnx(path);
  if (absl::IsNotFound(file.status()) || absl::IsCancelled(file.status())) {
    return absl::IsCancelled(file.status()) ? file.status() : absl::OkStatus();
  }
  if (!file.ok()) {
    return RefuseToReplace(absl::StrCat("would replace ", file.status().message()));
  }
  if (file->input.size_bytes() == 0) {
    return absl::OkStatus();
  }
  const absl::optional<proto::Header> then = OriginOf(file->model);
  return then ? CheckIsOfSameCommand(path, *then, Origin(planned))
              : RefuseToReplace(
                    absl::StrCat("would replace ", path, ": is an ONNX model that does not say which command made it"));
}

}  // namespace lockstep
