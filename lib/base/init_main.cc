#include "lib/base/init_main.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/flag.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "google/protobuf/stubs/logging.h"
#include "lib/base/callers_folder.h"
#include "lib/base/exit_status.h"
#include "lib/base/flag_range.h"
#include "lib/base/given_flags.h"
#include "lib/base/help_text.h"
#include "lib/base/log_line.h"
#include "lib/base/manual.h"
#include "lib/base/nearest_word.h"
#include "lib/base/own_flags.h"
#include "lib/base/print_text.h"
#include "lib/base/renamed_flags.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/version.h"

ABSL_FLAG(bool, quiet, false,
          "Print only warnings and errors, no progress and no log lines. Requested results are still printed: an "
          "output to '-', a record, a plan, a table.");

namespace lockstep {
namespace {

std::vector<std::string>& MutableCommandLine() {
  static auto* command_line = new std::vector<std::string>();
  return *command_line;
}

// Returns InvalidArgumentError if a list has an empty element, which is a superfluous comma or an empty variable in a
// script.
absl::Status CheckList(const absl::CommandLineFlag& flag, absl::string_view value) {
  if (!flag.IsOfType<std::vector<std::string>>() || value.empty()) {
    return absl::OkStatus();
  }
  const std::vector<std::string> elements = absl::StrSplit(value, ',');
  const auto empty = std::find(elements.begin(), elements.end(), "");
  return empty == elements.end()
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat(
                   "--", flag.Name(), "=", value, ": expected values separated by commas, found no value at position ",
                   empty - elements.begin() + 1, " of ", elements.size(), "; remove the comma, or give the value"));
}

absl::Status SetFlag(absl::CommandLineFlag& flag, const std::string& value) {
  RETURN_IF_ERROR(CheckList(flag, value));
  std::string error;
  if (!flag.ParseFrom(value, &error)) {
    const std::string range = RangeText(flag);
    if (const std::string meant = WithUnit(flag, value); !meant.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("--", flag.Name(), "=", value, ": expected a time with its unit,",
                                                     range, "; did you mean --", flag.Name(), "=", meant, "?"));
    }
    return absl::InvalidArgumentError(absl::StrCat("--", flag.Name(), "=", value, " does not parse",
                                                   range.empty() ? "" : ": expected a value", range,
                                                   error.empty() ? "" : ": ", error, "; --help describes the flag"));
  }
  return CheckInRange(flag, value);
}

// Returns true if the flag is set by --flag and --noflag without a value. An optional boolean may also stay unset.
bool IsSwitch(const absl::CommandLineFlag& flag) {
  return flag.IsOfType<bool>() || flag.IsOfType<std::optional<bool>>();
}

// A flag and the text that a command line gives it.
struct GivenFlag {
  absl::CommandLineFlag* flag = nullptr;
  std::string value;
};

// Returns the names that a user may write after the dashes; internal flags are left out.
std::vector<std::string> KnownNames() {
  std::vector<std::string> names = {"help", "version"};
  for (const auto& [name, flag] : OwnFlags()) {
    if (!IsInternal(*flag)) {
      names.push_back(name);
    }
    if (!IsInternal(*flag) && IsSwitch(*flag)) {
      names.push_back(absl::StrCat("no", name));
    }
  }
  return names;
}

// Returns the error for an unknown flag. It suggests "--noevaluate" for "--no-evaluate", whatever name is nearest.
absl::Status UnknownFlag(absl::string_view name) {
  if (const std::string renamed = RenamedFlagText(name); !renamed.empty()) {
    return absl::InvalidArgumentError(renamed);
  }
  const std::vector<std::string> names = KnownNames();
  const std::string plain = absl::StrReplaceAll(name, {{"-", "_"}});
  std::string near = NearestWord(plain, names);
  if (absl::StartsWith(plain, "no_")) {
    const std::string joined = absl::StrCat("no", plain.substr(3));
    near = std::find(names.begin(), names.end(), joined) != names.end() ? joined : near;
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown flag --", name, "; ",
                                                 near.empty() ? "" : absl::StrCat("did you mean --", near, "? "),
                                                 "--help=all lists the flags"));
}

// Reads the flag args[i] = "--...". Increments `i` if the value is the next argument.
absl::StatusOr<GivenFlag> ReadOneFlag(const std::vector<std::string>& args, size_t& i) {
  const absl::string_view body = absl::StripPrefix(absl::StripPrefix(args[i], "-"), "-");
  const size_t equals = body.find('=');
  const absl::string_view name = body.substr(0, equals);
  if (absl::CommandLineFlag* flag = FindOwnFlag(name)) {
    if (equals != absl::string_view::npos) {
      return GivenFlag{flag, std::string(body.substr(equals + 1))};
    }
    if (IsSwitch(*flag)) {
      return GivenFlag{flag, "true"};
    }
    if (i + 1 == args.size()) {
      return absl::InvalidArgumentError(absl::StrCat("--", name, " needs a value: --", name, "=..."));
    }
    return GivenFlag{flag, args[++i]};
  }
  if (absl::StartsWith(name, "no") && equals == absl::string_view::npos) {
    absl::CommandLineFlag* flag = FindOwnFlag(name.substr(2));
    if (flag != nullptr && IsSwitch(*flag)) {
      return GivenFlag{flag, "false"};
    }
  }
  return UnknownFlag(name);
}

// Returns true if `argument` is not a flag. "-" is positional.
bool IsPositional(const std::string& argument) { return argument.size() < 2 || argument[0] != '-'; }

absl::Status CheckAllHaveRanges() {
  for (const auto& [name, flag] : OwnFlags()) {
    RETURN_IF_ERROR(CheckHasRange(*flag));
  }
  return absl::OkStatus();
}

