#include "lib/wording/question_commands.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/dataset/batch_choice.h"

namespace lockstep {
namespace {

constexpr uint32_t kExperimentBatch = 128;      // batch over all ranks
constexpr uint32_t kFirstBatch = 32;            // first batch of train_sweep, and the batch of LeNet-5
constexpr uint32_t kScaled[] = {32, 128, 512};  // batches per rank

uint32_t FirstBatch(const DatasetFacts& facts) {
  return FittingBatches({kFirstBatch}, facts.ImagesForBatches(), 1).front();
}

std::string ScaledBatches(const DatasetFacts& facts) {
  const std::vector<uint32_t> batches(std::begin(kScaled), std::end(kScaled));
  return absl::StrJoin(FittingBatches(batches, facts.ImagesForBatches(), kCommandRanks), ",");
}

std::string ExperimentBatches(proto::Experiment experiment, const DatasetFacts& facts) {
  const uint64_t images = facts.ImagesForBatches();
  if (experiment == proto::LARGE_BATCH) {
    const LargeBatchSizes sizes = ChooseLargeBatchSizes(images, kCommandRanks);
    return absl::StrCat(sizes.base, ",", sizes.large);
  }
  return absl::StrCat(kCommandRanks *
                      FittingBatches({kExperimentBatch / kCommandRanks}, images, kCommandRanks).front());
}

// Returns the flag of the data set's record: its path as the user gave it, quoted if a shell would change it.
std::string InputFlag(const DatasetFacts& facts) {
  const std::string path = facts.path.empty() ? "dataset.rec" : facts.path;
  const bool plain = std::all_of(path.begin(), path.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("._/-+:@%", c);
  });
  return absl::StrCat(" --input=", plain ? path : absl::StrCat("'", absl::StrReplaceAll(path, {{"'", "'\\''"}}), "'"));
}

// Returns the flag of a network that the machine trains in minutes. ResNet-18, the default, is not such a network on a
// CPU.
std::string ModelFlag(const DatasetFacts& facts) { return facts.only_cpu ? " --model=lenet5" : ""; }

std::string ExperimentCommand(proto::Experiment experiment, const DatasetFacts& facts) {
  const std::string name = absl::AsciiStrToLower(proto::Experiment_Name(experiment));
  // Only a network with batch norm sends more than gradients.
  const std::string model = experiment == proto::WHAT_IS_SENT ? "" : ModelFlag(facts);
  return absl::StrCat("scale_run", InputFlag(facts), model, " --experiment=", name, " --ranks=", kCommandRanks,
                      " --batch_size=", ExperimentBatches(experiment, facts), " --output=", name, ".rec");
}

// Returns the first question that an experiment answers.
absl::string_view QuestionOf(proto::Experiment experiment) {
  return experiment == proto::LARGE_BATCH ? "Q4" : experiment == proto::SAMPLER_EPOCH ? "Q5" : "Q6";
}

// Returns the commands that train `model` and quantize it. Records have different names, so that no command replaces
// the record of another.
std::vector<std::string> QuantizeCommands(absl::string_view model, absl::string_view record,
                                          const DatasetFacts& facts) {
  return {absl::StrCat("train_sweep", InputFlag(facts), " --model=", model, " --batch_size=", FirstBatch(facts),
                       " --checkpoint=", model, ".pt --output=", model, ".rec"),
          absl::StrCat("quantize", InputFlag(facts), " --checkpoint=", model, ".pt --output=", record)};
}

// Returns the command of the batch sweep. Its own first batch is named only if a smaller one must be.
std::string SweepCommand(const DatasetFacts& facts) {
  const uint32_t batch = FirstBatch(facts);
  return absl::StrCat("train_sweep", InputFlag(facts), ModelFlag(facts),
                      batch < kFirstBatch ? absl::StrCat(" --batch_size=", batch) : "", " --output=sweep.rec");
}

}  // namespace

std::string ExperimentText(proto::Experiment experiment, const DatasetFacts& facts) {
  const std::string reason = WhyNoCommands(QuestionOf(experiment), facts);
  return reason.empty() ? RunText({ExperimentCommand(experiment, facts)}) : reason;
}

std::string DataParallelText(const DatasetFacts& facts) {
  const std::string reason = WhyNoDataParallel(facts);
  return reason.empty()
             ? RunText({absl::StrCat("scale_run", InputFlag(facts), " --mode=ddp,dp --ranks=1,", kCommandRanks,
                                     " --batch_size=", ScaledBatches(facts), " --output=scale.rec")})
             : reason;
}

std::string PredictCommand() { return "comm_model --input=scale.rec --predict_ranks=4 --output=prediction.rec"; }

std::string AuditCommand() { return "comm_model --audit=data/published/hand_in_001.textproto --output=audit.rec"; }

std::string ExplainCommand(absl::string_view path) {
  return absl::StrCat("comm_model --input=", path, " --output=comm_model.rec");
}

std::vector<std::string> CommandsFor(absl::string_view question, const DatasetFacts& facts) {
  if (!WhyNoCommands(question, facts).empty()) {
    return {};
  }
  if (question == "Q1") {
    return {SweepCommand(facts)};
  }
  if (question == "Q2" || question == "Q3") {
    return {absl::StrCat("scale_run", InputFlag(facts), ModelFlag(facts), " --ranks=1,", kCommandRanks,
                         " --batch_size=", ScaledBatches(facts), " --output=scale.rec"),
            ExplainCommand("scale.rec")};
  }
  if (absl::StartsWith(question, "Q")) {
    return {ExperimentCommand(question == "Q4"   ? proto::LARGE_BATCH
                              : question == "Q5" ? proto::SAMPLER_EPOCH
                                                 : proto::WHAT_IS_SENT,
                              facts)};
  }
  // B5 asks about biases, which lenet5 does not have.
  return question == "B5" ? QuantizeCommands("lenet5_bias", "quantized_bias.rec", facts)
                          : QuantizeCommands("lenet5", "quantized.rec", facts);
}

std::string RunText(const std::vector<std::string>& commands) {
  return absl::StrCat("run ", absl::StrJoin(commands, " and then "));
}

std::string AnswerText(absl::string_view question, const DatasetFacts& facts) {
  const std::string reason = WhyNoCommands(question, facts);
  return reason.empty() ? RunText(CommandsFor(question, facts)) : reason;
}

}  // namespace lockstep
