// What batch size does to speed and memory: plots over the ladders of one or several sweeps of a network, side by side.
#ifndef LOCKSTEP_LIB_REPORT_LADDER_PLOTS_H_
#define LOCKSTEP_LIB_REPORT_LADDER_PLOTS_H_

#include <vector>

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// For each network and device: "ladder_time" (seconds per epoch, of several sweeps; one alone has EpochTimePlots),
// "ladder_rate" (images/s) and "ladder_memory" (peak memory, beside what was predicted of it) against the batch size, a series per
// sweep of more than one completed batch. Marked: where each ladder ended and why, and the exact largest batch that fits, where it was
// looked for. Empty: no such sweep.
std::vector<proto::Plot> LadderPlots(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_LADDER_PLOTS_H_
