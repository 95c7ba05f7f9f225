#include "lib/export/wandb_csv.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/log_line.h"
#include "lib/base/status_macros.h"
#include "lib/export/number_text.h"
#include "lib/record/output_file.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

constexpr char kWandbMark[] = "made by Lockstep: report, wandb_csv";

constexpr absl::string_view kEpochSeconds = "epoch_seconds";
// Time of an epoch of a point that was measured for a subtraction (TrainedPoint.is_timed). `comm_model --times` does
// not read this metric, so that it cannot take the time for that of a training.
constexpr absl::string_view kOtherEpochSeconds = "epoch_seconds_for_comparison";

struct Metric {
  absl::string_view name;
  std::optional<double> (*value)(const proto::EpochResult& epoch);
};

const std::vector<Metric>& Metrics() {
  using Epoch = proto::EpochResult;
  static const auto* metrics = new std::vector<Metric>({
      {"train/loss", [](const Epoch& epoch) { return std::optional(epoch.mean_loss()); }},
      {"train/accuracy", [](const Epoch& epoch) { return std::optional(epoch.train_accuracy()); }},
      {"test/accuracy",
       [](const Epoch& epoch) {
         return epoch.has_test_accuracy() ? std::optional(epoch.test_accuracy()) : std::nullopt;
       }},
      {"test/mirrored_accuracy",
       [](const Epoch& epoch) {
         return epoch.has_mirrored_test_accuracy() ? std::optional(epoch.mirrored_test_accuracy()) : std::nullopt;
       }},
      {"validation/accuracy",
       [](const Epoch& epoch) {
         return epoch.has_validation_accuracy() ? std::optional(epoch.validation_accuracy()) : std::nullopt;
       }},
      {"learning_rate", [](const Epoch& epoch) { return std::optional(epoch.learning_rate()); }},
      {kEpochSeconds, [](const Epoch& epoch) { return std::optional(epoch.train_seconds()); }},
  });
  return *metrics;
}

// One column: its heading, and its cells by step.
struct Column {
  std::string heading;
  std::map<uint32_t, double> cells;
};

std::vector<Column> ColumnsOf(const std::vector<TrainedPoint>& points) {
  std::vector<Column> columns;
  for (const TrainedPoint& point : points) {
    for (const Metric& metric : Metrics()) {
      const bool other_time = !point.is_timed && metric.name == kEpochSeconds;
      Column column = {absl::StrCat(point.name, " - ", other_time ? kOtherEpochSeconds : metric.name), {}};
      for (const proto::EpochResult& epoch : *point.epochs) {
        if (const std::optional<double> value = metric.value(epoch)) {
          column.cells[epoch.epoch() + 1] = *value;
        }
      }
      if (!column.cells.empty()) {
        columns.push_back(std::move(column));
      }
    }
  }
  return columns;
}

// Returns the images of an epoch, without padding; 0 if the points differ by more than padding, which fills the last
// images of less than a global batch.
uint64_t ImagesPerEpoch(const std::vector<TrainedPoint>& points) {
  uint64_t images = std::numeric_limits<uint64_t>::max();
  for (const TrainedPoint& point : points) {
    images = std::min(images, point.images_per_epoch);
  }
  const bool is_one = std::all_of(points.begin(), points.end(), [&](const TrainedPoint& point) {
    return point.images_per_epoch - images <= point.global_batch;
  });
  return is_one && !points.empty() ? images : 0;
}

// Returns the cores of the CPU on which the ranks of all runs train; 0 if there is no such CPU.
uint32_t SharedCpuCores(const std::vector<TrainedPoint>& points) {
  const uint32_t cores = points.empty() ? 0 : points.front().shared_cpu_cores;
  const bool all = std::all_of(points.begin(), points.end(),
                               [&](const TrainedPoint& point) { return point.shared_cpu_cores == cores; });
  return all ? cores : 0;
}

}  // namespace

std::string WandbCsv(const std::vector<TrainedPoint>& points) {
  const std::vector<Column> columns = ColumnsOf(points);
  const uint64_t images = ImagesPerEpoch(points);
  std::string text = images > 0 ? absl::StrCat("# images_per_epoch = ", images, "\n") : "";
  if (const uint32_t cores = SharedCpuCores(points); cores > 0) {
    absl::StrAppend(&text, "# shared_cpu_cores = ", cores, "\n");
  }
  absl::StrAppend(&text, "\"Step\",\"", kWandbMark, "\"");
  std::set<uint32_t> steps;
  for (const Column& column : columns) {
    absl::StrAppend(&text, ",\"", column.heading, "\"");  // letters, digits and ._-/ only
    for (const auto& [step, value] : column.cells) {
      steps.insert(step);
    }
  }
  text += "\n";
  for (const uint32_t step : steps) {
    absl::StrAppend(&text, step, ",");
    for (const Column& column : columns) {
      const auto cell = column.cells.find(step);
      absl::StrAppend(&text, ",", cell == column.cells.end() ? "" : NumberText(cell->second));
    }
    text += "\n";
  }
  return text;
}

absl::Status RunWandbCsv(const std::vector<std::string>& inputs, const std::string& output, Force force) {
  RETURN_IF_ERROR(DeclareRunFiles({inputs, {{"--wandb_csv", output, ""}}}));
  ASSIGN_OR_RETURN(const LabRecords lab, ReadLabRecords(inputs));
  const std::vector<TrainedPoint> points = TrainedPointsOf(lab);
  if (points.empty()) {
    return absl::FailedPreconditionError(
        "--wandb_csv: no record of --input has epochs; give a record of train_sweep or scale_run");
  }
  RETURN_IF_ERROR(WriteWholeFile(output, WandbCsv(points), ReplaceIfForced(force, ReplaceMarked(kWandbMark))));
  LogLine(absl::StrCat(
      "report: wrote the epochs of ", points.size(), " points to ", output,
      ImagesPerEpoch(points) > 0 ? "" : "; their epochs have different numbers of images, so the file states none"));
  return absl::OkStatus();
}

}  // namespace lockstep
