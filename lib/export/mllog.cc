#include "lib/export/mllog.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/json_string.h"
#include "lib/base/log_line.h"
#include "lib/base/status_macros.h"
#include "lib/export/number_text.h"
#include "lib/export/point_files.h"
#include "lib/networks/optimizers.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

// First line of a file. MLPerf's parser skips lines that do not begin with :::MLLOG.
constexpr char kMllogMark[] = "# made by Lockstep: report, mllog";

// Returns a JSON number; null for a number that JSON cannot represent.
std::string JsonNumber(double value) { return std::isfinite(value) ? NumberText(value) : "null"; }

class MllogWriter {
 public:
  explicit MllogWriter(const TrainedPoint& point)
      : place_(absl::StrCat("\"file\": ", JsonString(point.record), ", \"lineno\": ", point.number)),
        now_seconds_(point.begin_seconds) {}

  void Start(absl::string_view key, absl::string_view metadata = "") { Add("INTERVAL_START", key, "null", metadata); }
  void End(absl::string_view key, absl::string_view metadata = "") { Add("INTERVAL_END", key, "null", metadata); }
  void Event(absl::string_view key, absl::string_view json_value, absl::string_view metadata = "") {
    Add("POINT_IN_TIME", key, json_value, metadata);
  }
  void Pass(double seconds) { now_seconds_ += seconds; }
  std::string Take() { return std::move(text_); }

 private:
  void Add(absl::string_view type, absl::string_view key, absl::string_view json_value, absl::string_view metadata) {
    absl::StrAppend(&text_, ":::MLLOG {\"namespace\": \"\", \"time_ms\": ", std::llround(now_seconds_ * 1e3),
                    ", \"event_type\": \"", type, "\", \"key\": \"", key, "\", \"value\": ", json_value,
                    ", \"metadata\": {", place_, metadata.empty() ? "" : ", ", metadata, "}}\n");
  }

  const std::string place_;
  double now_seconds_;
  std::string text_ = absl::StrCat(kMllogMark, "\n");
};

void AddSettings(const TrainedPoint& point, MllogWriter& log) {
  const proto::TrainingSpec& training = *point.training;
  log.Event("submission_benchmark", JsonString(training.model()));
  log.Event("seed", absl::StrCat(training.seed()));
  log.Event("global_batch_size", absl::StrCat(point.global_batch));
  log.Event("gradient_accumulation_steps", absl::StrCat(training.accumulate() > 0 ? training.accumulate() : 1));
  log.Event("train_samples", absl::StrCat(point.images_per_epoch));
  log.Event("eval_samples", absl::StrCat(point.test_images));
  log.Event("opt_name", JsonString(training.lars() > 0 ? "lars" : OptimizerWord(training.optimizer())));
  log.Event("opt_base_learning_rate", JsonNumber(training.learning_rate()));
  log.Event("opt_weight_decay", JsonNumber(training.weight_decay()));
  log.Event("opt_learning_rate_warmup_epochs", absl::StrCat(training.lr_warmup_epochs()));
  if (training.clip_norm() > 0) {
    log.Event("opt_gradient_clip_norm", JsonNumber(training.clip_norm()));
  }
}

void AddEpoch(const proto::EpochResult& epoch, MllogWriter& log) {
  const std::string number = absl::StrCat("\"epoch_num\": ", epoch.epoch() + 1);
  log.Start("epoch_start", number);
  log.Pass(epoch.train_seconds());
  log.Event("train_loss", JsonNumber(epoch.mean_loss()), number);
  log.End("epoch_stop", number);
  if (epoch.has_test_accuracy()) {
    log.Start("eval_start", number);
    log.Pass(epoch.evaluate_seconds());
    log.Event("eval_accuracy", JsonNumber(epoch.test_accuracy()), number);
    log.End("eval_stop", number);
  }
}

}  // namespace

std::string MllogText(const TrainedPoint& point) {
  MllogWriter log(point);
  AddSettings(point, log);
  log.Start("run_start");
  for (const proto::EpochResult& epoch : *point.epochs) {
    AddEpoch(epoch, log);
  }
  log.End("run_stop", absl::StrCat("\"status\": ", point.completed ? "\"success\"" : "\"aborted\""));
  return log.Take();
}

absl::Status RunMllog(const std::vector<std::string>& inputs, const std::string& folder, Force force) {
  RETURN_IF_ERROR(DeclareRunFiles({inputs, {}}));
  ASSIGN_OR_RETURN(const LabRecords lab, ReadLabRecords(inputs));
  PointFolder logs = {"--mllog", folder, kMllogMark, inputs, {}};
  for (const TrainedPoint& point : TrainedPointsOf(lab)) {
    logs.files.push_back({absl::StrCat(point.name, ".txt"), MllogText(point)});
  }
  RETURN_IF_ERROR(WritePointFiles(logs, force));
  LogLine(absl::StrCat("report: wrote the MLLOG lines of ", logs.files.size(), " points into ", folder));
  return absl::OkStatus();
}

}  // namespace lockstep
