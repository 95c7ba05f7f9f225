#include "lib/record/same_run.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/proto/header.pb.h"
#include "lib/record/digest.h"
#include "lib/record/environment_fingerprint.h"
#include "lib/record/record_reader.h"
#include "lib/record/recorded_file.h"

namespace lockstep {
namespace {

absl::Status Differs(const std::string& what) { return absl::FailedPreconditionError(absl::StrCat(what, " differs")); }

bool IsForce(absl::string_view argument) {
  return argument == "--force" || argument == "-force" || absl::StartsWith(argument, "--force=") ||
         absl::StartsWith(argument, "-force=");
}

// Returns the value of a boolean flag if `argument` is one of the forms that ParseFlags (lib/base/init_main.h) accepts
// for it.
std::optional<bool> SwitchOf(absl::string_view argument, absl::string_view name) {
  if (!absl::ConsumePrefix(&argument, "-")) {
    return std::nullopt;
  }
  absl::ConsumePrefix(&argument, "-");
  const bool negated = argument == absl::StrCat("no", name);
  if (negated || argument == name) {
    return !negated;
  }
  bool value = false;
  return absl::ConsumePrefix(&argument, absl::StrCat(name, "=")) && absl::SimpleAtob(argument, &value)
             ? std::optional<bool>(value)
             : std::nullopt;
}

bool IsQuietSwitch(absl::string_view argument) { return SwitchOf(argument, "quiet").has_value(); }

absl::Status CheckCommandLine(std::vector<std::string> planned, const proto::Header& header) {
  std::vector<std::string> recorded(header.command_line().begin(), header.command_line().end());
  std::erase_if(planned, IsQuietSwitch);
  std::erase_if(recorded, [](const std::string& argument) { return IsQuietSwitch(argument) || IsForce(argument); });
  return planned == recorded ? absl::OkStatus() : Differs("the command line");
}

absl::Status CheckFiles(const google::protobuf::RepeatedPtrField<proto::Input>& files) {
  for (const proto::Input& file : files) {
    RETURN_IF_ERROR(CheckUnchanged(file));
  }
  return absl::OkStatus();
}

absl::Status CheckLibraries(const proto::Header& header) {
  for (const proto::LoadedFile& then : header.loaded_file()) {
    const proto::LoadedFile now = DescribeFile(then.path());
    if (now.size_bytes() != then.size_bytes() || now.modified_ns() != then.modified_ns()) {
      return Differs(then.path());
    }
  }
  return header.loaded_file_size() > 0 ? absl::OkStatus() : Differs("the list of libraries");
}

absl::Status CheckProgram(const std::string& program, const proto::Header& header) {
  ASSIGN_OR_RETURN(const std::string sha256, Sha256HexOfFile(program));
  return sha256 == header.build().build_id() ? absl::OkStatus() : Differs("the program");
}

}  // namespace

std::string FlagValue(const std::vector<std::string>& command_line, const std::string& name,
                      const std::string& fallback) {
  std::string value = fallback;
  for (size_t i = 0; i < command_line.size(); ++i) {
    absl::string_view flag = command_line[i];
    while (absl::ConsumePrefix(&flag, "-")) {
    }
    if (flag == name && i + 1 < command_line.size()) {
      value = command_line[i + 1];
    } else if (absl::ConsumePrefix(&flag, absl::StrCat(name, "="))) {
      value = std::string(flag);
    }
  }
  return value;
}

absl::Status CheckSameRun(const PlannedRun& run) {
  RETURN_IF_ERROR(CheckSha256());
  RETURN_IF_ERROR(CheckRegularFile(run.output));
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader, RecordReader::Open(run.output, ""));
  const proto::Header& header = reader->header();
  RETURN_IF_ERROR(CheckCommandLine(run.command_line, header));
  if (EnvironmentFingerprint() != header.environment_fingerprint()) {
    return Differs("the machine or the environment");
  }
  RETURN_IF_ERROR(CheckLibraries(header));
  RETURN_IF_ERROR(CheckProgram(run.program, header));
  RETURN_IF_ERROR(CheckFiles(header.input()));
  RETURN_IF_ERROR(reader->CheckRest());
  RETURN_IF_ERROR(CheckFiles(reader->trailer().other_output()));
  return reader->trailer().exit_status() == 0 ? absl::OkStatus() : Differs("the exit status");
}

}  // namespace lockstep
