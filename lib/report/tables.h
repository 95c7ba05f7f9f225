// All sections of a report, in their order.
#ifndef LOCKSTEP_LIB_REPORT_TABLES_H_
#define LOCKSTEP_LIB_REPORT_TABLES_H_

#include <vector>

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// machine, answers, sweep (Q1), scaling (Table 1), communication (Tables 2 and 3), data_parallel, prediction, large_batch
// (Q4), sampler (Q5), sent (Q6, Q7), training, int8, audit, records.
// Sections whose record is missing say so; all are always there.
std::vector<proto::Section> BuildSections(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_TABLES_H_
