// Warnings about records that cannot be compared: measured on different machines, or under different conditions.
#ifndef LOCKSTEP_LIB_WARNINGS_MACHINE_WARNINGS_H_
#define LOCKSTEP_LIB_WARNINGS_MACHINE_WARNINGS_H_

#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/warnings/experiment_warnings.h"

namespace lockstep {

// Warns if sweeps and scaling runs are from several machines or devices: they must not be compared with each other.
// GPUs are compared by UUID (lib/scaling/base_cases.h).
void WarnOfMachines(const LabRecords& lab, std::vector<Warning>& warnings);

// Warns about a comm_model record made from a scale record and a sweep that are known to be from two machines, if its
// speed-ups use base cases of that sweep. Older versions of comm_model took such base cases.
void WarnOfBaseCases(const LabRecords& lab, std::vector<Warning>& warnings);

// Warns if a sweep and a scaling run have equal settings, and, on one device at one batch, the epochs with data loading
// of one are faster than the epochs without it of the other. One warning for each pair.
void WarnOfLoading(const LabRecords& lab, std::vector<Warning>& warnings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WARNINGS_MACHINE_WARNINGS_H_
