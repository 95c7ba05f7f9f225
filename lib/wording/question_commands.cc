#include "lib/wording/question_commands.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/base/path.h"
#include "lib/cifar/synthetic.h"
#include "lib/dataset/batch_choice.h"
#include "lib/wording/small_experiments.h"

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

// Returns the flag of a path: " --input=dataset.rec"; the path is quoted if a shell would change it.
std::string PathFlag(absl::string_view flag, absl::string_view path) {
  const bool plain = std::all_of(path.begin(), path.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("._/-+:@%", c);
  });
  return absl::StrCat(" --", flag, "=",
                      plain ? std::string(path) : absl::StrCat("'", absl::StrReplaceAll(path, {{"'", "'\\''"}}), "'"));
}

// Returns the flag of the data set's record: its path as the user gave it.
std::string InputFlag(const DatasetFacts& facts) {
  return PathFlag("input", facts.path.empty() ? "dataset.rec" : facts.path);
}

// Returns the flag of a file next to the page's records.
std::string OutputFlag(const DatasetFacts& facts, absl::string_view name, absl::string_view flag = "output") {
  return PathFlag(flag, JoinPath(facts.folder, name));
}

// Returns the flag of a network that the machine trains in minutes. ResNet-18, the default, is not such a network on a
// CPU.
std::string ModelFlag(const DatasetFacts& facts) { return facts.only_cpu ? " --model=lenet5" : ""; }

std::string RecordName(proto::Experiment experiment) {
  return absl::StrCat(absl::AsciiStrToLower(proto::Experiment_Name(experiment)), ".rec");
}

// Returns true if what_is_sent trains on few synthetic images. The weights, and hence the bytes, depend on the classes,
// of which synthetic images have a limited number.
bool HasFewImages(const DatasetFacts& facts) { return facts.only_cpu && facts.classes <= kMaxSyntheticClasses; }

// Returns the commands of what_is_sent with few images, whose record a folder given to report does not include, because
// its name begins with a point.
std::vector<std::string> FewImagesCommands(const DatasetFacts& facts) {
  constexpr uint32_t kDefaultClasses = 10;
  const bool other_classes = facts.classes > 0 && facts.classes != kDefaultClasses;
  const std::string few = other_classes ? ".few_classes.rec" : ".few.rec";
  return {
      absl::StrCat("cifar_prep --input_format=synthetic --train_images=", kFewImages, " --test_images=", kFewTestImages,
                   other_classes ? absl::StrCat(" --classes=", facts.classes) : "", OutputFlag(facts, few)),
      absl::StrCat("scale_run", OutputFlag(facts, few, "input"), " --experiment=what_is_sent --ranks=", kCommandRanks,
                   " --seeds=", kSmallSeeds, " --model=resnet18 --batch_size=", kCommandRanks * kFewPerRank,
                   " --epochs=", kFewEpochs, " --rows='", kFewRows, "'",
                   OutputFlag(facts, RecordName(proto::WHAT_IS_SENT)))};
}

// Returns the flags of the small extent of large_batch and sampler_epoch.
std::string SmallFlags(proto::Experiment experiment, const DatasetFacts& facts) {
  if (!facts.only_cpu || experiment == proto::WHAT_IS_SENT) {
    return "";
  }
  const LargeBatchSizes sizes = ChooseLargeBatchSizes(facts.ImagesForBatches(), kCommandRanks);
  return absl::StrCat(" --seeds=", kSmallSeeds,
                      experiment == proto::LARGE_BATCH
                          ? absl::StrCat(" --rows='", SmallLargeBatchRows(sizes.base, sizes.large), "'")
                          : "");
}

std::vector<std::string> ExperimentCommands(proto::Experiment experiment, const DatasetFacts& facts) {
  if (experiment == proto::WHAT_IS_SENT && HasFewImages(facts)) {
    return FewImagesCommands(facts);
  }
  const std::string name = absl::AsciiStrToLower(proto::Experiment_Name(experiment));
  // Only a network with batch norm sends more than gradients.
  const std::string model = experiment == proto::WHAT_IS_SENT ? "" : ModelFlag(facts);
  return {absl::StrCat("scale_run", InputFlag(facts), model, " --experiment=", name, " --ranks=", kCommandRanks,
                       " --batch_size=", ExperimentBatches(experiment, facts), SmallFlags(experiment, facts),
                       OutputFlag(facts, RecordName(experiment)))};
}

// Returns the experiment that answers one of Q4 to Q7.
proto::Experiment ExperimentOf(absl::string_view question) {
  return question == "Q4" ? proto::LARGE_BATCH : question == "Q5" ? proto::SAMPLER_EPOCH : proto::WHAT_IS_SENT;
}

