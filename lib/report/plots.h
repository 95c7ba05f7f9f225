// The report's plots as data: which values are drawn against which. svg_plot.h draws them.
#ifndef LOCKSTEP_LIB_REPORT_PLOTS_H_
#define LOCKSTEP_LIB_REPORT_PLOTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// EpochTimePlots, SpeedupPlots, SplitPlots and LargeBatchPlots return several plots of one kind. The plot of the record
// that answers the question is the first and has the kind as its id, whatever the order of the files.

// Returns "epoch_time" plots: epoch seconds against batch size, with and without loading, one pair of series for each
// sweep with more than one completed batch. Error bars are one sample standard deviation if there is more than one
// repeat. Empty if no sweep qualifies.
std::vector<proto::Plot> EpochTimePlots(const LabRecords& lab);

// Returns "speedup" plots: the efficiency E_1(B) / E_N(B) / N in per cent against N for each batch, and the ideal line.
// Speed-ups themselves would be lines that coincide. Empty if no comm_model row has more than one device.
std::vector<proto::Plot> SpeedupPlots(const LabRecords& lab);

// Returns "split" plots: the lab's computing and communicating time for each (N, B). Communicating time has two parts:
// the time that was exposed by events, and the rest. Bars of 100 % if no part is below 0 by more than 5 % of its bar,
// otherwise bars side by side.
std::vector<proto::Plot> SplitPlots(const LabRecords& lab);

// Returns plots against the batch size for each network and device, one series for each sweep with more than one
// completed batch. Empty if no sweep qualifies.
// - "batch_sweep_time": seconds per epoch; only for several sweeps, because EpochTimePlots draws a single one.
// - "batch_sweep_rate": images/s.
// - "batch_sweep_share": FLOP/s in per cent of the matmul ceiling, if the ceiling was timed.
// - "batch_sweep_memory": measured and predicted peak memory.
// Marks show where and why each sweep ended, and the exact largest batch that fits, if a search was made.
std::vector<proto::Plot> BatchSweepPlots(const LabRecords& lab);

// Returns "all_reduce" plots: bus bandwidth against message size, one plot for each fit. Each shows the measured
// values, the values of the fit, and the maximum that the nominal link or else the fit's last piece allows, together
// with scale_run's probe of the gradient on as many devices. Empty if no fit has two measured sizes.
std::vector<proto::Plot> AllReducePlots(const LabRecords& lab);

// Returns "loss" and "accuracy" plots against the epoch, one line for each batch of a sweep or point of a scale record,
// at most the first ten; more than four lines are in small plots. One pair of plots for each record and way to train
// with more than one epoch.
std::vector<proto::Plot> TrainingPlots(const LabRecords& lab);

// Returns "large_batch" plots: test accuracy of each row, sorted, from the worst seed to the best, with the base batch
// as base line. Records without test
// accuracy show the accuracy of the lab's epoch.
std::vector<proto::Plot> LargeBatchPlots(const LabRecords& lab);

// Returns "histogram" plots: for each network the input, each layer's weights, and each layer's output before and after
// ReLU, with marks at the ends of the int8 range and at 3-sigma. If a network would bring the plots above
// kMaxHistograms, `left_out` names it instead.
inline constexpr size_t kMaxHistograms = 150;
std::vector<proto::Plot> HistogramPlots(const LabRecords& lab, std::vector<std::string>& left_out);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PLOTS_H_
