// What the audit found of published tables.
#ifndef LOCKSTEP_LIB_REPORT_AUDIT_SECTION_H_
#define LOCKSTEP_LIB_REPORT_AUDIT_SECTION_H_

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// "audit": per published table how many numbers were reproduced, then every number that was not, or that carries a flag,
// with the nearest value.
proto::Section AuditSection(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_AUDIT_SECTION_H_
