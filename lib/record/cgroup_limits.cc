#include "lib/record/cgroup_limits.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "lib/base/kernel_file.h"
#include "lib/base/path.h"

namespace lockstep {
namespace {

// Smallest value that means "no limit". Version 1 writes the largest multiple of a page size, more than any machine
// has.
constexpr uint64_t kNoLimitFrom = uint64_t{1} << 62;

// Returns the file's first line without white space at its ends; empty if there is no such file or line.
std::string FirstLine(const std::string& path) { return std::string(absl::StripAsciiWhitespace(KernelFileLine(path))); }

bool Limits(const std::string& value) {
  uint64_t number = 0;
  return !value.empty() && !absl::StartsWith(value, "max") && !absl::StartsWith(value, "-") &&
         !(absl::SimpleAtoi(value, &number) && number >= kNoLimitFrom);
}

void AppendLimits(const std::string& folder, std::vector<std::string>& limits) {
  for (const char* name : {"cpu.max", "memory.max", "memory.high", "memory.limit_in_bytes", "cpu.cfs_quota_us"}) {
    std::string value = FirstLine(absl::StrCat(folder, "/", name));
    if (!Limits(value)) {
      continue;
    }
    if (absl::string_view(name) == "cpu.cfs_quota_us") {
      absl::StrAppend(&value, " ", FirstLine(absl::StrCat(folder, "/cpu.cfs_period_us")));
    }
    limits.push_back(absl::StrCat(name, "=", value));
  }
}

// Appends the limits of the group at `path` and of its ancestors. In a container, `path` may be the host's path, which
// does not exist below the mount; the last ancestor, the mount itself, is then the container's group.
void AppendLimitsUpward(const std::string& mount, std::string path, std::vector<std::string>& limits) {
  while (!path.empty() && path != "/") {
    AppendLimits(absl::StrCat(mount, path), limits);
    path = FolderOf(path);
  }
  AppendLimits(mount, limits);
}

// Returns the mount folder of the groups of one line of /proc/self/cgroup. A line of version 2 names no controllers. If
// both versions are mounted, version 2 has a folder of its own next to those of version 1.
std::string MountOf(const std::string& root, const std::string& controllers) {
  const std::string mounts = absl::StrCat(root, "/sys/fs/cgroup");
  if (!controllers.empty()) {
    return absl::StrCat(mounts, "/", controllers);
  }
  const std::string unified = absl::StrCat(mounts, "/unified");
  return FirstLine(absl::StrCat(unified, "/cgroup.controllers")).empty() ? mounts : unified;
}

}  // namespace

std::vector<std::string> CgroupLimits(const std::string& root) {
  std::vector<std::string> limits;
  const std::string groups = KernelFileText(absl::StrCat(root, "/proc/self/cgroup"));
  for (const absl::string_view line : absl::StrSplit(groups, '\n')) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));  // id:controllers:path
    if (parts.size() == 3 && absl::StartsWith(parts[2], "/")) {
      AppendLimitsUpward(MountOf(root, parts[1]), parts[2], limits);
    }
  }
  return limits;
}

}  // namespace lockstep
