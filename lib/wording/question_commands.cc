#include "lib/wording/question_commands.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lockstep {
namespace {

// Returns the commands that train `model` and quantize it. Records have different names, so that no command replaces
// the record of another.
std::vector<std::string> QuantizeCommands(absl::string_view model, absl::string_view record) {
  return {absl::StrCat("train_sweep --input=dataset.rec --model=", model, " --batch_size=32 --checkpoint=", model,
                       ".pt --output=", model, ".rec"),
          absl::StrCat("quantize --input=dataset.rec --checkpoint=", model, ".pt --output=", record)};
}

}  // namespace

std::string ExperimentCommand(proto::Experiment experiment) {
  const std::string name = absl::AsciiStrToLower(proto::Experiment_Name(experiment));
  return absl::StrCat("scale_run --input=dataset.rec --experiment=", name,
                      " --ranks=2 --batch_size=", experiment == proto::LARGE_BATCH ? "128,8192" : "128",
                      " --output=", name, ".rec");
}

std::string DataParallelCommand() {
  return "scale_run --input=dataset.rec --mode=ddp,dp --ranks=1,2 --batch_size=32,128,512 --output=scale.rec";
}

std::string PredictCommand() { return "comm_model --input=scale.rec --predict_ranks=4 --output=prediction.rec"; }

std::string AuditCommand() { return "comm_model --audit=data/published/hand_in_001.textproto --output=audit.rec"; }

std::string ExplainCommand(absl::string_view path) {
  return absl::StrCat("comm_model --input=", path, " --output=comm_model.rec");
}

std::vector<std::string> CommandsFor(absl::string_view question) {
  if (question == "Q1") {
    return {"train_sweep --input=dataset.rec --output=sweep.rec"};
  }
  if (question == "Q2" || question == "Q3") {
    return {"scale_run --input=dataset.rec --ranks=1,2 --batch_size=32,128,512 --output=scale.rec",
            ExplainCommand("scale.rec")};
  }
  if (absl::StartsWith(question, "Q")) {
    return {ExperimentCommand(question == "Q4"   ? proto::LARGE_BATCH
                              : question == "Q5" ? proto::SAMPLER_EPOCH
                                                 : proto::WHAT_IS_SENT)};
  }
  // B5 asks about biases, which lenet5 does not have.
  return question == "B5" ? QuantizeCommands("lenet5_bias", "quantized_bias.rec")
                          : QuantizeCommands("lenet5", "quantized.rec");
}

std::string RunText(const std::vector<std::string>& commands) {
  return absl::StrCat("run ", absl::StrJoin(commands, " and then "));
}

}  // namespace lockstep
