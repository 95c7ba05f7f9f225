// The lab's Tables 1 to 3 and the list of runs, which follow the summary.
#ifndef LOCKSTEP_LIB_REPORT_LAB_TABLES_H_
#define LOCKSTEP_LIB_REPORT_LAB_TABLES_H_

#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the section "tables": Tables 1 to 3 of the way to train that the summary is about (MainScalingView), with at
// most four batches, and the list of runs. Empty without records.
proto::Section LabTablesSection(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_LAB_TABLES_H_
