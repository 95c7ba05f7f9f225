// comm_model: from times to an explanation.
#include "lib/comm/comm_model.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "lib/base/exit_status.h"
#include "lib/base/init_main.h"
#include "lib/base/status_macros.h"
#include "lib/comm/summary.h"
#include "lib/record/stdout_guard.h"

ABSL_FLAG(std::string, input, "", "scale record to explain; - is standard input");
ABSL_FLAG(std::string, sweep, "", "sweep record of the same settings, for more one-device times");
ABSL_FLAG(std::vector<std::string>, audit, {},
          "published tables to recompute, comma-separated: textproto or CSV (data/published/README.md)");
ABSL_FLAG(double, link_gigabytes_per_second, 0,
          "nominal bandwidth of one device's link in one direction, GB = 1e9 bytes; 0: not given");
ABSL_FLAG(std::string, output, "comm_model.rec", "record to write; - is standard output");
ABSL_FLAG(std::string, format, "record", "record: the record only; text: also print what it says, on standard output");
ABSL_FLAG(bool, force, false, "make the output again even when it is there already");

namespace lockstep {
namespace {

absl::Status Run() {
  CommModelOptions options;
  options.scale_path = absl::GetFlag(FLAGS_input);
  options.sweep_path = absl::GetFlag(FLAGS_sweep);
  options.audit_paths = absl::GetFlag(FLAGS_audit);
  options.link_gigabytes_per_second = absl::GetFlag(FLAGS_link_gigabytes_per_second);
  options.output_path = absl::GetFlag(FLAGS_output);
  options.force = absl::GetFlag(FLAGS_force);
  const std::string format = absl::GetFlag(FLAGS_format);
  if (format != "record" && format != "text") {
    return absl::InvalidArgumentError(absl::StrCat("--format=", format, " is not known; expected record or text"));
  }
  if (options.output_path == "-") {
    // From here on standard output is standard error, so that the text below cannot spoil the record.
    RETURN_IF_ERROR(TakeStdout().status());
  }
  const absl::StatusOr<std::vector<proto::CommModelRecord>> records = RunCommModel(options);
  RETURN_IF_ERROR(records.status());
  if (format == "text") {
    std::fputs(SummaryText(*records).c_str(), stdout);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const lockstep::ToolInfo tool = {
      "comm_model",
      "explains a scaling run (speed-up, compute against communication, bandwidth) and recomputes published tables.",
      "comm_model --input=scale.rec --sweep=sweep.rec --audit=data/published/seed_001.textproto "
      "--output=comm_model.rec"};
  lockstep::InitMain(tool, argc, argv);
  return lockstep::ExitStatus(tool.name, lockstep::Run());
}
