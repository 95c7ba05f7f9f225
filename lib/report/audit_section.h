// What the audit found of published tables.
#ifndef LOCKSTEP_LIB_REPORT_AUDIT_SECTION_H_
#define LOCKSTEP_LIB_REPORT_AUDIT_SECTION_H_

#include "lib/proto/report.pb.h"
#include "lib/report/lab_records.h"

namespace lockstep {

// "audit": per document and table how many numbers were reproduced; every number that was not, with the nearest
// value; and per flag (a doubtful convention) how many numbers carry it, with the first one's finding.
proto::Section AuditSection(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_AUDIT_SECTION_H_
