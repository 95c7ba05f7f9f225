// Decides whether a run would only repeat the results in a record, without loading the libraries that the run would
// load.
//
// LibTorch alone takes 0.6 s to load, longer than all the rest of a cached step. A record's header lists everything
// that its run depended on. If all of this is unchanged, the cache key (lib/record/provenance.h) is also unchanged. The
// reverse does not hold: after a negative answer the caller must query the cache itself (lib/record/step_cache.h).
#ifndef LOCKSTEP_LIB_RECORD_SAME_RUN_H_
#define LOCKSTEP_LIB_RECORD_SAME_RUN_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

struct PlannedRun {
  std::vector<std::string> command_line;  // [0] is the tool's name, as in a header
  std::string program;                    // path of the executable that would run
  std::string output;                     // path of the record that the run would write
};

// Returns the value of the last --NAME=VALUE (or --NAME VALUE) of a command line, or `fallback`. Knows no other flags
// and may therefore return the value of another flag; a command line that has been run before is known to be valid.
std::string FlagValue(const std::vector<std::string>& command_line, const std::string& name,
                      const std::string& fallback);

// Returns OK if the record at `run.output` is complete and its run
//     - ended well, and its other outputs are unchanged;
//     - had this program, this command line, input files with these digests, and these shared libraries;
//     - ran on this machine in its present state.
// Otherwise returns an error with the difference. --quiet and a recorded --force do not count as differences; the
// planned run must not have --force.
absl::Status CheckSameRun(const PlannedRun& run);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_SAME_RUN_H_
