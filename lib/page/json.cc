#include "lib/page/json.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "lib/record/readable_text.h"

namespace lockstep {

absl::StatusOr<std::string> RenderJson(const proto::Header& header, const std::vector<proto::Section>& sections) {
  proto::ReportFile file;
  *file.add_record()->mutable_header() = header;
  for (const proto::Section& section : sections) {
    *file.add_record()->mutable_section() = section;
  }
  MakeTextReadable(file);
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto status = google::protobuf::util::MessageToJsonString(file, &text, options);
  return status.ok() ? absl::StatusOr<std::string>(std::move(text))
                     : absl::InternalError(absl::StrCat("a report does not print as JSON: ", status.ToString()));
}

}  // namespace lockstep
