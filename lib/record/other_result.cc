#include "lib/record/other_result.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "lib/base/existing_file.h"
#include "lib/base/init_main.h"
#include "lib/base/log_line.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/base/utf8.h"
#include "lib/record/environment_fingerprint.h"
#include "lib/record/grown_run.h"
#include "lib/record/record_format.h"
#include "lib/record/record_reader.h"
#include "lib/record/schema.h"
#include "lib/record/wrong_input.h"

namespace lockstep {
namespace {

constexpr size_t kMaxShown = 4;        // differences per message
constexpr size_t kMaxShownBytes = 60;  // bytes per value
constexpr size_t kStartBytes = 64;     // bytes that identify a record file (wrong_input.h)

// Returns the flags that do not change a result, such as those for its path and for the supervision of the run.
const std::set<std::string>& FlagsOfNoResult() {
  static const auto* names = new std::set<std::string>(
      {"dry_run", "force", "format", "interface", "launcher", "master_addr", "master_port", "onnx", "output", "print",
       "print_bytes", "quiet", "resume", "state_every", "timeout", "verify"});
  return *names;
}

std::string Shown(absl::string_view value) {
  return value.empty()                    ? "none"
         : value.size() <= kMaxShownBytes ? std::string(value)
                                          : absl::StrCat(FirstBytes(value, kMaxShownBytes), "...");
}

std::string Difference(absl::string_view name, absl::string_view then, absl::string_view now) {
  return absl::StrCat(name, ": ", Shown(then), " -> ", Shown(now));
}

// Returns the flags that can change a result, with their text.
std::map<std::string, std::string> FlagsOf(const proto::Header& header) {
  const auto& line = header.command_line();
  std::map<std::string, std::string> texts = FlagTexts({line.begin() + (line.empty() ? 0 : 1), line.end()});
  for (const std::string& name : FlagsOfNoResult()) {
    texts.erase(name);
  }
  return texts;
}

// Returns true if both texts are equal, or numbers of equal value: "0.10" equals "0.1".
bool IsSameValue(const std::string& a, const std::string& b) {
  double x, y;
  return a == b || (absl::SimpleAtod(a, &x) && absl::SimpleAtod(b, &y) && x == y);
}

std::vector<std::string> InputPaths(const proto::Header& header) {
  std::vector<std::string> paths;
  for (const proto::Input& input : header.input()) {
    paths.push_back(input.path());
  }
  return paths;
}

std::vector<std::string> InputDigests(const proto::Header& header) {
  std::vector<std::string> digests;
  for (const proto::Input& input : header.input()) {
    digests.push_back(input.sha256());
  }
  return digests;
}

// Returns true if a flag's value consists only of names of inputs. The bytes of inputs are compared instead.
bool NamesInputs(const std::string& value, const proto::Header& header) {
  const std::vector<std::string> paths = InputPaths(header);
  const std::vector<std::string> names = absl::StrSplit(value, ',', absl::SkipEmpty());
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(paths.begin(), paths.end(), name) != paths.end();
  });
}

void CompareFlags(const proto::Header& then, const proto::Header& now, std::vector<std::string>& differences) {
  const std::map<std::string, std::string> before = FlagsOf(then);
  for (const auto& [name, value] : FlagsOf(now)) {
    const std::string& old = before.at(name);
    if (!IsSameValue(old, value) && !(NamesInputs(old, then) && NamesInputs(value, now))) {
      differences.push_back(Difference(absl::StrCat("--", name), old, value));
    }
  }
}

// Appends differences of the inputs. Other bytes under the same names are a newer state of the same inputs and no
// difference, except on standard input, which has no name.
void CompareInputs(const proto::Header& then, const proto::Header& now, std::vector<std::string>& differences) {
  const std::vector<std::string> paths = InputPaths(now);
  if (InputDigests(then) == InputDigests(now)) {
    return;
  }
  if (paths != InputPaths(then)) {
    differences.push_back(Difference("input", absl::StrJoin(InputPaths(then), ","), absl::StrJoin(paths, ",")));
  } else if (std::find(paths.begin(), paths.end(), "-") != paths.end()) {
    differences.push_back("standard input differs");
  }
}

