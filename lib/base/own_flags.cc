#include "lib/base/own_flags.h"

#include "absl/flags/reflection.h"
#include "absl/strings/match.h"

namespace lockstep {
namespace {

bool IsOwn(const absl::CommandLineFlag& flag) { return !absl::StrContains(flag.Filename(), "absl/"); }

}  // namespace

absl::CommandLineFlag* FindOwnFlag(absl::string_view name) {
  absl::CommandLineFlag* const flag = absl::FindCommandLineFlag(name);
  return flag == nullptr || !IsOwn(*flag) || flag->Name() != name ? nullptr : flag;
}

bool IsInternal(const absl::CommandLineFlag& flag) { return absl::StartsWith(flag.Help(), "Internal:"); }

std::map<std::string, absl::CommandLineFlag*> OwnFlags() {
  std::map<std::string, absl::CommandLineFlag*> own;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (IsOwn(*flag)) {
      own[std::string(name)] = flag;
    }
  }
  return own;
}

}  // namespace lockstep
