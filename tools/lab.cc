// lab: runs the six tools in sequence, from CIFAR-10 or synthetic images to a report, within a time budget. The stage
// is lib/lab/lab_run.h.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/flag_words.h"
#include "lib/base/given_flags.h"
#include "lib/base/init_main.h"
#include "lib/base/run_tool.h"
#include "lib/base/status_macros.h"
#include "lib/base/subprocess.h"
#include "lib/lab/lab_machine.h"
#include "lib/lab/lab_request.h"
#include "lib/lab/lab_run.h"

ABSL_FLAG(
    std::string, input, "",
    "CIFAR-10, CIFAR-100 or pictures as a folder or an archive, in any form that cifar_prep reads, or a record of "
    "cifar_prep (NAME.rec); empty: synthetic images.");
ABSL_FLAG(std::string, output, "lockstep_lab", "Folder for the records and the page; it is made if there is none.");
ABSL_FLAG(bool, force, false, "Run every step again, even if its result exists.");
ABSL_FLAG(bool, allow_partial, false, "Accept an --input that is only a part of CIFAR-10 or CIFAR-100.");
ABSL_FLAG(bool, dry_run, false, "Print the plan and exit.");
// The upper end is a week. Half a second, the lower end, measures the first unit only.
RANGED_FLAG(double, minutes, 0, 0.01, 10080,
            "Time budget, from which batches, repeats and experiments are chosen; left out: 8 on GPUs, 3 on a CPU.");
ABSL_FLAG(bool, questions, false,
          "Run all experiments (large batches, the sampler, what is sent), also those that exceed --minutes.");
ABSL_FLAG(std::string, device, "auto", "auto (CUDA if there is a GPU), cpu or cuda.");
FLAG_WORDS(device, "auto", "cpu", "cuda");
ABSL_FLAG(std::string, model, "", "resnet18 or lenet5; empty: resnet18 on GPUs, lenet5 on a CPU.");
FLAG_WORDS(model, "resnet18", "lenet5");
RANGED_FLAG(std::vector<std::string>, batch_size, {}, 1, 1'000'000,
            "Batch sizes per device; none: chosen from --minutes.");
RANGED_FLAG(uint32_t, images, 0, 0, 1'000'000,
            "Synthetic training images; 0: 50000 on GPUs, 2048 on a CPU (256 for resnet18).");
RANGED_FLAG(uint32_t, repeats, 0, 0, 1'000'000, "Timed epochs of each point; 0: chosen from --minutes.");
RANGED_FLAG(uint32_t, seeds, 0, 0, 1000, "Seeds of each row of an experiment; 0: chosen from --minutes.");
RANGED_FLAG(uint32_t, calibration_images, 0, 0, 1'000'000,
            "Calibration images of quantize; 0: 400, or all images if there are fewer.");
ABSL_FLAG(std::string, style, "",
          "Style of the report: given, or lab: every question, blank ones with the command that answers them; empty: "
          "the report's default.");
FLAG_WORDS(style, "given", "lab");
ABSL_FLAG(std::vector<std::string>, format, {},
          "Formats of the report, such as html,latex; none: the report's default.");
FLAG_WORDS(format, "html", "markdown", "latex", "csv", "json", "all");

namespace lockstep {
namespace {

constexpr char kTool[] = "lab";

absl::Status Run() {
  LabRequest request;
  request.input = absl::GetFlag(FLAGS_input);
  request.output = absl::GetFlag(FLAGS_output);
  request.model = absl::GetFlag(FLAGS_model);
  request.device = absl::GetFlag(FLAGS_device);
  ASSIGN_OR_RETURN(request.batches, ParseNumberList("batch_size", absl::GetFlag(FLAGS_batch_size)));
  request.images = absl::GetFlag(FLAGS_images);
  request.repeats = absl::GetFlag(FLAGS_repeats);
  request.seeds = absl::GetFlag(FLAGS_seeds);
  request.calibration_images = absl::GetFlag(FLAGS_calibration_images);
  request.minutes = absl::GetFlag(FLAGS_minutes);
  request.all_questions = absl::GetFlag(FLAGS_questions);
  request.force = absl::GetFlag(FLAGS_force);
  request.allow_partial = absl::GetFlag(FLAGS_allow_partial);
  const std::string style = absl::GetFlag(FLAGS_style);
  const std::vector<std::string> formats = absl::GetFlag(FLAGS_format);
  RETURN_IF_ERROR(CheckFlagWord("device", request.device, {"auto", "cpu", "cuda"}));
  if (!request.model.empty()) {
    RETURN_IF_ERROR(CheckFlagWord("model", request.model, {"resnet18", "lenet5"}));
  }
  if (!style.empty()) {
    RETURN_IF_ERROR(CheckFlagWord("style", style, {"given", "lab"}));
    request.report_flags.push_back(absl::StrCat("--style=", style));
  }
  for (const std::string& format : formats) {
    RETURN_IF_ERROR(CheckFlagWord("format", format, {"html", "markdown", "latex", "csv", "json", "all"}));
  }
  if (!formats.empty()) {
    request.report_flags.push_back(absl::StrCat("--format=", absl::StrJoin(formats, ",")));
  }
  RETURN_IF_ERROR(CheckGivenFlags({
      {{"images"}, request.input.empty(), "with --input, which has its own images", ""},
      {{"allow_partial"}, !request.input.empty(), "without --input", ""},
      {{"allow_partial"}, !InputIsRecord(request), "with a record of cifar_prep as --input", ""},
  }));
  ASSIGN_OR_RETURN(const std::string program, SelfPath());
  ASSIGN_OR_RETURN(const LabPlaces places, FindLabPlaces(program));
  return absl::GetFlag(FLAGS_dry_run) ? PrintLabPlan(request, places) : RunLab(request, places);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  lockstep::InitMain(
      {lockstep::kTool,
       "Runs the six tools in sequence, from any CIFAR-10 or synthetic images to a report, within a time budget. "
       "Prints "
       "the plan and each command; a step whose result exists is not run again.",
       {"lab", "lab --input=cifar-10-binary.tar.gz --output=real_lab --minutes=20",
        "lab --questions --style=lab --dry_run"},
       {{"files",
         "inputs and outputs",
         {{"input", "none: synthetic images"}, {"output"}, {"allow_partial"}, {"force"}, {"dry_run"}, {"quiet"}},
         lockstep::HelpPages::kAll},
        {"plan",
         "budget and extent",
         {{"minutes", "8 on GPUs, 3 on a CPU"},
          {"questions"},
          {"device"},
          {"model", "resnet18 on GPUs, lenet5 on a CPU"},
          {"batch_size", "from --minutes"},
          {"images", "50000 on GPUs, 2048 on a CPU"},
          {"repeats", "from --minutes"},
          {"seeds", "from --minutes"},
          {"calibration_images", "400, or all images"}},
         lockstep::HelpPages::kAll},
        {"page",
         "style and formats of the report",
         {{"style", "given"}, {"format", "html,markdown"}},
         lockstep::HelpPages::kAll}}},
      argc, argv);
  return lockstep::RunTool(lockstep::kTool, lockstep::Run);
}
