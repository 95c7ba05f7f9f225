#include "lib/base/init_main.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "absl/flags/commandlineflag.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "google/protobuf/stubs/logging.h"
#include "lib/base/exit_status.h"
#include "lib/base/flag_range.h"
#include "lib/base/own_flags.h"
#include "lib/base/print_text.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/version.h"

namespace lockstep {
namespace {

std::vector<std::string>& MutableCommandLine() {
  static auto* command_line = new std::vector<std::string>();
  return *command_line;
}

// A comma too many, or a variable of a script that is empty, would otherwise pass as a value named "".
absl::Status CheckList(const absl::CommandLineFlag& flag, absl::string_view value) {
  if (!flag.IsOfType<std::vector<std::string>>() || value.empty()) {
    return absl::OkStatus();
  }
  const std::vector<std::string> elements = absl::StrSplit(value, ',');
  const auto empty = std::find(elements.begin(), elements.end(), "");
  return empty == elements.end()
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat(
                   "--", flag.Name(), "=", value, ": expected values with commas between them, found none in place ",
                   empty - elements.begin() + 1, " of ", elements.size(), "; leave out the comma, or give the value"));
}

absl::Status SetFlag(absl::CommandLineFlag& flag, absl::string_view value) {
  RETURN_IF_ERROR(CheckList(flag, value));
  std::string error;
  if (!flag.ParseFrom(value, &error)) {
    const std::string range = RangeText(flag);
    return absl::InvalidArgumentError(absl::StrCat("--", flag.Name(), "=", value, " does not parse",
                                                   range.empty() ? "" : ": expected a value", range,
                                                   error.empty() ? "" : ": ", error, "; --help tells what it takes"));
  }
  return CheckInRange(flag, value);
}

// Whether --flag and --noflag say all; one that is optional may also be left to something else.
bool IsSwitch(const absl::CommandLineFlag& flag) {
  return flag.IsOfType<bool>() || flag.IsOfType<std::optional<bool>>();
}

// Handles args[i] = "--...", moving `i` on when the value is the next argument.
absl::Status ParseOneFlag(const std::vector<std::string>& args, size_t& i) {
  const absl::string_view body = absl::StripPrefix(absl::StripPrefix(args[i], "-"), "-");
  const size_t equals = body.find('=');
  const absl::string_view name = body.substr(0, equals);
  if (absl::CommandLineFlag* flag = FindOwnFlag(name)) {
    if (equals != absl::string_view::npos) {
      return SetFlag(*flag, body.substr(equals + 1));
    }
    if (IsSwitch(*flag)) {
      return SetFlag(*flag, "true");
    }
    if (i + 1 == args.size()) {
      return absl::InvalidArgumentError(absl::StrCat("--", name, " needs a value: --", name, "=..."));
    }
    return SetFlag(*flag, args[++i]);
  }
  if (absl::StartsWith(name, "no") && equals == absl::string_view::npos) {
    absl::CommandLineFlag* flag = FindOwnFlag(name.substr(2));
    if (flag != nullptr && IsSwitch(*flag)) {
      return SetFlag(*flag, "false");
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown flag --", name, "; --help lists the flags"));
}

absl::Status CheckAllHaveRanges() {
  for (const auto& [name, flag] : OwnFlags()) {
    RETURN_IF_ERROR(CheckHasRange(*flag));
  }
  return absl::OkStatus();
}

std::string HelpText(const ToolInfo& tool) {
  std::string text = absl::StrCat(tool.name, ": ", tool.summary, "\n\nExample:\n  ", tool.example, "\n\nFlags:\n");
  for (const auto& [name, flag] : OwnFlags()) {
    if (absl::StartsWith(flag->Help(), "Internal:")) {
      continue;
    }
    const std::string value = flag->DefaultValue();
    const std::string range = RangeText(*flag);
    absl::StrAppend(&text, "  --", name, " (default: ", value.empty() ? "none" : value, range.empty() ? "" : ";", range,
                    ")\n      ", flag->Help(), "\n");
  }
  return absl::StrCat(
      text,
      "\nExit codes: 0 ok, 1 internal error, 2 usage, 3 bad input, 4 check failed, 5 device or "
      "communication\nfailure, 130/143 stopped by a signal. '-' as a file is standard input or output.\n");
}

// A descriptor of 0 to 2 that the caller closed would be given to the first file that is opened, and what is printed
// would land in it. What stands there instead fails as a closed one does (EBADF): it cannot be read as input, nor
// written to.
void OccupyClosedDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // the lowest number that is free: this one
    }
  }
}

[[noreturn]] void PrintAndExit(const ToolInfo& tool, const std::string& text) {
  std::exit(ExitStatus(tool.name, PrintToStdout(text)));
}

bool Contains(const std::vector<std::string>& args, absl::string_view wanted) {
  for (const std::string& arg : args) {
    if (arg == "--") {
      return false;
    }
    if (arg == wanted) {
      return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseFlags(const std::vector<std::string>& args) {
  std::vector<std::string> positional;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") {
      positional.insert(positional.end(), args.begin() + i + 1, args.end());
      break;
    }
    if (args[i].size() < 2 || args[i][0] != '-') {
      positional.push_back(args[i]);
      continue;
    }
    RETURN_IF_ERROR(ParseOneFlag(args, i));
  }
  return positional;
}

namespace {

absl::Status ParseOnlyFlags(const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(const std::vector<std::string> positional, ParseFlags(args));
  return positional.empty() ? absl::OkStatus()
                            : absl::InvalidArgumentError(
                                  absl::StrCat("unexpected argument ", positional[0], "; the input is --input=..."));
}

}  // namespace

void InitMain(const ToolInfo& tool, int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  MutableCommandLine() = args;
  MutableCommandLine().insert(MutableCommandLine().begin(), tool.name);
  OccupyClosedDescriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that is gone is an error of writing, which the tool says
  std::signal(SIGXFSZ, SIG_IGN);  // ulimit -f: writing then fails with EFBIG, and the tool says so
  if (Contains(args, "--help") || Contains(args, "-h")) {
    PrintAndExit(tool, HelpText(tool));
  }
  if (Contains(args, "--version")) {
    PrintAndExit(tool, absl::StrCat(tool.name, " (Lockstep) ", kVersion, "\n"));
  }
  if (const absl::Status ranges = CheckAllHaveRanges(); !ranges.ok()) {
    std::exit(ExitStatus(tool.name, ranges));
  }
  if (const absl::Status parsed = ParseOnlyFlags(args); !parsed.ok()) {
    std::exit(ExitStatus(tool.name, parsed));
  }
  if (const char* folder = std::getenv("BUILD_WORKING_DIRECTORY"); folder != nullptr && chdir(folder) != 0) {
    std::exit(
        ExitStatus(tool.name, absl::InternalError(absl::StrCat("cannot enter BUILD_WORKING_DIRECTORY ", folder))));
  }
  google::protobuf::SetLogHandler(nullptr);
  InstallStopSignals();
}

const std::vector<std::string>& CommandLine() { return MutableCommandLine(); }

}  // namespace lockstep
