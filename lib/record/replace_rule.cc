#include "lib/record/replace_rule.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/existing_file.h"

namespace lockstep {
namespace {

constexpr size_t kMarkBytes = 1024;  // bytes at the start of a file that must contain the mark

}  // namespace

ReplaceRule ReplaceAnything() {
  return [](const ReplacedOutput& output) -> absl::StatusOr<bool> { return HasBytes(output.path); };
}

ReplaceRule ReplaceNothing() {
  return [](const ReplacedOutput& output) -> absl::StatusOr<bool> {
    if (HasBytes(output.path)) {
      return RefuseToReplace(absl::StrCat(output.path, " exists already"));
    }
    return false;
  };
}

ReplaceRule ReplaceMarked(const std::string& mark) {
  return [mark](const ReplacedOutput& output) -> absl::StatusOr<bool> {
    if (!HasBytes(output.path)) {
      return false;
    }
    if (!absl::StrContains(StartOfFile(output.path, kMarkBytes), mark)) {
      return RefuseToReplace(absl::StrCat("would replace ", output.path, ": expected a file that begins with '", mark,
                                          "', found another file"));
    }
    return true;
  };
}

ReplaceRule ReplaceIfForced(Force force, ReplaceRule unless_forced) {
  return force == Force::kYes ? ReplaceAnything() : std::move(unless_forced);
}

absl::Status RefuseToReplace(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(what, "; name another output, or replace it with --force"));
}

}  // namespace lockstep
