// All sections of a report, in their order.
#ifndef LOCKSTEP_LIB_REPORT_TABLES_H_
#define LOCKSTEP_LIB_REPORT_TABLES_H_

#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns machine, answers, runs, sweep (Q1), scaling (Table 1), communication (Tables 2 and 3), data_parallel,
// prediction, large_batch (Q4), sampler (Q5), sent (Q6, Q7), training, int8, audit, records. A section whose record is
// missing states that; only runs is left out if no records can be compared.
std::vector<proto::Section> BuildSections(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_TABLES_H_
