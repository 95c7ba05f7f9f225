#include "benchmarks/gpu_all_reduce_flags.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "benchmarks/collective_rows.h"
#include "benchmarks/collective_terms.h"
#include "benchmarks/taken_flag.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr size_t kMinBytes = 1 << 10;
constexpr size_t kMaxBytes = 2 * (size_t{kMaxTermIndex} + 1);  // every element of bf16 has a term
constexpr int kMaxPort = 65535;

absl::Status CheckWords(const char* flag, const std::vector<std::string>& words,
                        const std::vector<std::string>& known) {
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected --", flag, " of ", absl::StrJoin(known, ", "), ", found '", word, "'"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<LaunchedRunOptions> TakeLaunchOptions(const char* tool, int& argc, char** argv) {
  LaunchedRunOptions launch;
  launch.tool = tool;
  launch.dataset = "-";  // no data set
  launch.launcher = TakeFlag("launcher", "auto", argc, argv);
  launch.interface = TakeFlag("interface", "", argc, argv);
  launch.rendezvous.master_addr = TakeFlag("master_addr", "", argc, argv);
  const std::string port = TakeFlag("master_port", "0", argc, argv);
  if (!absl::SimpleAtoi(port, &launch.rendezvous.master_port) || launch.rendezvous.master_port < 0 ||
      launch.rendezvous.master_port > kMaxPort) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected --master_port of 1 to ", kMaxPort, ", found '", port, "'"));
  }
  return launch;
}

}  // namespace

absl::StatusOr<GpuAllReduceOptions> TakeGpuAllReduceOptions(const char* tool, int& argc, char** argv) {
  GpuAllReduceOptions options;
  options.types = absl::StrSplit(TakeFlag("types", "bf16,float", argc, argv), ',');
  options.collectives = absl::StrSplit(TakeFlag("collectives", absl::StrJoin(CollectiveNames(), ","), argc, argv), ',');
  if (!absl::SimpleAtoi(TakeFlag("ranks", "0", argc, argv), &options.ranks) || options.ranks < 0 ||
      options.ranks == 1 || !absl::SimpleAtoi(TakeFlag("max_bytes", "1073741824", argc, argv), &options.max_bytes) ||
      options.max_bytes < kMinBytes || options.max_bytes > kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected --ranks of 2 or more and --max_bytes of ", kMinBytes, " to ", kMaxBytes, " bytes"));
  }
  options.record = TakeFlag("record", "", argc, argv);
  options.crossovers = TakeFlag("crossovers", "", argc, argv);
  RETURN_IF_ERROR(CheckWords("types", options.types, {"bf16", "float"}));
  RETURN_IF_ERROR(CheckWords("collectives", options.collectives, CollectiveNames()));
  ASSIGN_OR_RETURN(options.launch, TakeLaunchOptions(tool, argc, argv));
  return options;
}

}  // namespace lockstep
