#include "lib/base/help_text.h"

#include <algorithm>
#include <set>

#include "absl/flags/commandlineflag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/exit_status.h"
#include "lib/base/flag_range.h"
#include "lib/base/nearest_word.h"
#include "lib/base/own_flags.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr char kAll[] = "all";
constexpr int kSignalExitCode = 128;  // offset: a shell's exit code for a signal is 128 + its number

std::string FlagText(const GroupedFlag& grouped) {
  const absl::CommandLineFlag& flag = *FindOwnFlag(grouped.name);
  const std::string range = RangeText(flag);
  return absl::StrCat("  --", grouped.name, " (default: ", DefaultText(grouped), range.empty() ? "" : ";", range,
                      ")\n      ", flag.Help(), "\n");
}

std::string GroupText(const FlagGroup& group) {
  std::string text = absl::StrCat("\nFlags of the group ", group.name, ": ", group.about, "\n");
  for (const GroupedFlag& flag : group.flags) {
    absl::StrAppend(&text, FlagText(flag));
  }
  return text;
}

// Returns a line "  --help=recipe: optimizer, schedule and augmentation (14 flags)" for each group that is not common.
std::string OtherGroupsText(const std::vector<FlagGroup>& groups) {
  std::string text;
  for (const FlagGroup& group : groups) {
    if (group.pages == HelpPages::kOnRequest) {
      absl::StrAppend(&text, "  --help=", group.name, ": ", group.about, " (", group.flags.size(), " flags)\n");
    }
  }
  return text.empty() ? "" : absl::StrCat("\nMore flags:\n", text, "  --help=all: every flag\n");
}

std::string Head(const ToolInfo& tool) {
  return absl::StrCat(
      tool.name, ": ", tool.summary, "\n\nExamples:\n  ", absl::StrJoin(tool.examples, "\n  "), "\n",
      tool.arguments.empty() ? "" : absl::StrCat("\nArguments that are not flags: ", tool.arguments, "\n"));
}

// Returns the list of exit codes, with those of the signals in short form.
std::string Tail() {
  std::string text = "\nExit codes:";
  std::vector<std::string> signals, codes;
  for (const ExitCodeMeaning& each : ExitCodeMeanings()) {
    const int code = static_cast<int>(each.code);
    if (code > kSignalExitCode) {
      codes.push_back(absl::StrCat(code));
      signals.push_back(each.name);
    } else {
      absl::StrAppend(&text, code == 0 ? " " : ", ", code, " ", each.name);
    }
  }
  return absl::StrCat(text, ",\n", absl::StrJoin(codes, "/"), " stopped by ", absl::StrJoin(signals, "/"),
                      ". '-' as a file is standard input or output.\n");
}

}  // namespace

std::string DefaultText(const GroupedFlag& flag) {
  const std::string value =
      !flag.effective_default.empty() ? flag.effective_default : FindOwnFlag(flag.name)->DefaultValue();
  return value.empty() ? "none" : value;
}

std::vector<FlagGroup> GroupsOf(const ToolInfo& tool) {
  if (!tool.groups.empty()) {
    return tool.groups;
  }
  FlagGroup all = {"flags", "all flags", {}, HelpPages::kAll};
  for (const auto& [name, flag] : OwnFlags()) {
    if (!IsInternal(*flag)) {
      all.flags.push_back({name});
    }
  }
  return {all};
}

absl::Status CheckGroups(const std::vector<FlagGroup>& groups) {
  std::set<std::string> seen;
  for (const FlagGroup& group : groups) {
    for (const GroupedFlag& flag : group.flags) {
      if (FindOwnFlag(flag.name) == nullptr) {
        return absl::InternalError(absl::StrCat("--", flag.name, " of the group ", group.name, " is not declared"));
      }
      if (!seen.insert(flag.name).second) {
        return absl::InternalError(absl::StrCat("--", flag.name, " is in a group twice, again in ", group.name));
      }
    }
  }
  for (const auto& [name, flag] : OwnFlags()) {
    if (!groups.empty() && !IsInternal(*flag) && seen.count(name) == 0) {
      return absl::InternalError(absl::StrCat("--", name, " is in no group of flags; name it in one, for --help"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> HelpText(const ToolInfo& tool, const std::string& group) {
  std::vector<std::string> names = {kAll};
  std::string text = group.empty() || group == kAll ? Head(tool) : "";
  const std::vector<FlagGroup> groups = GroupsOf(tool);
  for (const FlagGroup& each : groups) {
    names.push_back(each.name);
    if (each.name == group || group == kAll || (group.empty() && each.pages == HelpPages::kAll)) {
      absl::StrAppend(&text, GroupText(each));
    }
  }
  if (std::find(names.begin(), names.end(), group) == names.end() && !group.empty()) {
    const std::string near = NearestWord(group, names);
    return absl::InvalidArgumentError(absl::StrCat("--help=", group, ": expected one of ", absl::StrJoin(names, ", "),
                                                   near.empty() ? "" : absl::StrCat("; did you mean ", near, "?")));
  }
  return group.empty() ? absl::StrCat(text, OtherGroupsText(groups), Tail()) : text;
}

}  // namespace lockstep
