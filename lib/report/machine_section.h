// The report's first and last page: on what was measured, and from which records all this was made.
#ifndef LOCKSTEP_LIB_REPORT_MACHINE_SECTION_H_
#define LOCKSTEP_LIB_REPORT_MACHINE_SECTION_H_

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// "machine": the warnings, then the machine and conditions of each measuring record, then the data set.
proto::Section MachineSection(const LabRecords& lab);

// "records": every input with tool, build, seed, time and digest, and the command that made it.
proto::Section RecordsSection(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_MACHINE_SECTION_H_
