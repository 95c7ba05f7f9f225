#include "lib/base/oom_kills.h"

#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace lockstep {
namespace {

constexpr char kCgroups[] = "/sys/fs/cgroup";

// Returns the counter files of this process's cgroup, the best first. A line of /proc/self/cgroup is "4:memory:/path"
// in version 1 and "0::/path" in version 2. A container may see its own cgroup as the root of the mounted hierarchy.
std::vector<std::string> CgroupFiles(const std::string& root) {
  std::ifstream cgroups(root + "/proc/self/cgroup");
  std::vector<std::string> files;
  for (std::string line; std::getline(cgroups, line);) {
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

// Reads the line "oom_kill N", which has this form in all three files. Returns false if there is no such line.
bool ReadCount(const std::string& path, uint64_t& count) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    if (words >> name >> count && name == "oom_kill") {
      return true;
    }
  }
  return false;
}

}  // namespace

uint64_t CountOomKills(const std::string& root) {
  std::vector<std::string> files = CgroupFiles(root);
  files.push_back(root + "/proc/vmstat");
  for (const std::string& file : files) {
    if (uint64_t count = 0; ReadCount(file, count)) {
      return count;
    }
  }
  return 0;
}

}  // namespace lockstep
