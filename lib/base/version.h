// Lockstep's version: the one place that is raised at a release, together with CHANGELOG.md.
#ifndef LOCKSTEP_LIB_BASE_VERSION_H_
#define LOCKSTEP_LIB_BASE_VERSION_H_

namespace lockstep {

inline constexpr char kVersion[] = "0.1.0-dev";

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_VERSION_H_
