// Details of a sweep: single steps and their parts, and the state of the device during the epochs. Only data that the
// record holds is shown.
#ifndef LOCKSTEP_LIB_REPORT_SWEEP_DETAIL_H_
#define LOCKSTEP_LIB_REPORT_SWEEP_DETAIL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns "resnet18 on NVIDIA H200, bf16, fused step (sweep.rec)".
std::string DescribeSweep(const LabSweep& sweep);

// Returns "WHAT: resnet18 on NVIDIA H200 (sweep.rec)".
std::string SweepTitle(absl::string_view what, const LabSweep& sweep);

// Returns the floating-point operations of training on one image: 2 per multiply-accumulate, in 3 passes over
// forward_macs_per_image (forward, and in backward one with respect to the inputs and one to the weights).
double TrainingFlopPerImage(const proto::ModelFacts& model);

// Remark on a share of the ceiling that is above 1.
inline constexpr char kAboveCeiling[] =
    "above 100 %: a convolution can multiply less than the formula counts (Winograd), or one of the two was held back";

// Returns 0 if the ceiling was not timed.
double CeilingFlopPerSecond(const proto::MatmulCeiling& ceiling);

// Adds percentiles over full steps, and the parts of a step with the overhead of their timestamps.
void AddStepTables(const LabSweep& sweep, proto::Section& section);

// Adds the rate compared with the measured matmul ceiling; clocks, power and throttling during the timed epochs and at
// their end.
void AddDeviceTables(const LabSweep& sweep, proto::Section& section);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SWEEP_DETAIL_H_
