// What a reader must know before believing a number of the report.
#ifndef LOCKSTEP_LIB_REPORT_WARNINGS_H_
#define LOCKSTEP_LIB_REPORT_WARNINGS_H_

#include <string>
#include <vector>

#include "lib/report/experiment_warnings.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// One sentence each: images that are not CIFAR-10's official ones (or unknown), builds that are unoptimised or cannot
// be found again, runs that ended early, single repeats, throttled devices, failed sum checks, ranks that share a
// CPU, experiments of one seed, or whose counts contradict the model or the sampler (experiment_warnings.h), records that a
// page has no room for, records of several machines, times with data loading below those without it, bandwidths above the
// link, and records that were not made from each other. Empty: nothing to say.
std::vector<Warning> NamedWarnings(const LabRecords& lab);

// Their texts.
std::vector<std::string> Warnings(const LabRecords& lab);

// Those of a page: what is wrong with the records before what the machine did meanwhile, of which there may be one for
// each point: the first stands for the others, which are counted.
std::vector<std::string> PageWarnings(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_WARNINGS_H_
