// Behind the epochs of a sweep: single steps and their parts, and how the device did meanwhile. Only what a record
// holds is shown.
#ifndef LOCKSTEP_LIB_REPORT_SWEEP_DETAIL_H_
#define LOCKSTEP_LIB_REPORT_SWEEP_DETAIL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// "resnet18 on NVIDIA H200, bf16, hand-written step (sweep.rec)".
std::string DescribeSweep(const LabSweep& sweep);

// "WHAT: resnet18 on NVIDIA H200 (sweep.rec)".
std::string SweepTitle(absl::string_view what, const LabSweep& sweep);

// Floating-point operations of training on one image: 2 per multiply-accumulate, and 3 passes (forward, and in backward
// one with respect to the inputs and one to the weights) over forward_macs_per_image.
double TrainingFlopPerImage(const proto::ModelFacts& model);

// What is said of a share of the ceiling that is above 1.
inline constexpr char kAboveCeiling[] =
    "above 100 %: a convolution can multiply less than the formula counts (Winograd), or one of the two was held back";

// 0: it was not timed.
double CeilingFlopPerSecond(const proto::MatmulCeiling& ceiling);

// Percentiles over full steps; the parts of a step, with what their marks cost.
void AddStepTables(const LabSweep& sweep, proto::Section& section);

// The rate beside the measured matmul ceiling; clocks, power and throttling during the timed epochs and at their end.
void AddDeviceTables(const LabSweep& sweep, proto::Section& section);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SWEEP_DETAIL_H_
