// The stage of `report --prometheus=FILE`: the numbers of each point as gauges, for node exporter's textfile collector.
#ifndef LOCKSTEP_LIB_REPORT_PROMETHEUS_H_
#define LOCKSTEP_LIB_REPORT_PROMETHEUS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/report/lab_records.h"
#include "lib/report/prometheus_text.h"

namespace lockstep {

// All gauges of sweeps, scaling runs and comm_model's rows, in the units of their names. Labels say the record, the
// model, the device and how a point was trained; points whose labels would be the same have a label `number` from 2 on.
std::vector<Gauge> GaugesOf(const LabRecords& lab);

// Reads `inputs` and writes all gauges into one file, whole, after a comment that marks it. A file without the mark is
// replaced only if `force` is true. FailedPrecondition: there are none. Errors as ReadLabRecords' and WriteWholeFile's.
absl::Status RunPrometheus(const std::vector<std::string>& inputs, const std::string& output, bool force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PROMETHEUS_H_
