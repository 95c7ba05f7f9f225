// Stage of `comm_model --audit_template=FILE`: writes an empty sheet for --audit.
#ifndef LOCKSTEP_LIB_COMM_MODEL_AUDIT_TEMPLATE_H_
#define LOCKSTEP_LIB_COMM_MODEL_AUDIT_TEMPLATE_H_

#include <string>

#include "absl/status/status.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Writes EmptyLabSheet (lib/published/lab_sheet.h) to `path`; "-" is standard output. An existing file is replaced only
// with kYes, because it may hold typed numbers. Returns InvalidArgumentError if `path` is empty or has another ending
// than .csv, and the errors of WriteWholeFile.
absl::Status WriteAuditTemplate(const std::string& path, Force force);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_AUDIT_TEMPLATE_H_
