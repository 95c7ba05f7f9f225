// Units of scale_run's experiments: the sampler (Q5), what is sent (Q6 and Q7), large batches (Q4).
#ifndef LOCKSTEP_LIB_LAB_LAB_EXPERIMENTS_H_
#define LOCKSTEP_LIB_LAB_LAB_EXPERIMENTS_H_

#include <vector>

#include "lib/lab/lab_request.h"
#include "lib/lab/lab_unit.h"

namespace lockstep {

// Returns the units in the order in which they are measured: the shortest one first.
std::vector<LabUnit> ExperimentUnits(const LabRequest& request, const LabFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_LAB_EXPERIMENTS_H_
