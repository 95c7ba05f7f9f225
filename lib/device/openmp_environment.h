// Environment variables that configure OpenMP, checked before its library reads them.
//
// libgomp reads them when it is loaded, before main. For an invalid value it prints "libgomp: Invalid value ..." and
// uses a default; for some values it never returns. Therefore a program that starts another one which links libgomp
// must check them first.
#ifndef LOCKSTEP_LIB_DEVICE_OPENMP_ENVIRONMENT_H_
#define LOCKSTEP_LIB_DEVICE_OPENMP_ENVIRONMENT_H_

#include "absl/status/status.h"

namespace lockstep {

// Unsets variables that are empty. Returns InvalidArgumentError, with the variable and what it may hold, if one holds a
// value that OpenMP 4.5 does not define. Not thread-safe. Source: the manual of libgomp, "Environment Variables".
absl::Status CheckOpenMpEnvironment();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_OPENMP_ENVIRONMENT_H_
