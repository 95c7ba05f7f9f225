// doctor: reports which parts of this machine work for Lockstep, and remedies for the others. The stage is
// lib/doctor/doctor.h.
#include "lib/doctor/doctor.h"

#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/flag_words.h"
#include "lib/base/init_main.h"
#include "lib/base/run_tool.h"
#include "lib/base/status_macros.h"
#include "lib/doctor/probes.h"

ABSL_FLAG(std::vector<std::string>, for, {},
          "Uses that must work, or the exit code is 4: train, scale, report, separated by commas. Without this "
"flag the exit code is 0.");
FLAG_WORDS(for, "train", "scale", "report");
ABSL_FLAG(std::string, device, "auto",
          "auto: the CPU is enough if there is no GPU; cpu; cuda: training and scaling need a working GPU.");
FLAG_WORDS(device, "auto", "cpu", "cuda");
ABSL_FLAG(std::string, input, "",
          "A dataset.rec, or a folder or archive that cifar_prep reads; default: the first one in the usual places.");
ABSL_FLAG(std::string, output, ".", "Folder in which outputs will be written.");
ABSL_FLAG(std::string, format, "text", "text, or json: one object.");
FLAG_WORDS(format, "text", "json");
RANGED_FLAG(absl::Duration, timeout, absl::Seconds(8), 1, 600,
            "Time that a driver, library or disk may take to answer; all are asked at the same time.");
ABSL_FLAG(std::string, probe, "", "Internal: probe that this process runs for the doctor.");

namespace lockstep {
namespace {

constexpr char kTool[] = "doctor";

absl::Status Run() {
  DoctorOptions options;
  DoctorRequest& request = options.request;
  for (const std::string& word : absl::GetFlag(FLAGS_for)) {
    ASSIGN_OR_RETURN(const auto use, ParseEnum<proto::DoctorUse::Kind>("for", word));
    request.uses.push_back(use);
  }
  request.device = absl::GetFlag(FLAGS_device);
  request.input = absl::GetFlag(FLAGS_input);
  request.output = absl::GetFlag(FLAGS_output);
  request.timeout = absl::GetFlag(FLAGS_timeout);
  const std::string format = absl::GetFlag(FLAGS_format);
  RETURN_IF_ERROR(CheckFlagWord("device", request.device, {"auto", "cpu", "cuda"}));
  RETURN_IF_ERROR(CheckFlagWord("format", format, {"text", "json"}));
  RETURN_IF_ERROR(CheckOutputFlag(request.output));
  if (const std::string probe = absl::GetFlag(FLAGS_probe); !probe.empty()) {
    return RunProbe(probe, request);
  }
  options.json = format == "json";
  options.flags = {absl::StrCat("--input=", request.input), absl::StrCat("--output=", request.output),
                   absl::StrCat("--timeout=", absl::FormatDuration(request.timeout))};
  return RunDoctor(options);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::InitMain(
      {lockstep::kTool,
       "Checks in seconds whether Lockstep works on this machine, with a remedy for each problem: "
       "compiler, LibTorch, driver, GPUs and their links, limits, data, disk, gnuplot, pdflatex.",
       {"doctor", "doctor --for=train,scale --device=cuda --input=dataset.rec", "doctor --format=json"},
       {{"question",
         "scope of the examination",
         {{"for"}, {"device"}, {"input", "the first data found"}, {"output"}},
         lockstep::HelpPages::kAll},
        {"answer", "format and time limit", {{"format"}, {"timeout"}, {"quiet"}}, lockstep::HelpPages::kAll}}},
      argc, argv);
  return lockstep::RunTool(lockstep::kTool, lockstep::Run);
}
