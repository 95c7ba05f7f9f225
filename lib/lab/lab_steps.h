// The lab's steps: the preparation, the units that can be measured, and the report.
#ifndef LOCKSTEP_LIB_LAB_LAB_STEPS_H_
#define LOCKSTEP_LIB_LAB_LAB_STEPS_H_

#include <string>
#include <vector>

#include "lib/lab/lab_request.h"
#include "lib/lab/lab_unit.h"

namespace lockstep {

// Returns the steps that must precede the plan: the data set, unless --input is its record, and, on a CPU, a few images
// with a short run on them that measures the machine's speed. The experiment what_is_sent uses these images, too.
std::vector<LabStep> PreparationSteps(const LabRequest& request, const LabFacts& facts);

// Returns the path of the record of the short run.
std::string ProbeRecord(const LabRequest& request);

// Returns all units that this machine can measure, in the order in which they are measured and preferred, and those
// that the data set excludes (LabUnit::excluded). `batches` must be the batches that fit the data set on all ranks.
std::vector<LabUnit> LabUnits(const LabRequest& request, const LabFacts& facts, const std::vector<uint32_t>& batches);

// Returns the report on these records.
LabStep ReportStep(const LabRequest& request, const std::vector<std::string>& records);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_LAB_STEPS_H_
