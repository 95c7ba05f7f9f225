#include "lib/base/oom_kills.h"

#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "lib/base/kernel_file.h"

namespace lockstep {
namespace {

constexpr char kCgroups[] = "/sys/fs/cgroup";

// Returns the counter files of this process's cgroup, the best first. A line of /proc/self/cgroup is "4:memory:/path"
// in version 1 and "0::/path" in version 2. A container may see its own cgroup as the root of the mounted hierarchy.
std::vector<std::string> CgroupFiles(const std::string& root) {
  const std::string cgroups = KernelFileText(root + "/proc/self/cgroup");
  std::vector<std::string> files;
  for (const absl::string_view line : absl::StrSplit(cgroups, '\n')) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) {
      continue;
    }
    const bool version_2 = parts[1].empty();
    const std::string mount = absl::StrCat(root, kCgroups, version_2 ? "" : "/memory");
    const char* const name = version_2 ? "/memory.events" : "/memory.oom_control";
    if (version_2 || absl::StrContains(parts[1], "memory")) {
      files.push_back(absl::StrCat(mount, parts[2], name));
      files.push_back(absl::StrCat(mount, name));
    }
  }
  return files;
}

}  // namespace

uint64_t CountOomKills(const std::string& root) {
  std::vector<std::string> files = CgroupFiles(root);
  files.push_back(root + "/proc/vmstat");
  for (const std::string& file : files) {
    if (const std::optional<uint64_t> count = KernelFileNumber(file, "oom_kill")) {  // the same line in all three files
      return *count;
    }
  }
  return 0;
}

}  // namespace lockstep
