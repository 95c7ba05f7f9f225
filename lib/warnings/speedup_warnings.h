// Warnings about speed-ups: times of different runs, and speed-ups above the number of ranks.
#ifndef LOCKSTEP_LIB_WARNINGS_SPEEDUP_WARNINGS_H_
#define LOCKSTEP_LIB_WARNINGS_SPEEDUP_WARNINGS_H_

#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/warnings/experiment_warnings.h"

namespace lockstep {

// Adds, for each comm_model record, at most two warnings:
// - rows whose base case was measured in another run than the row, with the speed-ups above N that this explains;
// - other speed-ups that are significantly above the number of ranks, one warning per probable cause.
void WarnOfSpeedups(const LabRecords& lab, std::vector<Warning>& warnings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WARNINGS_SPEEDUP_WARNINGS_H_
