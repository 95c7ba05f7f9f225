// The stage of `report --prometheus=FILE`: the numbers of each point as gauges, for node exporter's textfile collector.
#ifndef LOCKSTEP_LIB_EXPORT_PROMETHEUS_H_
#define LOCKSTEP_LIB_EXPORT_PROMETHEUS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/export/prometheus_text.h"
#include "lib/lab_records/lab_records.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Returns all gauges of sweeps, scaling runs and comm_model's rows, in the units of their names. Labels give the
// record, the model, the device and the way the point was trained. If points would have equal labels, the second and
// later ones get a label `number`, from 2 on.
std::vector<Gauge> GaugesOf(const LabRecords& lab);

// Reads `inputs` and writes all gauges into one file, atomically, after a comment that marks the file as report's. A
// file without this comment is replaced only with kYes. Returns FailedPreconditionError if no record has points, and
// the errors of ReadLabRecords and WriteWholeFile.
absl::Status RunPrometheus(const std::vector<std::string>& inputs, const std::string& output, Force force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_EXPORT_PROMETHEUS_H_
