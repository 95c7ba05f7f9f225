// What --help prints, and the groups of flags that it prints them in.
#ifndef LOCKSTEP_LIB_BASE_HELP_TEXT_H_
#define LOCKSTEP_LIB_BASE_HELP_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// A flag of a group, by name.
struct GroupedFlag {
  std::string name;
  std::string effective_default = "";  // what its default comes to, where that is no value: "6: 1 + repeats"
};

// Flags that --help=NAME shows together.
struct FlagGroup {
  std::string name;   // one word
  std::string about;  // a few words, after the name
  std::vector<GroupedFlag> flags;
  bool is_common = false;  // plain --help shows it, too
};

// What --help prints of a tool.
struct ToolInfo {
  std::string name;                   // "train_sweep"
  std::string summary;                // one or two sentences: what it reads, what it writes
  std::vector<std::string> examples;  // three real commands, the plainest first
  std::vector<FlagGroup> groups;      // in the order of --help; none: all flags are in one
};

// Returns the default of a flag as --help prints it: "none" for an empty text.
std::string DefaultText(const GroupedFlag& flag);

// Returns the tool's groups, or one group of all flags for users if the tool names no groups.
std::vector<FlagGroup> GroupsOf(const ToolInfo& tool);

// Internal: a flag that users may give is in no group, or in two, or a group names one that is not declared.
absl::Status CheckGroups(const std::vector<FlagGroup>& groups);

// `group` empty: the common groups and the names of the others; "all": every group; else the one of that name.
// InvalidArgument: there is none.
absl::StatusOr<std::string> HelpText(const ToolInfo& tool, const std::string& group);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_HELP_TEXT_H_
