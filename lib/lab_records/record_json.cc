#include "lib/lab_records/record_json.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "google/protobuf/util/json_util.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/lab_records/record_types.h"
#include "lib/proto/header.pb.h"
#include "lib/record/old_field_names.h"
#include "lib/record/record_format.h"

namespace lockstep {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

absl::Status NoRecord(const std::string& path, absl::string_view found) {
  constexpr size_t kLongest = 200;
  return absl::DataLossError(
      absl::StrCat(path, ": expected the JSON of a record, as report --print=FILE --format=json writes it; found ",
                   ReadableLine(std::string(found.substr(0, std::min(found.find('\n'), kLongest))))));
}

// Returns true if `text` replaces a bytes field that was not printed: "<3072000 bytes, SHA-256 ...; --print_bytes shows
// them>".
bool IsMarker(absl::string_view text) {
  return absl::StartsWith(text, "<") && absl::EndsWith(text, "; --print_bytes shows them>");
}

// Returns the position after the closing quotation mark of the string that begins at json[at].
size_t StringEnd(const std::string& json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    at += json[at] == '\\' ? 1 : 0;
  }
  return std::min(at + 1, json.size());
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

std::string SchemaOf(const Message& file) {
  proto::AnyRecord first;
  if (CountRecords(file) > 0) {
    first.ParseFromString(file.GetReflection()->GetRepeatedMessage(file, RecordField(file), 0).SerializeAsString());
  }
  return first.header().schema();
}

// Returns the type of the file whose JSON this is. The header of any file can be parsed as that of a data set, because
// no other record has fields of the same names.
absl::StatusOr<const Descriptor*> TypeOf(const std::string& json, const std::string& path) {
  google::protobuf::util::JsonParseOptions any;
  any.ignore_unknown_fields = true;
  const std::unique_ptr<Message> file = NewMessage(*FileTypes().front());
  const auto status = google::protobuf::util::JsonStringToMessage(json, file.get(), any);
  if (!status.ok()) {
    return NoRecord(path, std::string(status.message()));
  }
  const std::string schema = SchemaOf(*file);
  for (const Descriptor* type : FileTypes()) {
    if (type->full_name() == schema) {
      return type;
    }
  }
  return NoRecord(path, schema.empty() ? "no header with a schema" : absl::StrCat("the unknown schema ", schema));
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

absl::StatusOr<RecordOfJson> ReadRecordJson(const std::string& json, const std::string& path) {
  RecordOfJson record;
  std::string parsable = WithoutMarkers(json, record.left_out);
  ASSIGN_OR_RETURN(const Descriptor* const type, TypeOf(parsable, path));
  parsable = WithPresentFieldNames(std::move(parsable), *type);
  const std::unique_ptr<Message> file = NewMessage(*type);
  const auto status =
      google::protobuf::util::JsonStringToMessage(parsable, file.get(), google::protobuf::util::JsonParseOptions());
  if (!status.ok()) {
    return NoRecord(path, std::string(status.message()));
  }
  RETURN_IF_ERROR(AppendFrames(*file, record));
  return record;
}

std::function<absl::StatusOr<std::string>(const std::string& json)> WholeRecordOfJson(const std::string& path,
                                                                                      std::ostream& log) {
  return [path, &log](const std::string& json) -> absl::StatusOr<std::string> {
    ASSIGN_OR_RETURN(RecordOfJson record, ReadRecordJson(json, path));
    const std::string remark = RemarkOn(record, path);
    if (record.left_out > 0) {
      return absl::FailedPreconditionError(absl::StrCat(remark, "; print the record with --print_bytes"));
    }
    if (!remark.empty()) {
      log << "report: " << ReadableLine(remark) << "\n";
    }
    return std::move(record.bytes);
  };
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
