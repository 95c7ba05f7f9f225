#include "lib/record/replace_rule.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/owned_descriptor.h"

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

bool HasBytes(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
}

std::string StartOfFile(const std::string& path, size_t size) {
  std::string start(size, '\0');
  size_t done = 0;
  const OwnedDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  for (ssize_t n = 1; file.get() >= 0 && done < size && n > 0;) {
    n = read(file.get(), &start[done], size - done);
    done += n > 0 ? static_cast<size_t>(n) : 0;
  }
  start.resize(done);
  return start;
}

absl::Status RefuseToReplace(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(what, "; name another output, or replace it with --force"));
}

}  // namespace lockstep
