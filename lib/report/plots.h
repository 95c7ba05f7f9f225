// The report's plots as data: what is drawn against what. gnuplot.h draws them.
#ifndef LOCKSTEP_LIB_REPORT_PLOTS_H_
#define LOCKSTEP_LIB_REPORT_PLOTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// The id of the plot with `index` others of its kind before it: "split", "split_2", "split_3".
std::string PlotId(absl::string_view kind, size_t index);

// "epoch_time": epoch seconds against batch size, with and without loading, one pair of series per sweep of more than
// one completed batch; error bars of one sample standard deviation where there is more than one repeat. Empty: no such
// sweep.
std::vector<proto::Plot> EpochTimePlots(const LabRecords& lab);

// "speedup": E_1(B) / E_N(B) against N per batch, and the ideal line. Empty: no comm_model row of more than one device.
std::vector<proto::Plot> SpeedupPlots(const LabRecords& lab);

// "split": the lab's computing and communicating per (N, B), the latter cut into what was exposed by events and the
// rest. Bars are stacked when no part is negative, and stand side by side otherwise.
std::vector<proto::Plot> SplitPlots(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PLOTS_H_