// Returns the predicted seconds of the small extent on two cores; 0 if they are not known.
double SmallSeconds(proto::Experiment experiment, const DatasetFacts& facts) {
  if (experiment == proto::WHAT_IS_SENT) {
    return HasFewImages(facts) ? SmallSentSeconds() : 0;
  }
  const auto images = static_cast<double>(facts.training_images);
  if (experiment == proto::LARGE_BATCH) {
    const LargeBatchSizes sizes = ChooseLargeBatchSizes(facts.ImagesForBatches(), kCommandRanks);
    return images > 0 ? SmallLargeBatchSeconds(images, sizes.base, sizes.large) : 0;
  }
  return images > 0 ? SmallSamplerSeconds(images, kExperimentBatch) : 0;
}

// Returns the first question that an experiment answers.
absl::string_view QuestionOf(proto::Experiment experiment) {
  return experiment == proto::LARGE_BATCH ? "Q4" : experiment == proto::SAMPLER_EPOCH ? "Q5" : "Q6";
}

// Returns the commands that train `model` and quantize it. Records have different names, so that no command replaces
// the record of another.
std::vector<std::string> QuantizeCommands(absl::string_view model, absl::string_view record,
                                          const DatasetFacts& facts) {
  const std::string checkpoint = OutputFlag(facts, absl::StrCat(model, ".pt"), "checkpoint");
  return {absl::StrCat("train_sweep", InputFlag(facts), " --model=", model, " --batch_size=", FirstBatch(facts),
                       checkpoint, OutputFlag(facts, absl::StrCat(model, ".rec"))),
          absl::StrCat("quantize", InputFlag(facts), checkpoint, OutputFlag(facts, record))};
}

// Returns the command of the batch sweep. Its own first batch is named only if a smaller one must be.
std::string SweepCommand(const DatasetFacts& facts) {
  const uint32_t batch = FirstBatch(facts);
  return absl::StrCat("train_sweep", InputFlag(facts), ModelFlag(facts),
                      batch < kFirstBatch ? absl::StrCat(" --batch_size=", batch) : "", OutputFlag(facts, "sweep.rec"));
}

}  // namespace

std::string ExperimentText(proto::Experiment experiment, const DatasetFacts& facts) {
  const std::string reason = WhyNoCommands(QuestionOf(experiment), facts);
  return reason.empty() ? RunText(ExperimentCommands(experiment, facts)) : reason;
}

std::string DataParallelText(const DatasetFacts& facts) {
  const std::string reason = WhyNoDataParallel(facts);
  return reason.empty()
             ? RunText({absl::StrCat("scale_run", InputFlag(facts), " --mode=ddp,dp --ranks=1,", kCommandRanks,
                                     " --batch_size=", ScaledBatches(facts), OutputFlag(facts, "scale.rec"))})
             : reason;
}

std::string PredictCommand() { return "comm_model --input=scale.rec --predict_ranks=4 --output=prediction.rec"; }

std::string AuditCommand() { return "comm_model --audit=data/published/hand_in_001.textproto --output=audit.rec"; }

std::string ExplainCommand(absl::string_view path) {
  return absl::StrCat("comm_model", PathFlag("input", path), PathFlag("output", SiblingPath(path, "comm_model.rec")));
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
                         " --batch_size=", ScaledBatches(facts), OutputFlag(facts, "scale.rec")),
            ExplainCommand(JoinPath(facts.folder, "scale.rec"))};
  }
  if (absl::StartsWith(question, "Q")) {
    return ExperimentCommands(ExperimentOf(question), facts);
  }
  // B5 asks about biases, which lenet5 does not have.
  return question == "B5" ? QuantizeCommands("lenet5_bias", "quantized_bias.rec", facts)
                          : QuantizeCommands("lenet5", "quantized.rec", facts);
}

std::string DurationOf(absl::string_view question, const DatasetFacts& facts) {
  const bool is_experiment = question == "Q4" || question == "Q5" || question == "Q6" || question == "Q7";
  const double seconds = facts.only_cpu && is_experiment ? SmallSeconds(ExperimentOf(question), facts) : 0;
  if (seconds <= 0 || !WhyNoCommands(question, facts).empty()) {
    return "";
  }
  // Rounded up to tens of seconds, because the prediction has about one significant digit.
  return seconds <= 120 ? absl::StrCat("about ", 10 * static_cast<int>(std::ceil(seconds / 10)), " s on two cores")
                        : absl::StrCat("about ", static_cast<int>(std::ceil(seconds / 60)), " min on two cores");
}

std::string RunText(const std::vector<std::string>& commands) {
  return absl::StrCat("run ", absl::StrJoin(commands, " and then "));
}

std::string AnswerText(absl::string_view question, const DatasetFacts& facts) {
  const std::string reason = WhyNoCommands(question, facts);
  return reason.empty() ? RunText(CommandsFor(question, facts)) : reason;
}

}  // namespace lockstep
