#include "lib/comm_model/output_format.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "lib/base/flag_values.h"
#include "lib/comm_model/export.h"
#include "lib/comm_model/summary.h"

namespace lockstep {
namespace {

constexpr std::pair<const char*, OutputFormat> kNames[] = {
    {"record", OutputFormat::kRecord}, {"text", OutputFormat::kText},      {"csv", OutputFormat::kCsv},
    {"json", OutputFormat::kJson},     {"extra_p", OutputFormat::kExtraP}, {"nccl_tuner", OutputFormat::kNcclTuner}};

absl::StatusOr<std::string> Json(const std::vector<proto::CommModelRecord>& records) {
  proto::CommModelFile file;
  for (const proto::CommModelRecord& record : records) {
    *file.add_record() = record;
  }
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  if (const auto status = google::protobuf::util::MessageToJsonString(file, &text, options); !status.ok()) {
    return absl::InternalError(absl::StrCat("JSON: ", status.ToString()));
  }
  return text;
}

}  // namespace

absl::StatusOr<OutputFormat> ParseOutputFormat(absl::string_view name) {
  std::vector<std::string> names;
  for (const auto& [text, format] : kNames) {
    if (name == text) {
      return format;
    }
    names.emplace_back(text);
  }
  return CheckFlagWord("format", std::string(name), names);
}

absl::StatusOr<std::string> FormatRun(OutputFormat format, const CommModelRun& run) {
  switch (format) {
    case OutputFormat::kText:
      return SummaryText(run.records);
    case OutputFormat::kCsv:
      return ExportCsv(run.records);
    case OutputFormat::kJson:
      return Json(run.records);
    case OutputFormat::kExtraP:
      if (!run.scale.has_value()) {
        return absl::InvalidArgumentError("--format=extra_p shows a scale record's times; give --input=scale.rec");
      }
      return ExportExtraP(*run.scale);
    case OutputFormat::kNcclTuner:
      return ExportNcclTuner(run.records);
    case OutputFormat::kRecord:
      break;
  }
  return std::string();
}

}  // namespace lockstep
