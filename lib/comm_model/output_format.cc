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

// Returns lines that tell a reader of the terminal what a page warns of: a noisy machine, ranks that share one CPU, and
// virtual hosts; empty if the record has none of them.
std::string WarningsText(const ScaleRecords& scale) {
  size_t timed = 0, noisy = 0;
  std::string first, text;
  bool shares_cpu = false, has_virtual_hosts = false;
  for (const proto::ScaleRecord& record : scale.records) {
    const proto::ScaleSpec& spec = record.spec();
    shares_cpu = shares_cpu || (record.has_spec() && spec.training().device() == proto::CPU);
    has_virtual_hosts = has_virtual_hosts || !spec.virtual_host().empty();
    if (record.has_point()) {
      ++timed;
      if (const proto::ScalePoint& point = record.point(); !point.noise_warning().empty()) {
        first = noisy++ > 0
                    ? first
                    : absl::StrCat(point.ranks(), " x ", point.batch_per_device(), ": ", point.noise_warning(0));
      }
    }
  }
  if (noisy > 0) {
    absl::StrAppend(&text, "warning: ", noisy, " of ", timed, " points were measured on a noisy machine; first, ",
                    first, "\n");
  }
  if (shares_cpu) {
    absl::StrAppend(&text,
                    "warning: the ranks share the CPU of their machine: these speed-ups do not predict N devices\n");
  }
  if (has_virtual_hosts) {
    absl::StrAppend(&text, "warning: measured on virtual hosts: these times are not times of a network\n");
  }
  return text.empty() ? text : absl::StrCat("\n", text);
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
      return absl::StrCat(SummaryText(run.records), run.scale.has_value() ? WarningsText(*run.scale) : "");
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
