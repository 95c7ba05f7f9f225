// Tells whether a run would only repeat what a record holds, without loading what the run would
// load.
//
// LibTorch alone takes 0.6 s to load, more than all else that a cached step does. A record's header
// lists what its run depended on; when each of these is found unchanged, so is the cache key
// (lib/record/provenance.h), whatever it is made of. The other way round nothing follows: whoever
// gets a "no" asks the cache itself (lib/record/step_cache.h).
#ifndef LOCKSTEP_LIB_RECORD_SAME_RUN_H_
#define LOCKSTEP_LIB_RECORD_SAME_RUN_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

struct PlannedRun {
  std::vector<std::string> command_line;  // [0]: the tool's name, as in a header
  std::string program;                    // the executable that would run
  std::string output;                     // the record that it would write
};

// The value that the last --NAME=VALUE (or --NAME VALUE) of a command line gives, or `fallback`.
// Knows no flag but this one, so it can mistake another flag's value for it; a command line that
// has been run before was right.
std::string FlagValue(const std::vector<std::string>& command_line, const std::string& name,
                      const std::string& fallback);

// OK when the record at `run.output` is complete, ended well, and was written by this program with
// this command line (apart from --quiet, and --force, which a planned run must not have) from inputs with these
// digests, on this machine as it is now, with these shared libraries, and what it wrote beside the
// record is still there. Else what differs.
absl::Status CheckSameRun(const PlannedRun& run);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_SAME_RUN_H_