std::string DeviceNames(const proto::Header& header) {
  return absl::StrJoin(header.device(), ", ",
                       [](std::string* text, const proto::Device& device) { *text += device.name(); });
}

// Appends differences of devices and environment. Only headers of measured steps have devices.
void CompareMachines(const proto::Header& then, const proto::Header& now, std::vector<std::string>& differences) {
  if (DeviceNames(then) != DeviceNames(now)) {
    differences.push_back(Difference("device", DeviceNames(then), DeviceNames(now)));
  }
  std::map<std::string, std::string> before(then.environment().begin(), then.environment().end());
  std::map<std::string, std::string> after(now.environment().begin(), now.environment().end());
  for (const auto& both : {before, after}) {
    for (const auto& [name, value] : both) {
      if (now.device_size() > 0 && ChangesResults(name) && before[name] != after[name]) {
        differences.push_back(Difference(name, before[name], after[name]));
        before[name] = after[name];
      }
    }
  }
}

std::vector<std::string> Differences(const proto::Header& then, const proto::Header& now) {
  std::vector<std::string> differences;
  CompareFlags(then, now, differences);
  CompareInputs(then, now, differences);
  CompareMachines(then, now, differences);
  return differences;
}

std::string Shown(std::vector<std::string> differences) {
  const size_t more = differences.size() - std::min(differences.size(), kMaxShown);
  differences.resize(differences.size() - more);
  return absl::StrCat(absl::StrJoin(differences, ", "), more > 0 ? absl::StrCat(", and ", more, " more") : "");
}

// Returns the reason why a command's own result is made again although the command has not changed.
std::string Reason(const proto::Header& then, const proto::Header& now) {
  for (int i = 0; i < now.input_size() && i < then.input_size(); ++i) {
    if (now.input(i).sha256() != then.input(i).sha256()) {
      return absl::StrCat(now.input(i).path(), " has changed");
    }
  }
  return then.build().build_id() != now.build().build_id() ? "another build of the program made it"
         : now.device_size() > 0                           ? "the machine's cores, limits or libraries have changed"
                                 : "another output format is requested, or a library has changed";
}

void LogRemake(const proto::Header& planned, const std::string& path, absl::string_view reason) {
  LogLine(absl::StrCat(planned.build().tool(), ": making ", path, " again: ", reason));
}

// Returns true if the file at `path` may be replaced, and false if there is no file.
absl::StatusOr<bool> IsOwnResult(const std::string& path, const proto::Header& planned) {
  if (!HasBytes(path)) {
    return false;
  }
  const auto opened = RecordReader::Open(path, "");
  if (!opened.ok()) {
    RETURN_IF_ERROR(absl::IsCancelled(opened.status()) ? opened.status() : absl::OkStatus());
    if (!absl::IsDataLoss(opened.status()) || !BeginsAsRecord(path)) {
      return RefuseToReplace(absl::StrCat("would replace ", opened.status().message()));
    }
    LogRemake(planned, path, opened.status().message());
    return true;
  }
  const proto::Header& then = (*opened)->header();
  if (then.schema() != planned.schema()) {
    return absl::InvalidArgumentError(absl::StrCat("would replace ", path, ": is a record of ",
                                                   FindSchema(then.schema())->tool,
                                                   "; name another output, or destroy that record with --force"));
  }
  if (then.cache_key() == planned.cache_key()) {
    return true;
  }
  if (IsGrownFrom(then, planned)) {
    return true;
  }
  RETURN_IF_ERROR(CheckIsOfSameCommand(path, then, planned));
  LogRemake(planned, path, Reason(then, planned));
  return true;
}

