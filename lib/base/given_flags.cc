#include "lib/base/given_flags.h"

#include <algorithm>
#include <set>

#include "absl/flags/commandlineflag.h"
#include "absl/strings/str_cat.h"
#include "lib/base/own_flags.h"

namespace lockstep {
namespace {

std::set<std::string>& Given() {
  static auto* given = new std::set<std::string>();
  return *given;
}

// Returns true for a flag that has an effect in every run of every tool.
bool ActsAlways(absl::string_view flag) { return flag == "quiet"; }

absl::Status NoEffect(const std::string& flag, const std::string& where, const std::string& instead) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, " has no effect ", where, "; leave it out", instead.empty() ? "" : ", or ", instead));
}

}  // namespace

void NoteGivenFlag(absl::string_view name) { Given().emplace(name); }

bool IsGiven(absl::string_view name) { return Given().count(std::string(name)) > 0; }

absl::Status CheckGivenFlags(const std::vector<FlagUse>& uses) {
  for (const FlagUse& use : uses) {
    for (const std::string& flag : use.flags) {
      if (!use.acts && IsGiven(flag)) {
        return NoEffect(flag, use.where, use.instead);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOnlyGiven(const std::vector<std::string>& flags, const std::string& where,
                            const std::string& instead) {
  for (const std::string& given : Given()) {
    const absl::CommandLineFlag* const flag = FindOwnFlag(given);
    const bool acts = ActsAlways(given) || std::find(flags.begin(), flags.end(), given) != flags.end();
    if (!acts && (flag == nullptr || !IsInternal(*flag))) {
      return NoEffect(given, where, instead);
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
