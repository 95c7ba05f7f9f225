// Text of --help, and the groups in which it lists the flags.
#ifndef LOCKSTEP_LIB_BASE_HELP_TEXT_H_
#define LOCKSTEP_LIB_BASE_HELP_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// One flag of a group.
struct GroupedFlag {
  std::string name;
  std::string effective_default = "";  // default as --help prints it, if it is computed: "6: 1 + repeats"; else empty
};

// Pages on which a group of flags is: --help=all and --help=GROUP, or plain --help, too.
enum class HelpPages { kOnRequest, kAll };

// Flags that --help=NAME shows together.
struct FlagGroup {
  std::string name;   // one word
  std::string about;  // a few words, printed after the name
  std::vector<GroupedFlag> flags;
  HelpPages pages = HelpPages::kOnRequest;
};

// Description of a tool for --help.
struct ToolInfo {
  std::string name;                   // "train_sweep"
  std::string summary;                // inputs and outputs in one or two sentences
  std::vector<std::string> examples;  // three real commands, the simplest first
  std::vector<FlagGroup> groups;      // groups in the order of --help; empty: one group of all flags
  // Meaning of arguments that are not flags: "records, like --input". Empty: the tool refuses such arguments.
  std::string arguments = "";
};

// Returns the default of a flag as --help prints it; "none" if it is empty.
std::string DefaultText(const GroupedFlag& flag);

// Returns the tool's groups, or one group of all flags that are not internal if the tool has no groups.
std::vector<FlagGroup> GroupsOf(const ToolInfo& tool);

// Returns InternalError if a flag that is not internal is in no group or in two, or if a group names an undeclared
// flag.
absl::Status CheckGroups(const std::vector<FlagGroup>& groups);

// Returns the help of the common groups with the names of the other groups if `group` is empty, of every group if it is
// "all", and otherwise of the group of that name. Returns InvalidArgumentError if no group has that name.
absl::StatusOr<std::string> HelpText(const ToolInfo& tool, const std::string& group);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_HELP_TEXT_H_
