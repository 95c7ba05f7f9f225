// The report's plots as data: what is drawn against what. gnuplot.h draws them.
#ifndef LOCKSTEP_LIB_REPORT_PLOTS_H_
#define LOCKSTEP_LIB_REPORT_PLOTS_H_

#include <vector>

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// "epoch_time": epoch seconds against batch size, with and without loading, one pair of series per sweep of more than
// one completed batch; error bars of one sample standard deviation where there is more than one repeat. Empty: no such
// sweep.
std::vector<proto::Plot> EpochTimePlots(const LabRecords& lab);

// "speedup": E_1(B) / E_N(B) against N per batch, and the ideal line. Empty: no comm_model row of more than one device.
std::vector<proto::Plot> SpeedupPlots(const LabRecords& lab);

// "split": the lab's computing and communicating per (N, B), the latter cut into what was exposed by events and the
// rest. Bars are stacked when no part is negative, and stand side by side otherwise.
std::vector<proto::Plot> SplitPlots(const LabRecords& lab);

// For each network and device: "ladder_time" (seconds per epoch, of several sweeps; one alone has EpochTimePlots),
// "ladder_rate" (images/s) and "ladder_memory" (peak memory, beside what was predicted of it) against the batch size, a series per
// sweep of more than one completed batch. Marked: where each ladder ended and why, and the exact largest batch that fits, where it was
// looked for. Empty: no such sweep.
std::vector<proto::Plot> LadderPlots(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PLOTS_H_
