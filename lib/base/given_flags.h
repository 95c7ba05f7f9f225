// Flags that the command line gave, and the refusal of given flags that have no effect in this run.
#ifndef LOCKSTEP_LIB_BASE_GIVEN_FLAGS_H_
#define LOCKSTEP_LIB_BASE_GIVEN_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Records that the command line gave the flag. Called by ParseFlags (init_main.h). Not thread-safe.
void NoteGivenFlag(absl::string_view name);

// Returns true if the command line gave the flag, even with its default value.
bool IsGiven(absl::string_view name);

// Flags that have an effect in some runs of a tool only.
struct FlagUse {
  std::vector<std::string> flags;
  bool acts;            // true if the flags have an effect in this run
  std::string where;    // runs without an effect: "without --check", "with --mode=dp, which has no reducer"
  std::string instead;  // remedy other than leaving the flag out: "add --check"; may be empty
};

// Returns InvalidArgumentError for the first flag that was given and has no effect:
// "--junit has no effect without --check; leave it out, or add --check".
absl::Status CheckGivenFlags(const std::vector<FlagUse>& uses);

// Returns InvalidArgumentError for the first given flag, in alphabetical order, that is not in `flags`. Internal flags
// and --quiet, which has an effect in every run, are not checked. `where` and `instead` are those of FlagUse.
absl::Status CheckOnlyGiven(const std::vector<std::string>& flags, const std::string& where,
                            const std::string& instead = "");

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_GIVEN_FLAGS_H_
