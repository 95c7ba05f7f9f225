// The records of runs that the project kept (benchmarks/results/*/*.rec), read like a report reads them. Test-only.
#ifndef LOCKSTEP_LIB_CHECKS_KEPT_RECORDS_TESTING_H_
#define LOCKSTEP_LIB_CHECKS_KEPT_RECORDS_TESTING_H_

#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"

namespace lockstep::testing {

// Returns the sorted paths, such as "benchmarks/results/2026-11-21-h200x2-fp32/scale.rec".
std::vector<std::string> KeptRecordPaths();

// Reads a single kept record. Fails the test if the record cannot be read.
LabRecords ReadKeptRecord(const std::string& path);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_CHECKS_KEPT_RECORDS_TESTING_H_