// Returns true if the journal at `part`, of any tool, has a complete record after its header: finished work.
absl::StatusOr<bool> HoldsFinishedWork(const std::string& part) {
  const auto opened = RecordReader::Open(part, "");
  if (!opened.ok()) {
    return !absl::IsDataLoss(opened.status());  // an incomplete header is of a run that stopped at once
  }
  proto::AnyRecord record;
  const absl::StatusOr<bool> more = (*opened)->Next(record);
  RETURN_IF_ERROR(absl::IsCancelled(more.status()) ? more.status() : absl::OkStatus());
  return more.value_or(false);
}

// Returns true if PATH.part is of this command. Refuses to replace the journal of another tool, and that of another
// command of the same tool if the run is a measured one. A journal without finished work is never refused.
absl::StatusOr<bool> IsOwnPart(const ReplacedOutput& output, const proto::Header& planned) {
  const std::string part = PartPath(output.path);
  if (!output.has_part || !HasBytes(part)) {
    return output.has_part;  // the run stopped before its first record
  }
  const auto opened = RecordReader::Open(part, planned.schema());
  RETURN_IF_ERROR(absl::IsCancelled(opened.status()) ? opened.status() : absl::OkStatus());
  if (opened.ok() && (*opened)->header().cache_key() == planned.cache_key()) {
    return true;
  }
  ASSIGN_OR_RETURN(const bool holds_work, HoldsFinishedWork(part));
  if (absl::IsFailedPrecondition(opened.status()) && holds_work) {
    return RefuseToReplace(absl::StrCat("would replace ", opened.status().message()));
  }
  if (!opened.ok()) {
    return false;
  }
  const std::vector<std::string> differences = Differences((*opened)->header(), planned);
  if (differences.empty() || planned.device_size() == 0 || !holds_work) {
    return differences.empty();
  }
  return RefuseToReplace(absl::StrCat(part, " is from an unfinished run of another command (", Shown(differences),
                                      "), which that command resumes"));
}

absl::StatusOr<bool> IsOwn(const ReplacedOutput& output, const proto::Header& planned,
                           const std::vector<std::string>& other_outputs) {
  ASSIGN_OR_RETURN(const bool own_part, IsOwnPart(output, planned));
  ASSIGN_OR_RETURN(const bool own_result, IsOwnResult(output.path, planned));
  for (const std::string& file : other_outputs) {
    if (!own_part && !own_result && HasBytes(file)) {
      return RefuseToReplace(
          absl::StrCat(file, " exists already, and no ", output.path, " identifies it as an output of this command"));
    }
  }
  return own_part || own_result;
}

}  // namespace

bool BeginsAsRecord(const std::string& path) { return BeginsAsRecordFile(StartOfFile(path, kStartBytes)); }

absl::Status CheckIsOfSameCommand(const std::string& path, const proto::Header& then, const proto::Header& planned) {
  if (then.cache_key() == planned.cache_key()) {
    return absl::OkStatus();
  }
  const std::vector<std::string> differences = Differences(then, planned);
  return differences.empty() ? absl::OkStatus()
                             : RefuseToReplace(absl::StrCat(path, " holds another result (", Shown(differences), ")"));
}

ReplaceRule ReplaceOwnResult(const proto::Header& planned, const std::vector<std::string>& other_outputs) {
  return [planned, other_outputs](const ReplacedOutput& output) { return IsOwn(output, planned, other_outputs); };
}

ReplaceRule ReplaceRecordOf(const std::string& schema) {
  return [schema](const ReplacedOutput& output) -> absl::StatusOr<bool> {
    if (!HasBytes(output.path)) {
      return false;
    }
    const Schema* const found =
        BeginsAsRecord(output.path) ? SchemaAtStart(StartOfFile(output.path, kStartBytes)) : nullptr;
    if (found == nullptr || found->name != schema) {
      return RefuseToReplace(
          absl::StrCat("would replace ", output.path, ": expected a ", schema, ", found another file"));
    }
    return true;
  };
}

}  // namespace lockstep
