#include "lib/record/record_json.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/util/json_util.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/proto/any_file.pb.h"
#include "lib/proto/header.pb.h"
#include "lib/record/old_field_names.h"
#include "lib/record/record_format.h"
#include "lib/record/wrong_input.h"

namespace lockstep {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

// Returns the position after the closing quotation mark of the string that begins at json[at].
size_t StringEnd(const std::string& json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    at += json[at] == '\\' ? 1 : 0;
  }
  return std::min(at + 1, json.size());
}

// Returns true if `json` ends within a string, or within an object or array.
bool EndsInside(const std::string& json) {
  int64_t open = 0;
  for (size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      const size_t end = StringEnd(json, at);
      if (end == json.size() && (end - at < 2 || json.back() != '"')) {
        return true;
      }
      at = end;
      continue;
    }
    open += json[at] == '{' || json[at] == '[' ? 1 : 0;
    open -= json[at] == '}' || json[at] == ']' ? 1 : 0;
    ++at;
  }
  return open > 0;
}

absl::Status NoRecord(const std::string& path, absl::string_view found) {
  constexpr size_t kLongest = 200;
  return absl::DataLossError(
      absl::StrCat(path, ": expected the JSON of a record, as report --print=FILE --format=json writes it; found ",
                   ReadableLine(std::string(found.substr(0, std::min(found.find('\n'), kLongest))))));
}

// Returns the error for text that does not parse. If it ends within a string or with open brackets, it is cut off.
absl::Status NotParsed(const std::string& json, const std::string& path, absl::string_view found) {
  if (!EndsInside(json)) {
    return NoRecord(path, found);
  }
  return absl::DataLossError(absl::StrCat(
      path, ": the JSON of a record is cut off at byte ", json.size(),
      "; copy it again, or write it again: report --convert=RECORD --output=", path == "-" ? "NAME.json" : path));
}

// Returns true if `text` replaces a bytes field that was not printed: "<3072000 bytes, SHA-256 ...; --print_bytes shows
// them>".
bool IsMarker(absl::string_view text) {
  return absl::StartsWith(text, "<") && absl::EndsWith(text, "; --print_bytes shows them>");
}

// Replaces markers by empty strings, and -0 by -0.0, because protobuf's parser would take -0 for the integer 0.
std::string WithoutMarkers(const std::string& json, uint64_t& left_out) {
  std::string parsable;
  parsable.reserve(json.size());
  for (size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      const size_t end = StringEnd(json, at);
      const absl::string_view text = absl::string_view(json).substr(at + 1, end - at > 2 ? end - at - 2 : 0);
      const bool marker = IsMarker(text);
      left_out += marker ? 1 : 0;
      marker ? parsable += "\"\"" : parsable.append(json, at, end - at);
      at = end;
    } else if (json.compare(at, 2, "-0") == 0 && at > 0 && !absl::ascii_isalnum(json[at - 1]) && at + 2 < json.size() &&
               absl::string_view(".eE0123456789").find(json[at + 2]) == absl::string_view::npos) {
      parsable += "-0.0";
      at += 2;
    } else {
      parsable += json[at++];
    }
  }
  return parsable;
}

const FieldDescriptor* RecordField(const Message& file) { return file.GetDescriptor()->FindFieldByName("record"); }

int CountRecords(const Message& file) { return file.GetReflection()->FieldSize(file, RecordField(file)); }

// Returns the header's schema. The JSON of any record file can be parsed as AnyFile, apart from unknown fields.
absl::StatusOr<std::string> SchemaOf(const std::string& json, const std::string& path) {
  google::protobuf::util::JsonParseOptions any;
  any.ignore_unknown_fields = true;
  proto::AnyFile file;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &file, any);
  if (!status.ok()) {
    return NotParsed(json, path, std::string(status.message()));
  }
  return file.record_size() > 0 ? file.record(0).header().schema() : "";
}

// Returns the type of the file whose JSON this is.
absl::StatusOr<const Descriptor*> TypeOf(const std::string& json, const std::string& path, absl::string_view expected) {
  ASSIGN_OR_RETURN(const std::string schema, SchemaOf(json, path));
  if (FindSchema(schema) == nullptr) {
    return NoRecord(path, schema.empty() ? "no header with a schema" : absl::StrCat("the unknown schema ", schema));
  }
  if (!expected.empty() && schema != expected) {
    return absl::FailedPreconditionError(OtherToolsRecord(path, schema, expected));
  }
  const Descriptor* const type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(schema);
  return type == nullptr
             ? absl::FailedPreconditionError(absl::StrCat(path, ": this program does not read the JSON of a ", schema))
             : absl::StatusOr<const Descriptor*>(type);
}

std::unique_ptr<Message> EmptyMessage(const Descriptor& type) {
  return std::unique_ptr<Message>(google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->New());
}

// Returns true if the header's environment has several entries. Older records hold them in any order, and each order
// has its own checksum.
bool HasOrder(const std::string& payload) {
  proto::AnyRecord any;
  return any.ParseFromString(payload) && any.header().environment_size() > 1;
}

absl::Status AppendFrames(const Message& file, RecordOfJson& record) {
  const FieldDescriptor* const crc32 = file.GetDescriptor()->FindFieldByName("crc32");
  const auto& reflection = *file.GetReflection();
  const int checksums = reflection.FieldSize(file, crc32);
  for (int i = 0; i < CountRecords(file); ++i) {
    std::string payload;
    if (!SerialiseInOrder(reflection.GetRepeatedMessage(file, RecordField(file), i), payload)) {
      return absl::DataLossError(absl::StrCat("record ", i, " does not serialise"));
    }
    absl::StrAppend(&record.bytes, FrameHead(payload.size()), payload, FrameTail(payload));
    const bool same = i < checksums && reflection.GetRepeatedUInt32(file, crc32, i) == Crc32(payload);
    if (checksums > 0 && !same && record.left_out == 0 && !(i == 0 && HasOrder(payload))) {
      record.first = record.changed++ == 0 ? static_cast<uint64_t>(i) : record.first;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RecordOfJson> ReadRecordJson(const std::string& json, const std::string& path,
                                            absl::string_view schema) {
  RecordOfJson record;
  std::string parsable = WithoutMarkers(json, record.left_out);
  ASSIGN_OR_RETURN(const Descriptor* const type, TypeOf(parsable, path, schema));
  parsable = WithPresentFieldNames(std::move(parsable), *type);
  const std::unique_ptr<Message> file = EmptyMessage(*type);
  const auto status =
      google::protobuf::util::JsonStringToMessage(parsable, file.get(), google::protobuf::util::JsonParseOptions());
  if (!status.ok()) {
    return NoRecord(path, std::string(status.message()));
  }
  RETURN_IF_ERROR(AppendFrames(*file, record));
  return record;
}

std::string RemarkOn(const RecordOfJson& record, const std::string& path) {
  if (record.left_out > 0) {
    return absl::StrCat(path, ": ", record.left_out, " fields of bytes are there by their digest only, and are empty");
  }
  if (record.changed > 0) {
    return absl::StrCat(path, ": ", record.changed, record.changed == 1 ? " record has" : " records have",
                        " another checksum than the JSON names: changed since, or of another version (",
                        record.first == 0 ? "the header is the first" : "",
                        record.first == 0 ? "" : absl::StrCat("record ", record.first, " is the first"), ")");
  }
  return "";
}

}  // namespace lockstep
