// The stage of `report --wandb_csv=FILE`: the epochs of all trained points as one CSV file in the form in which W&B
// (Weights & Biases) exports a chart: a column "Step", and a column "RUN - METRIC" for each run. lib/published reads
// the same form.
#ifndef LOCKSTEP_LIB_EXPORT_WANDB_CSV_H_
#define LOCKSTEP_LIB_EXPORT_WANDB_CSV_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/export/trained_points.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Returns the line `# images_per_epoch = N`, which `comm_model --times` needs, and the columns. The line is left out if
// the epochs of the points have different numbers of images, apart from padding. The line `# shared_cpu_cores = N`
// states that all points were trained by ranks of one CPU, which `comm_model --times` must not take for devices. The
// columns have a row per epoch, from Step 1, and per point the columns train/loss, train/accuracy, learning_rate,
// epoch_seconds (epoch_seconds_for_comparison, if the point is no run of the training: TrainedPoint.is_timed), and
// test/accuracy and validation/accuracy if some epoch has them. A cell is empty if the point has no such epoch or
// number. The second column is empty; its heading marks the file as report's.
std::string WandbCsv(const std::vector<TrainedPoint>& points);

// Reads `inputs` and writes the file. A file of other origin is replaced only with kYes. Returns
// FailedPreconditionError if nothing was trained, and the errors of ReadLabRecords and WriteWholeFile.
absl::Status RunWandbCsv(const std::vector<std::string>& inputs, const std::string& output, Force force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_EXPORT_WANDB_CSV_H_
