#include "lib/onnx/onnx_file.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/wire_format_lite.h"
#include "lib/base/status_macros.h"
#include "lib/record/input_text.h"
#include "lib/record/output_file.h"

namespace lockstep {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::internal::WireFormatLite;
using ::google::protobuf::io::CodedInputStream;

// Limit on messages, strings and unknown fields. An empty message of 2 bytes in the file takes some 150 bytes in
// memory. A ResNet-18 has some thousand parts.
constexpr size_t kMaxParts = 1'000'000;

// Counts the parts that take more memory than bytes in the file: messages, strings, and fields that the schema does not
// have. Stops if there are too many, or if the bytes are not a message; parsing finds the latter, too. The recursion
// ends because no type of the schema contains itself.
void CountParts(CodedInputStream& input, const Descriptor& type, size_t& parts) {
  for (uint32_t tag = input.ReadTag(); tag != 0 && parts <= kMaxParts; tag = input.ReadTag()) {
    const FieldDescriptor* const field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    const bool has_length = WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    parts += has_length || field == nullptr ? 1 : 0;
    uint32_t length = 0;
    if (!has_length || field == nullptr || field->message_type() == nullptr) {
      if (!WireFormatLite::SkipField(&input, tag)) {
        return;
      }
    } else if (input.ReadVarint32(&length)) {
      const CodedInputStream::Limit outer = input.PushLimit(static_cast<int>(length));
      CountParts(input, *field->message_type(), parts);
      input.Skip(input.BytesUntilLimit());
      input.PopLimit(outer);
    }
  }
}

}  // namespace

absl::StatusOr<::onnx::ModelProto> ParseOnnx(const std::string& bytes, absl::string_view name) {
  CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  size_t parts = 0;
  CountParts(input, *::onnx::ModelProto::descriptor(), parts);
  if (parts > kMaxParts) {
    return absl::DataLossError(
        absl::StrCat(name, ": expected an ONNX model of at most ", kMaxParts,
                     " nodes, names and tensors, found more; no network that Lockstep runs has"));
  }
  ::onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) {
    return absl::DataLossError(absl::StrCat(
        name, ": expected an ONNX model, found bytes that are not a protobuf message, or a truncated file"));
  }
  return model;
}

absl::StatusOr<OnnxFile> ReadOnnx(const std::string& path) {
  ASSIGN_OR_RETURN(InputText bytes, ReadInputText(path, kMaxOnnxBytes));
  OnnxFile file;
  ASSIGN_OR_RETURN(file.model, ParseOnnx(bytes.text, path));
  file.input = std::move(bytes.input);
  return file;
}

absl::Status WriteOnnx(const std::string& path, const ::onnx::ModelProto& model, const ReplaceRule& rule) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    model.SerializeToCodedStream(&coded);
  }
  return WriteWholeFile(path, bytes, rule);
}

}  // namespace lockstep
