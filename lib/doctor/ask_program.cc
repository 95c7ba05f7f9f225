#include "lib/doctor/ask_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/subprocess.h"

namespace lockstep {
namespace {

constexpr uint64_t kMaxTextBytes = 1 << 20;  // a version, or a complaint of some lines

}  // namespace

// The shell puts both streams on the pipe for results (kResultFd).
ProgramSaid AskProgram(const std::vector<std::string>& argv, absl::Duration timeout,
                       const std::vector<std::pair<std::string, std::string>>& environment) {
  ChildOptions child;
  child.argv = {"/bin/sh", "-c", "exec \"$@\" >&3 2>&3 </dev/null 3>&-", "sh"};
  child.argv.insert(child.argv.end(), argv.begin(), argv.end());
  child.environment = environment;
  child.max_result_bytes = kMaxTextBytes;
  const auto exits = RunChildren({child}, timeout);
  if (!exits.ok()) {
    return {};
  }
  const ChildExit& exit = exits->front();
  return {!exit.signalled && exit.code == 0, exit.result};
}

std::string FindProgram(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const absl::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':', absl::SkipEmpty())) {
    const std::string program = absl::StrCat(folder, "/", name);
    struct stat info;
    if (stat(program.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return "";
}

}  // namespace lockstep
