// Summary of one table's audit in a line: how many numbers follow, and from which conventions.
#ifndef LOCKSTEP_LIB_AUDIT_AUDIT_SUMMARY_H_
#define LOCKSTEP_LIB_AUDIT_AUDIT_SUMMARY_H_

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Returns counts and a sentence for the values of `table`. Ignores the summary that `table` may already have.
proto::AuditSummary Summarize(const proto::AuditTable& table);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_AUDIT_SUMMARY_H_
