// Exports a scale record as Extra-P's text.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/comm_model/export.h"
#include "lib/scaling/scale_parts.h"

namespace lockstep {
namespace {

// The grammar has no exponents. Nine decimals reach the clock's resolution, a nanosecond.
std::string DataLine(const proto::Samples& samples) {
  std::string line = "DATA";
  for (const double value : samples.value()) {
    absl::StrAppendFormat(&line, " %.9f", value);
  }
  return line + "\n";
}

bool IsMeasured(const proto::ScaleRecord& record) {
  const proto::ScalePoint& point = record.point();
  return record.has_point() && point.outcome() == proto::COMPLETED && IsTimedPoint(point) &&
         !point.epoch_seconds().value().empty() && !point.step_seconds().value().empty();
}

}  // namespace

absl::StatusOr<std::string> ExportExtraP(const ScaleRecords& scale) {
  // The grammar has only devices and batch: if there are several ways to train, only the first one's points are
  // exported.
  std::string points = "POINTS", epochs, steps;
  const std::vector<ScaleRecords> parts = SplitScaleRecords(scale).value_or(std::vector<ScaleRecords>{scale});
  for (const proto::ScaleRecord& record : parts.front().records) {
    if (IsMeasured(record)) {
      absl::StrAppend(&points, " (", record.point().ranks(), " ", record.point().batch_per_device(), ")");
      epochs += DataLine(record.point().epoch_seconds());
      steps += DataLine(record.point().step_seconds());
    }
  }
  if (epochs.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(scale.input.path(), ": --format=extra_p needs completed points, found none"));
  }
  return absl::StrCat("PARAMETER devices batch\n", points, "\nREGION epoch\nMETRIC epoch_seconds\n", epochs,
                      "REGION epoch\nMETRIC step_seconds\n", steps);
}

}  // namespace lockstep
