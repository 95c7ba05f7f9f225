#include "lib/export/prometheus_text.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/base/readable_line.h"

namespace lockstep {
namespace {

// Returns the shortest decimal text that reads back as exactly this number.
std::string NumberText(double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  }
  std::string text;
  for (const int digits : {15, 16, 17}) {
    double read = 0;
    text = absl::StrFormat("%.*g", digits, value);
    if (absl::SimpleAtod(text, &read) && read == value) {
      break;
    }
  }
  return text;
}

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
