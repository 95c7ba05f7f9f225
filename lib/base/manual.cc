#include "lib/base/manual.h"

#include <optional>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/exit_status.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_words.h"
#include "lib/base/json_string.h"
#include "lib/base/own_flags.h"
#include "lib/base/version.h"

namespace lockstep {
namespace {

std::string Member(const std::string& name, const std::string& text) {
  return absl::StrCat(JsonString(name), ": ", JsonString(text));
}

// Returns "[A, B]". The elements must be JSON.
std::string Array(const std::vector<std::string>& elements) {
  return absl::StrCat("[", absl::StrJoin(elements, ", "), "]");
}

std::string Strings(const std::vector<std::string>& texts) {
  std::vector<std::string> strings;
  for (const std::string& text : texts) {
    strings.push_back(JsonString(text));
  }
  return Array(strings);
}

std::string Takes(const absl::CommandLineFlag& flag) {
  return flag.IsOfType<bool>() || flag.IsOfType<std::optional<bool>>() ? "switch"
         : flag.IsOfType<std::vector<std::string>>()                   ? "list"
                                                                       : "value";
}

std::string FlagJson(const GroupedFlag& grouped) {
  const absl::CommandLineFlag& flag = *FindOwnFlag(grouped.name);
  return absl::StrCat("\n      {", Member("name", grouped.name), ", ", Member("takes", Takes(flag)), ", ",
                      Member("default", DefaultText(grouped)), ", ", Member("range", RangeText(flag)), ", ",
                      JsonString("words"), ": ", Strings(FlagWords(grouped.name)), ", ", Member("help", flag.Help()),
                      "}");
}

std::string GroupJson(const FlagGroup& group) {
  std::vector<std::string> flags;
  for (const GroupedFlag& flag : group.flags) {
    flags.push_back(FlagJson(flag));
  }
  return absl::StrCat("\n    {", Member("name", group.name), ", ", Member("about", group.about),
                      ", \"common\": ", group.pages == HelpPages::kAll ? "true" : "false",
                      ", \"flags\": ", Array(flags), "}");
}

}  // namespace

std::string ManualJson(const ToolInfo& tool) {
  std::vector<std::string> groups, codes;
  for (const FlagGroup& group : GroupsOf(tool)) {
    groups.push_back(GroupJson(group));
  }
  for (const ExitCodeMeaning& each : ExitCodeMeanings()) {
    codes.push_back(
        absl::StrCat("\n    {\"code\": ", static_cast<int>(each.code), ", ", Member("meaning", each.meaning), "}"));
  }
  return absl::StrCat("{\n  ", Member("name", tool.name), ",\n  ", Member("version", kVersion), ",\n  ",
                      Member("summary", tool.summary), ",\n  \"examples\": ", Strings(tool.examples), ",\n  ",
                      Member("arguments", tool.arguments), ",\n  \"groups\": ", Array(groups),
                      ",\n  \"exit_codes\": ", Array(codes), "\n}\n");
}

}  // namespace lockstep
