// Whether the records of a lab can be compared: measured on one machine, and under the same conditions.
#ifndef LOCKSTEP_LIB_REPORT_MACHINE_WARNINGS_H_
#define LOCKSTEP_LIB_REPORT_MACHINE_WARNINGS_H_

#include <vector>

#include "lib/report/experiment_warnings.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// Warns of sweeps and scaling runs of several machines or devices, which are not to be compared with each other. GPUs are
// compared by UUID (lib/scaling/base_cases.h).
void WarnOfMachines(const LabRecords& lab, std::vector<Warning>& warnings);

// Warns of speed-ups in a comm_model record, made from a scale record and a sweep among the inputs, whose base cases are that
// sweep's although the two are known to be of two machines, as an older comm_model took them.
void WarnOfBaseCases(const LabRecords& lab, std::vector<Warning>& warnings);

// Warns of a sweep and a scaling run with equal settings of which the one's epochs with data loading are faster than the
// other's without it, on one device at one batch. Once for each pair.
void WarnOfLoading(const LabRecords& lab, std::vector<Warning>& warnings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_MACHINE_WARNINGS_H_
