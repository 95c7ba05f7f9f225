// Fuzz target for all code that reads the environment in every tool. Input lines NAME=VALUE are environment variables,
// and other lines are arguments. Checks that a record's header is read back as it was written, and that the progress
// bar is drawn for any TERM and NO_COLOR.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/progress.h"
#include "lib/record/environment_fingerprint.h"
#include "lib/record/readable_text.h"
#include "lib/testing/fuzz.h"

namespace lockstep::testing {
namespace {

void SetVariable(absl::string_view line) {
  const size_t equals = line.find('=');
  const std::string name(line.substr(0, equals));
  if (!name.empty()) {
    setenv(name.c_str(), std::string(line.substr(equals + 1)).c_str(), /*overwrite=*/1);
  }
}

// Writes a header with values from the environment as a record, reads it back and compares.
void CheckHeader(const proto::Header& taken) {
  proto::Header header = taken;
  if (!HasReadableText(header)) {
    MakeTextReadable(header);
  }
  proto::Header again;
  FUZZ_CHECK(HasReadableText(header));
  FUZZ_CHECK(again.ParseFromString(header.SerializeAsString()));
  FUZZ_CHECK(again.command_line_size() == taken.command_line_size());
  for (const auto& [name, value] : taken.environment()) {
    FUZZ_CHECK(absl::StartsWith(name, "NCCL_") || ChangesResults(name) || name == "SLURM_JOB_ID");
    const auto found = again.environment().find(name);
    FUZZ_CHECK(found == again.environment().end() || found->second == value || !HasReadableText(taken));
  }
}

void CheckProgress(std::FILE* nowhere) {
  Progress progress("step", 2, "images", nowhere);
  progress.Update(1);
  progress.Update(2);
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  static std::FILE* const nowhere = std::fopen("/dev/null", "w");
  proto::Header header;
  clearenv();
  for (const absl::string_view line : absl::StrSplit(Bytes(data, size), '\n')) {
    absl::StrContains(line, '=') ? SetVariable(line) : header.add_command_line(std::string(line));
  }
  for (const auto& [name, value] : RecordedEnvironment()) {
    (*header.mutable_environment())[name] = value;
  }
  FUZZ_CHECK(EnvironmentFingerprint().size() == 64);
  CheckHeader(header);
  CheckProgress(nowhere);
  return 0;
}
