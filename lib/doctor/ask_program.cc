#include "lib/doctor/ask_program.h"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/existing_file.h"
#include "lib/base/path.h"
#include "lib/base/subprocess.h"

namespace lockstep {
namespace {

constexpr uint64_t kMaxTextBytes = 1 << 20;  // a version, or an error message of some lines

// Returns an absolute path for a path relative to the working folder, and a name without a '/' unchanged (PATH is
// searched for it).
std::string PathOrName(const std::string& program) {
  if (!absl::StrContains(program, '/')) {
    return program;
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(program, error);
  return error ? program : absolute.string();
}

}  // namespace

// The shell redirects both streams to the pipe for results (kResultFd). The program's working folder is the root
// folder, because some programs run files of their working folder: Python runs modules, Bazel runs its own wrapper.
ProgramOutput AskProgram(const std::vector<std::string>& argv, absl::Duration timeout,
                         const std::vector<std::pair<std::string, std::string>>& environment) {
  ChildOptions child;
  child.argv = {"/bin/sh", "-c", "cd / && exec \"$@\" >&3 2>&3 </dev/null 3>&-", "sh"};
  child.argv.push_back(PathOrName(argv[0]));
  child.argv.insert(child.argv.end(), argv.begin() + 1, argv.end());
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
    const std::string program = JoinPath(folder, name);
    if (IsRegularFile(program) && access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return "";
}

}  // namespace lockstep
