// One table's audit in a line: how many numbers follow, and from what.
#ifndef LOCKSTEP_LIB_AUDIT_AUDIT_SUMMARY_H_
#define LOCKSTEP_LIB_AUDIT_AUDIT_SUMMARY_H_

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Counts and describes the values of `table`. What its summary says is not looked at.
proto::AuditSummary Summarize(const proto::AuditTable& table);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_AUDIT_SUMMARY_H_
