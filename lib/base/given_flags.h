// The flags that the command line gave, and the refusal of those that would do nothing in this run.
#ifndef LOCKSTEP_LIB_BASE_GIVEN_FLAGS_H_
#define LOCKSTEP_LIB_BASE_GIVEN_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Notes that the command line gave the flag. ParseFlags (init_main.h) calls it; not thread-safe.
void NoteGivenFlag(absl::string_view name);

// Returns true if the flag was given, if only with its default value.
bool IsGiven(absl::string_view name);

// Flags that act in some runs of a tool only.
struct FlagUse {
  std::vector<std::string> flags;
  bool acts;            // whether they act in this run
  std::string where;    // runs in which they do not: "without --check", "with --mode=dp, which has no reducer"
  std::string instead;  // second remedy after leaving the flag out: "add --check"; empty: none
};

// Returns InvalidArgumentError for the first flag that was given and does not act:
// "--junit has no effect without --check; leave it out, or add --check".
absl::Status CheckGivenFlags(const std::vector<FlagUse>& uses);

// Returns InvalidArgumentError for the first flag that was given and is none of `flags`, in the order of their names.
// Internal flags and --quiet, which acts in every run, are not looked at. `where` and `instead` as in FlagUse.
absl::Status CheckOnlyGiven(const std::vector<std::string>& flags, const std::string& where,
                            const std::string& instead = "");

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_GIVEN_FLAGS_H_
