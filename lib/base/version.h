// Lockstep's version. A release must change this constant and CHANGELOG.md, nothing else.
#ifndef LOCKSTEP_LIB_BASE_VERSION_H_
#define LOCKSTEP_LIB_BASE_VERSION_H_

namespace lockstep {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_VERSION_H_
