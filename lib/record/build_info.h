// The commit that this program was built from; stamped in by the build (tools/workspace_status.sh).
#ifndef LOCKSTEP_LIB_RECORD_BUILD_INFO_H_
#define LOCKSTEP_LIB_RECORD_BUILD_INFO_H_

namespace lockstep {

const char* GitCommit();  // 40 hex digits, or "unknown"
bool GitDirty();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_BUILD_INFO_H_
