#include "lib/wording/question_commands.h"

#include <iterator>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/dataset/batch_choice.h"

namespace lockstep {
namespace {

constexpr uint32_t kRanks = 2;                  // ranks of the experiments, and the larger number of the other runs
constexpr uint32_t kExperimentBatch = 128;      // batch over all ranks
constexpr uint32_t kFirstBatch = 32;            // first batch of train_sweep, and the batch of LeNet-5
constexpr uint32_t kScaled[] = {32, 128, 512};  // batches per rank

// Returns a number for which every batch fits if the number of images is unknown.
uint64_t ImagesForBatches(uint64_t training_images) {
  return training_images == 0 ? std::numeric_limits<uint64_t>::max() : training_images;
}

uint32_t FirstBatch(uint64_t training_images) {
  return FittingBatches({kFirstBatch}, ImagesForBatches(training_images), 1).front();
}

std::string ScaledBatches(uint64_t training_images) {
  const std::vector<uint32_t> batches(std::begin(kScaled), std::end(kScaled));
  return absl::StrJoin(FittingBatches(batches, ImagesForBatches(training_images), kRanks), ",");
}

std::string ExperimentBatches(proto::Experiment experiment, uint64_t training_images) {
  const uint64_t images = ImagesForBatches(training_images);
  if (experiment == proto::LARGE_BATCH) {
    const LargeBatchSizes sizes = ChooseLargeBatchSizes(images, kRanks);
    return absl::StrCat(sizes.base, ",", sizes.large);
  }
  return absl::StrCat(kRanks * FittingBatches({kExperimentBatch / kRanks}, images, kRanks).front());
}

// Returns the commands that train `model` and quantize it. Records have different names, so that no command replaces
// the record of another.
std::vector<std::string> QuantizeCommands(absl::string_view model, absl::string_view record, uint64_t training_images) {
  return {absl::StrCat("train_sweep --input=dataset.rec --model=", model, " --batch_size=", FirstBatch(training_images),
                       " --checkpoint=", model, ".pt --output=", model, ".rec"),
          absl::StrCat("quantize --input=dataset.rec --checkpoint=", model, ".pt --output=", record)};
}

// Returns the command of the batch sweep. Its own first batch is named only if a smaller one must be.
std::string SweepCommand(uint64_t training_images) {
  const uint32_t batch = FirstBatch(training_images);
  return absl::StrCat("train_sweep --input=dataset.rec",
                      batch < kFirstBatch ? absl::StrCat(" --batch_size=", batch) : "", " --output=sweep.rec");
}

}  // namespace

std::string ExperimentCommand(proto::Experiment experiment, uint64_t training_images) {
  const std::string name = absl::AsciiStrToLower(proto::Experiment_Name(experiment));
  return absl::StrCat("scale_run --input=dataset.rec --experiment=", name, " --ranks=", kRanks,
                      " --batch_size=", ExperimentBatches(experiment, training_images), " --output=", name, ".rec");
}

std::string DataParallelCommand(uint64_t training_images) {
  return absl::StrCat("scale_run --input=dataset.rec --mode=ddp,dp --ranks=1,", kRanks,
                      " --batch_size=", ScaledBatches(training_images), " --output=scale.rec");
}

std::string PredictCommand() { return "comm_model --input=scale.rec --predict_ranks=4 --output=prediction.rec"; }

std::string AuditCommand() { return "comm_model --audit=data/published/hand_in_001.textproto --output=audit.rec"; }

std::string ExplainCommand(absl::string_view path) {
  return absl::StrCat("comm_model --input=", path, " --output=comm_model.rec");
}

std::vector<std::string> CommandsFor(absl::string_view question, uint64_t training_images) {
  if (question == "Q1") {
    return {SweepCommand(training_images)};
  }
  if (question == "Q2" || question == "Q3") {
    return {absl::StrCat("scale_run --input=dataset.rec --ranks=1,", kRanks,
                         " --batch_size=", ScaledBatches(training_images), " --output=scale.rec"),
            ExplainCommand("scale.rec")};
  }
  if (absl::StartsWith(question, "Q")) {
    return {ExperimentCommand(question == "Q4"   ? proto::LARGE_BATCH
                              : question == "Q5" ? proto::SAMPLER_EPOCH
                                                 : proto::WHAT_IS_SENT,
                              training_images)};
  }
  // B5 asks about biases, which lenet5 does not have.
  return question == "B5" ? QuantizeCommands("lenet5_bias", "quantized_bias.rec", training_images)
                          : QuantizeCommands("lenet5", "quantized.rec", training_images);
}

std::string RunText(const std::vector<std::string>& commands) {
  return absl::StrCat("run ", absl::StrJoin(commands, " and then "));
}

}  // namespace lockstep
