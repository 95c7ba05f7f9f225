// comm_model: from times to an explanation.
#include <string>

#include "absl/flags/flag.h"
#include "lib/base/exit_status.h"
#include "lib/base/init_main.h"
#include "lib/comm/comm_model.h"
#include "lib/record/stdout_guard.h"

ABSL_FLAG(std::string, input, "", "scale record to explain; - is standard input");
ABSL_FLAG(std::string, sweep, "", "sweep record of the same settings, for more one-device times");
ABSL_FLAG(double, link_gigabytes_per_second, 0,
          "nominal bandwidth of one device's link in one direction, GB = 1e9 bytes; 0: not given");
ABSL_FLAG(std::string, output, "comm_model.rec", "record to write; - is standard output");
ABSL_FLAG(bool, force, false, "make the output again even when it is there already");

int main(int argc, char** argv) {
  using namespace lockstep;
  const ToolInfo tool = {"comm_model", "explains a scaling run: speed-up, compute against communication, bandwidth.",
                         "comm_model --input=scale.rec --sweep=sweep.rec --output=comm_model.rec"};
  InitMain(tool, argc, argv);
  CommModelOptions options;
  options.scale_path = absl::GetFlag(FLAGS_input);
  options.sweep_path = absl::GetFlag(FLAGS_sweep);
  options.link_gigabytes_per_second = absl::GetFlag(FLAGS_link_gigabytes_per_second);
  options.output_path = absl::GetFlag(FLAGS_output);
  options.force = absl::GetFlag(FLAGS_force);
  if (options.output_path == "-") {
    if (const auto taken = TakeStdout(); !taken.ok()) {
      return ExitStatus(tool.name, taken.status());
    }
  }
  return ExitStatus(tool.name, RunCommModel(options).status());
}
