// The stage of `report --mllog=FOLDER`: each trained point as a log of MLPerf's format, one file per point. Source of
// format and keys: mlcommons/logging, mlperf_logging/mllog/mllog.py and constants.py. Each line is
//
//     :::MLLOG {"namespace": "", "time_ms": 1700000000000, "event_type": "INTERVAL_START", "key": "epoch_start",
//               "value": null, "metadata": {"file": "sweep.rec", "lineno": 1, "epoch_num": 1}}
#ifndef LOCKSTEP_LIB_EXPORT_MLLOG_H_
#define LOCKSTEP_LIB_EXPORT_MLLOG_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/export/trained_points.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Returns the log of a point: the settings (seed, global_batch_size, train_samples, ...), then run_start, the epochs
// from 1 with eval_accuracy where the test set was evaluated, and run_stop. Metadata "file" and "lineno" name the
// record and the position of the point in it, from 1.
//
// A record holds the start of its run and the length of each epoch. Times are the start plus the lengths so far, so
// that intervals are exact, and pauses between epochs and the points before this one are left out.
std::string MllogText(const TrainedPoint& point);

// Reads `inputs` and writes FOLDER/POINT.txt for each trained point. A file of other origin is replaced only with kYes.
// Returns the errors of ReadLabRecords and WritePointFiles.
absl::Status RunMllog(const std::vector<std::string>& inputs, const std::string& folder, Force force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_EXPORT_MLLOG_H_
