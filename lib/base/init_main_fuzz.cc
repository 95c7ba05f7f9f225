// Parses an arbitrary command line, one argument per line, against flags of every type that the tools have. Either it
// is refused with a usage error that names the argument, or the printed value of every flag sets the flag to the same
// value again. Lists and sizes are also given to the parsers of flag_values.h.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/init_main.h"
#include "lib/testing/fuzz.h"

ABSL_FLAG(bool, force, false, "");
ABSL_FLAG(int32_t, steps, 1, "");
RANGED_FLAG(uint32_t, repeats, 5, 0, 1000000, "");
RANGED_FLAG(uint64_t, seed, 0, 0, 18446744073709551615u, "");
RANGED_FLAG(double, bucket_mib, 25, 0, 1e6, "");
ABSL_FLAG(std::string, input, "", "");
RANGED_FLAG(std::vector<std::string>, ranks, std::vector<std::string>({"1", "2"}), 1, 1024, "");
RANGED_FLAG(absl::Duration, timeout, absl::Seconds(60), 1, 86400, "");

namespace lockstep::testing {
namespace {

constexpr const char* kFlags[] = {"force", "steps", "repeats", "seed", "bucket_mib", "input", "ranks", "timeout"};

void CheckUsageError(const absl::Status& status) {
  CheckUserError(status);
  FUZZ_CHECK(ToExitCode(status) == ExitCode::kUsage);
}

// Resets all flags. absl::FlagSaver is not used because it logs each value that it restores.
void ResetFlags() {
  for (const char* name : kFlags) {
    absl::CommandLineFlag& flag = *absl::FindCommandLineFlag(name);
    std::string error;
    FUZZ_CHECK(flag.ParseFrom(flag.DefaultValue(), &error));
  }
}

// Checks that the flag's printed value sets the flag to the same value.
void CheckValue(absl::CommandLineFlag& flag) {
  const std::string value = flag.CurrentValue();
  const absl::StatusOr<std::vector<std::string>> rest = ParseFlags({absl::StrCat("--", flag.Name(), "=", value)});
  FUZZ_CHECK(rest.ok() && rest->empty());
  FUZZ_CHECK(flag.CurrentValue() == value);
}

void CheckParsers() {
  const absl::StatusOr<std::vector<uint32_t>> ranks = ParseNumberList("ranks", absl::GetFlag(FLAGS_ranks));
  if (ranks.ok()) {
    FUZZ_CHECK(ranks->size() == absl::GetFlag(FLAGS_ranks).size());
  } else {
    CheckUsageError(ranks.status());
  }
  const absl::StatusOr<uint64_t> bytes = ParseMebibytes("bucket_mib", absl::GetFlag(FLAGS_bucket_mib));
  if (bytes.ok()) {
    FUZZ_CHECK(*bytes <= 1'048'576'000'000);  // 1e6 MiB
  } else {
    CheckUsageError(bytes.status());
  }
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  ResetFlags();
  const std::vector<std::string> arguments = absl::StrSplit(Bytes(data, size), '\n');
  const absl::StatusOr<std::vector<std::string>> positional = lockstep::ParseFlags(arguments);
  if (!positional.ok()) {
    CheckUsageError(positional.status());
    return 0;
  }
  FUZZ_CHECK(positional->size() <= arguments.size());
  for (const char* name : kFlags) {
    CheckValue(*absl::FindCommandLineFlag(name));
  }
  CheckParsers();
  return 0;
}
