#include "lib/export/prometheus_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/base/readable_line.h"
#include "lib/export/number_text.h"

namespace lockstep {
namespace {

std::string LabelsText(const GaugeLabels& labels) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : labels) {
    if (!value.empty()) {
      parts.push_back(absl::StrCat(
          name, "=\"", absl::StrReplaceAll(ToUtf8(value), {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}}), "\""));
    }
  }
  return parts.empty() ? "" : absl::StrCat("{", absl::StrJoin(parts, ","), "}");
}

}  // namespace

std::string PrometheusText(const std::vector<Gauge>& gauges) {
  std::string text;
  for (const Gauge& gauge : gauges) {
    if (gauge.samples.empty()) {
      continue;
    }
    absl::StrAppend(&text, "# HELP ", gauge.name, " ", absl::StrReplaceAll(gauge.help, {{"\\", "\\\\"}, {"\n", "\\n"}}),
                    "\n# TYPE ", gauge.name, " gauge\n");
    for (const auto& [labels, value] : gauge.samples) {
      absl::StrAppend(&text, gauge.name, LabelsText(labels), " ", NumberText(value), "\n");
    }
  }
  return text;
}

}  // namespace lockstep
