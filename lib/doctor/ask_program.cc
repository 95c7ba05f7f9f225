#include "lib/doctor/ask_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/subprocess.h"

namespace lockstep {
namespace {

constexpr uint64_t kMaxTextBytes = 1 << 20;  // a version, or a complaint of some lines

// A program's path that is relative to the working folder, made absolute; a name that PATH is searched for stays.
std::string PathOrName(const std::string& program) {
  if (!absl::StrContains(program, '/')) {
    return program;
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(program, error);
  return error ? program : absolute.string();
}

}  // namespace

// The shell puts both streams on the pipe for results (kResultFd). The root folder is the program's working folder: some
// programs run what lies in theirs, as Python does with modules and Bazel with a wrapper of its own.
ProgramSaid AskProgram(const std::vector<std::string>& argv, absl::Duration timeout,
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
    const std::string program = absl::StrCat(folder, "/", name);
    struct stat info;
    if (stat(program.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return "";
}

}  // namespace lockstep
