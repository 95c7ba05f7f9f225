// Git commit of this program. The build writes it into the program (tools/workspace_status.sh).
#ifndef LOCKSTEP_LIB_RECORD_BUILD_INFO_H_
#define LOCKSTEP_LIB_RECORD_BUILD_INFO_H_

namespace lockstep {

const char* GitCommit();  // 40 hex digits, or "unknown"
bool GitDirty();          // true if the checkout had uncommitted changes

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_BUILD_INFO_H_
