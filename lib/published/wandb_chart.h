// Epochs that somebody else measured, from a chart of Weights & Biases as its web page exports it to CSV: a column of
// steps or of times, and for each run the columns "RUN - METRIC", "RUN - METRIC__MIN" and "RUN - METRIC__MAX".
//
//   "Step","SGD_batch_size_128_2gpus - epoch_seconds","SGD_batch_size_128_2gpus - epoch_seconds__MIN",...
//   "0","12.7","12.7",...
//   "1","11.9","11.9",...
//
// `report --wandb_csv` writes the same form.
#ifndef LOCKSTEP_LIB_PUBLISHED_WANDB_CHART_H_
#define LOCKSTEP_LIB_PUBLISHED_WANDB_CHART_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Returns true if the first line has a first column of W&B's charts ("Step", "Relative Time (Wall)", ...) and a column
// "RUN - METRIC".
bool LooksLikeWandbChart(absl::string_view text);

// Returns one table per metric, whose numbers are published, with the digits of the file.
// - Metrics that are read, by the last part of their names: epoch_seconds, epoch_time (epoch time), step_seconds (an
//   epoch without data loading), loss, accuracy (a fraction if all values of the file are at most 1, otherwise in
//   percent). `description` lists the other metrics.
// - Devices and batch are those in the run's name: "2gpus" or "2_ranks", "batch_size_128" or "batch_128". Without
//   devices the run is of one.
// - The last value of a run is its number (an accuracy is that of the last epoch); the n-th value before it is the line
//   of epoch n in its log. epochs_of_runs is set, so that the time of a run is the mean of its epochs after the first
//   one, which warms up (lib/prediction/scaling_times.h). If MIN and MAX of a value differ, the chart has averaged
//   several steps, which the value's note states.
//
// DataLoss, with path:line: no metric that is read, a time of a run without a batch in its name, a value that is not a
// number, a time outside of its MIN and MAX (chart_range.h), or an error of published_check.h. `path` is used for
// `source` and in messages only. `first_line` is the number of the first line of `text` in the file.
absl::StatusOr<proto::PublishedTables> ParseWandbChart(absl::string_view text, const std::string& path, int first_line);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_WANDB_CHART_H_
