#include "lib/lab_records/print_record.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "lib/base/log_line.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/lab_records/record_types.h"
#include "lib/record/digest.h"
#include "lib/record/record_format.h"
#include "lib/record/record_reader.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

using TextSink = std::function<absl::Status(absl::string_view)>;

// Returns "<3072000 bytes, SHA-256 ab12...; --print_bytes shows them>".
std::string Marker(const std::string& bytes) {
  return absl::StrCat("<", bytes.size(), " bytes, SHA-256 ", Sha256Hex(bytes), "; --print_bytes shows them>");
}

void ElideField(const FieldDescriptor* field, Message& message, std::vector<std::string>& markers);

// Replaces every long bytes field of `message`, at any depth, by its marker, and lists the markers.
void ElideLongBytes(Message& message, std::vector<std::string>& markers) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    ElideField(field, message, markers);
  }
}

void ElideField(const FieldDescriptor* field, Message& message, std::vector<std::string>& markers) {
  const Reflection& reflection = *message.GetReflection();
  const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    for (int i = 0; i < count; ++i) {
      ElideLongBytes(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, i)
                                          : *reflection.MutableMessage(&message, field),
                     markers);
    }
  }
  if (field->type() != FieldDescriptor::TYPE_BYTES) {
    return;
  }
  for (int i = 0; i < count; ++i) {
    const std::string bytes =
        field->is_repeated() ? reflection.GetRepeatedString(message, field, i) : reflection.GetString(message, field);
    if (bytes.size() <= kLongBytes) {
      continue;
    }
    markers.push_back(Marker(bytes));
    field->is_repeated() ? reflection.SetRepeatedString(&message, field, i, markers.back())
                         : reflection.SetString(&message, field, markers.back());
  }
}

// Prints records one by one and the checksums at the end, as fields 1 and 2 of the file message.
class Printer {
 public:
  Printer(const PrintOptions& options, const TextSink& print) : options_(options), print_(print) {}

  absl::Status Begin() { return json() ? print_("{\n\"record\": [\n") : absl::OkStatus(); }

  absl::Status Print(Message& record, uint32_t crc32) {
    std::vector<std::string> markers;
    if (!options_.print_bytes) {
      ElideLongBytes(record, markers);
    }
    elided_ += markers.size();
    ASSIGN_OR_RETURN(const std::string text, json() ? JsonOf(record, markers) : TextOf(record));
    RETURN_IF_ERROR(print_(text));
    crc32_.push_back(crc32);
    return absl::OkStatus();
  }

  absl::Status End() {
    if (json()) {
      return print_(absl::StrCat("],\n\"crc32\": [", absl::StrJoin(crc32_, ", "), "]\n}\n"));
    }
    std::string text;
    for (const uint32_t crc32 : crc32_) {
      absl::StrAppend(&text, "crc32: ", crc32, "\n");
    }
    return print_(text);
  }

  size_t elided() const { return elided_; }

 private:
  bool json() const { return options_.format == PrintFormat::kJson; }

  static absl::StatusOr<std::string> TextOf(const Message& record) {
    google::protobuf::TextFormat::Printer printer;
    printer.SetInitialIndentLevel(1);
    std::string text;
    if (!printer.PrintToString(record, &text)) {
      return absl::InternalError("a record does not print as text");
    }
    return absl::StrCat("record {\n", text, "}\n");
  }

  absl::StatusOr<std::string> JsonOf(const Message& record, const std::vector<std::string>& markers) const {
    google::protobuf::util::JsonPrintOptions json_options;
    json_options.add_whitespace = true;
    json_options.always_print_primitive_fields = true;
    json_options.preserve_proto_field_names = true;
    std::string text;
    const auto status = google::protobuf::util::MessageToJsonString(record, &text, json_options);
    if (!status.ok()) {
      return absl::InternalError(absl::StrCat("a record does not print as JSON: ", status.ToString()));
    }
    for (const std::string& marker : markers) {  // the base64 of a marker would look like data
      text = absl::StrReplaceAll(text, {{absl::Base64Escape(marker), marker}});
    }
    return absl::StrCat(crc32_.empty() ? "" : ",\n", absl::StripSuffix(text, "\n"), "\n");
  }

  const PrintOptions& options_;
  const TextSink& print_;
  std::vector<uint32_t> crc32_;
  size_t elided_ = 0;
};

// Prints all undamaged records: header first, trailer last.
absl::Status PrintRecords(RecordReader& reader, const Descriptor& type, Printer& printer) {
  std::unique_ptr<Message> record = NewMessage(type);
  // The reader has parsed the bytes of header and trailer as AnyRecord; the record's own type may still reject them.
  const auto parse_payload = [&] {
    return record->ParseFromString(std::string(reader.payload()))
               ? absl::OkStatus()
               : absl::DataLossError("a header's or trailer's bytes do not parse");
  };
  RETURN_IF_ERROR(parse_payload());
  for (bool more = true; more;) {
    RETURN_IF_ERROR(CheckNotStopped());
    RETURN_IF_ERROR(printer.Print(*record, Crc32(reader.payload())));
    record = NewMessage(type);
    ASSIGN_OR_RETURN(more, reader.Next(*record));
  }
  RETURN_IF_ERROR(parse_payload());
  return printer.Print(*record, Crc32(reader.payload()));
}

}  // namespace

absl::Status PrintRecord(const std::string& path, const PrintOptions& options, const TextSink& print, std::ostream& log,
                         const std::vector<RunOutput>& outputs) {
  RETURN_IF_ERROR(DeclareRunFiles({{path}, outputs}));
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader, RecordReader::OpenInput(path, ""));
  const Descriptor* type = RecordTypeOf(reader->header().schema());
  if (type == nullptr) {
    return absl::InternalError(absl::StrCat(path, ": schema ", reader->header().schema(), " is known but not linked"));
  }
  Printer printer(options, print);
  RETURN_IF_ERROR(printer.Begin());
  absl::Status status = PrintRecords(*reader, *type, printer);
  if (const absl::Status end = printer.End(); status.ok()) {
    status = end;
  }
  if (printer.elided() > 0 && !IsQuiet()) {
    log << "report: " << ReadableLine(path) << ": " << printer.elided() << " bytes fields above " << kLongBytes
        << " bytes are shown by size and SHA-256; --print_bytes shows them whole\n";
  }
  return status;
}

}  // namespace lockstep
