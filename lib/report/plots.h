// The report's plots as data: what is drawn against what. gnuplot.h draws them.
#ifndef LOCKSTEP_LIB_REPORT_PLOTS_H_
#define LOCKSTEP_LIB_REPORT_PLOTS_H_

#include <cstddef>
#include <string>
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
// "ladder_rate" (images/s), "ladder_share" (FLOP/s in per cent of the matmul ceiling, where that was timed) and
// "ladder_memory" (peak memory, beside what was predicted of it) against the batch size, a series per sweep of more than
// one completed batch. Marked: where each ladder ended and why, and the exact largest batch that fits, where it was
// looked for. Empty: no such sweep.
std::vector<proto::Plot> LadderPlots(const LabRecords& lab);

// "all_reduce": bus bandwidth over the size of the message, a plot per fit: as measured, as the accepted fit has it, and
// the most that either the nominal link or the fit's last piece allows; beside them what scale_run's probe of the gradient
// took on as many devices. Empty: no fit with two measured sizes.
std::vector<proto::Plot> AllReducePlots(const LabRecords& lab);

// "loss" and "accuracy" per epoch, a line per batch of a sweep or per point of a scale record; of more than ten the
// first ten. A plot per record and way to train with more than one epoch.
std::vector<proto::Plot> TrainingPlots(const LabRecords& lab);

// "large_batch": test accuracy of each row (of records without it the lab's epoch's), from the worst seed to the best.
std::vector<proto::Plot> LargeBatchPlots(const LabRecords& lab);

// "histogram": per network the input, each layer's weights, and what it writes before and after ReLU; marked is where
// int8 ends, and 3-sigma. Networks whose plots would make more than kMaxHistograms are named in `left_out` instead.
inline constexpr size_t kMaxHistograms = 150;
std::vector<proto::Plot> HistogramPlots(const LabRecords& lab, std::vector<std::string>& left_out);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PLOTS_H_
