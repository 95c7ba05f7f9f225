// RETURN_IF_ERROR and ASSIGN_OR_RETURN for absl::Status.
//
//   RETURN_IF_ERROR(writer.Append(record));
//   ASSIGN_OR_RETURN(Dataset dataset, ReadDataset(path));
#ifndef LOCKSTEP_LIB_BASE_STATUS_MACROS_H_
#define LOCKSTEP_LIB_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define RETURN_IF_ERROR(expr)                           \
  do {                                                  \
    if (absl::Status _status = (expr); !_status.ok()) { \
      return _status;                                   \
    }                                                   \
  } while (false)

#define LOCKSTEP_CONCAT_INNER(a, b) a##b
#define LOCKSTEP_CONCAT(a, b) LOCKSTEP_CONCAT_INNER(a, b)

// Expands to several statements, because `lhs` may be a declaration. Must be used directly in a braced block.
#define ASSIGN_OR_RETURN(lhs, expr) ASSIGN_OR_RETURN_INNER(LOCKSTEP_CONCAT(_status_or_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_INNER(status_or, lhs, expr) \
  auto status_or = (expr);                           \
  if (!status_or.ok()) {                             \
    return std::move(status_or).status();            \
  }                                                  \
  lhs = std::move(status_or).value()

#endif  // LOCKSTEP_LIB_BASE_STATUS_MACROS_H_
