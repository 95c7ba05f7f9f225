// Warnings that a reader must know before relying on a number of the report.
#ifndef LOCKSTEP_LIB_WARNINGS_WARNINGS_H_
#define LOCKSTEP_LIB_WARNINGS_WARNINGS_H_

#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/warnings/experiment_warnings.h"

namespace lockstep {

// Returns one sentence for each of these; empty if there are none:
// - images that are not CIFAR-10's official ones (or unknown);
// - builds that are unoptimised or cannot be identified;
// - runs that ended early, single repeats, throttled devices;
// - failed sum checks, ranks that share a CPU, and virtual hosts;
// - experiments of one seed, or with counts that contradict the model or the sampler (experiment_warnings.h);
// - more records than fit on a page, records of several machines, records that were not made from each other;
// - times with data loading below the times without it;
// - times of one rank and of several from different runs, and speed-ups above the number of ranks;
// - bandwidths above the link.
std::vector<Warning> NamedWarnings(const LabRecords& lab);

// Returns the texts of NamedWarnings.
std::vector<std::string> Warnings(const LabRecords& lab);

// Returns the warnings of a page from those of NamedWarnings, the worst first (severity.h). Each point may have a
// disturbance of the machine; therefore the first of these is shown and the others are counted.
std::vector<Warning> WarningsOnPage(std::vector<Warning> named);

// Returns the texts of WarningsOnPage for `lab`.
std::vector<std::string> PageWarnings(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WARNINGS_WARNINGS_H_