// Opens /dev/null on each standard stream that the caller closed. Otherwise the first file that the tool opens would
// get that descriptor, and printed text would be written to the file. The access mode is the wrong one, so that reading
// input or writing output fails with EBADF like on a closed descriptor.
void OccupyClosedDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // gets the lowest free number, which is `fd`
    }
  }
}

// Checks the limit on the main thread's stack, which is also the default stack size of every other thread. With less,
// the process would die of SIGSEGV.
absl::Status CheckStack() {
  constexpr rlim_t kMinStackBytes = 128 << 10;
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kMinStackBytes) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("expected a stack of at least ", kMinStackBytes >> 10, " KiB, found a limit of ",
                   limit.rlim_cur >> 10, " KiB; raise the limit (ulimit -s 8192), then run the command again"));
}

[[noreturn]] void PrintAndExit(const ToolInfo& tool, const std::string& text) {
  std::exit(ExitStatus(tool.name, PrintToStdout(text)));
}

// Returns the first argument before "--" that equals an element of `wanted`, or begins with an element that ends in
// '='; empty if there is no such argument.
std::string FirstOf(const std::vector<std::string>& args, const std::vector<absl::string_view>& wanted) {
  for (const std::string& arg : args) {
    if (arg == "--") {
      return "";
    }
    for (const absl::string_view one : wanted) {
      if (arg == one || (absl::EndsWith(one, "=") && absl::StartsWith(arg, one))) {
        return arg;
      }
    }
  }
  return "";
}

// Handles --help, -h and --help=GROUP.
[[noreturn]] void HelpAndExit(const ToolInfo& tool, const std::string& argument) {
  const size_t equals = argument.find('=');
  const std::string group = equals == std::string::npos ? "" : argument.substr(equals + 1);
  if (group == kManualGroup) {
    PrintAndExit(tool, ManualJson(tool));
  }
  const absl::StatusOr<std::string> text = HelpText(tool, group);
  if (!text.ok()) {
    std::exit(ExitStatus(tool.name, text.status()));
  }
  PrintAndExit(tool, *text);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseFlags(const std::vector<std::string>& args) {
  std::vector<std::string> positional;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") {
      positional.insert(positional.end(), args.begin() + i + 1, args.end());
      break;
    }
    if (IsPositional(args[i])) {
      positional.push_back(args[i]);
      continue;
    }
    ASSIGN_OR_RETURN(const GivenFlag given, ReadOneFlag(args, i));
    RETURN_IF_ERROR(SetFlag(*given.flag, given.value));
    NoteGivenFlag(given.flag->Name());
  }
  return positional;
}

std::map<std::string, std::string> FlagTexts(const std::vector<std::string>& args) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, flag] : OwnFlags()) {
    texts[name] = flag->DefaultValue();
  }
  for (size_t i = 0; i < args.size() && args[i] != "--"; ++i) {
    if (IsPositional(args[i])) {
      continue;
    }
    if (const absl::StatusOr<GivenFlag> given = ReadOneFlag(args, i); given.ok()) {
      texts[std::string(given->flag->Name())] = given->value;
    }
  }
  return texts;
}

namespace {

std::vector<std::string>& MutablePositionalArguments() {
  static auto* arguments = new std::vector<std::string>();
  return *arguments;
}

absl::Status ParseCommandLine(const ToolInfo& tool, const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(std::vector<std::string> positional, ParseFlags(args));
  if (!positional.empty() && tool.arguments.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected argument ", positional[0], "; the input is --input=..."));
  }
  MutablePositionalArguments() = std::move(positional);
  return absl::OkStatus();
}

}  // namespace

void ReadCommandLine(const ToolInfo& tool, int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  OccupyClosedDescriptors();
  std::signal(SIGPIPE, SIG_IGN);  // if a pipe's reader is gone, write(2) fails instead, and the tool prints the error
  std::signal(SIGXFSZ, SIG_IGN);  // at the limit of ulimit -f, write(2) fails with EFBIG instead
  if (const absl::Status grouped = CheckGroups(tool.groups); !grouped.ok()) {
    std::exit(ExitStatus(tool.name, grouped));
  }
  if (const std::string help = FirstOf(args, {"--help", "-h", "--help="}); !help.empty()) {
    HelpAndExit(tool, help);
  }
  if (!FirstOf(args, {"--version"}).empty()) {
    PrintAndExit(tool, absl::StrCat(tool.name, " (Lockstep) ", kVersion, "\n"));
  }
  if (const absl::Status ranges = CheckAllHaveRanges(); !ranges.ok()) {
    std::exit(ExitStatus(tool.name, ranges));
  }
  if (const absl::Status parsed = ParseCommandLine(tool, args); !parsed.ok()) {
    std::exit(ExitStatus(tool.name, parsed));
  }
  if (absl::GetFlag(FLAGS_quiet)) {
    SetQuiet();
  }
  if (const absl::Status entered = EnterCallersFolder(); !entered.ok()) {
    std::exit(ExitStatus(tool.name, entered));
  }
}

void InitMain(const ToolInfo& tool, int argc, char** argv) {
  MutableCommandLine().assign(argv + 1, argv + argc);
  MutableCommandLine().insert(MutableCommandLine().begin(), tool.name);
  ReadCommandLine(tool, argc, argv);
  if (const absl::Status stack = CheckStack(); !stack.ok()) {
    std::exit(ExitStatus(tool.name, stack));
  }
  google::protobuf::SetLogHandler(nullptr);
  InstallStopSignals();
}

const std::vector<std::string>& PositionalArguments() { return MutablePositionalArguments(); }

const std::vector<std::string>& CommandLine() { return MutableCommandLine(); }

}  // namespace lockstep
