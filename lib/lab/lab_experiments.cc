#include "lib/lab/lab_experiments.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/cifar/synthetic.h"
#include "lib/dataset/batch_choice.h"
#include "lib/lab/lab_costs.h"
#include "lib/wording/small_experiments.h"

namespace lockstep {
namespace {

constexpr uint32_t kLongerRows = 12;      // rows of large_batch with as many updates as the small batch
constexpr double kLongerEpochs = 294;     // their epochs if the batches are 128 and 8,192
constexpr uint32_t kRowsOfAllKinds = 16;  // the other rows of large_batch

// Settings that the experiments share.
struct Setting {
  std::string model;
  std::string preset;
  uint32_t ranks;
  uint32_t base;   // small batch, over all ranks
  uint32_t large;  // large batch, over all ranks
};

Setting SettingOf(const LabRequest& request, const LabFacts& facts) {
  const uint32_t ranks = RanksOf(facts).back();
  const LargeBatchSizes sizes = ChooseLargeBatchSizes(facts.train_images, ranks);
  return {facts.gpus > 0 ? ModelOf(request, facts) : SmallModel(facts), HasFastPreset(request, facts) ? "fast" : "lab",
          ranks, sizes.base, sizes.large};
}

std::vector<uint32_t> SeedCounts(const LabRequest& request, const LabFacts& facts) {
  if (request.seeds > 0) {
    return {request.seeds};
  }
  // Two seeds show a spread, so that differences can be tested; three are scale_run's default.
  return facts.gpus > 0 ? std::vector<uint32_t>{1, 2, 3} : std::vector<uint32_t>{1, kSmallSeeds};
}

// Returns the step of an experiment on the data set `input`, the path of a record.
LabStep ExperimentStep(const LabRequest& request, const Setting& setting, const std::string& experiment,
                       const std::string& input, uint32_t seeds, const std::vector<std::string>& more) {
  std::vector<std::string> flags = {absl::StrCat("--device=", request.device), absl::StrCat("--ranks=", setting.ranks),
                                    absl::StrCat("--experiment=", experiment), absl::StrCat("--seeds=", seeds)};
  flags.insert(flags.end(), more.begin(), more.end());
  return MakeStep(request, "scale_run", input, flags, experiment);
}

// Returns the predicted seconds of one row and seed, with the evaluation of its last epoch.
double RowSeconds(const LabFacts& facts, const Setting& setting, uint32_t batch, double epochs) {
  const uint32_t per_rank = std::max<uint32_t>(1, batch / setting.ranks);
  return PointSeconds(facts) + epochs * EpochSecondsOn(facts, setting.model, setting.preset, setting.ranks, per_rank) +
         EpochSeconds(facts, setting.model, setting.preset, facts.test_images, per_rank) / 2;
}

std::string SeedsText(uint32_t seeds) { return absl::StrCat(seeds, seeds == 1 ? " seed per row" : " seeds per row"); }

LabUnit SamplerUnit(const LabRequest& request, const LabFacts& facts, const Setting& setting) {
  LabUnit unit = {.name = "sampler_epoch", .about = "sampler without the epoch number (Q5)", .is_experiment = true};
  for (const uint32_t seeds : SeedCounts(request, facts)) {
    LabStep step = ExperimentStep(request, setting, "sampler_epoch", DatasetRecord(request), seeds,
                                  {absl::StrCat("--model=", setting.model), absl::StrCat("--preset=", setting.preset),
                                   absl::StrCat("--batch_size=", setting.base)});
    step.seconds = 2 * seeds * RowSeconds(facts, setting, setting.base, kExperimentEpochs);
    unit.variants.push_back({SeedsText(seeds), {step}});
  }
  return unit;
}

// Returns the facts for training on the few synthetic images.
LabFacts FactsOfFewImages(LabFacts facts) {
  const LabFacts cifar10;
  facts.train_images = kFewImages;
  facts.test_images = SyntheticTestImages(kFewImages);
  facts.height = cifar10.height;
  facts.width = cifar10.width;
  return facts;
}

// Returns the step that makes few images with the classes of the data set.
LabStep FewImagesStep(const LabRequest& request, const LabFacts& facts) {
  LabStep step = SyntheticStep(request, kFewImages, facts.classes, ".few_classes");
  step.seconds = PointSeconds(facts);
  step.is_derived = true;  // replacing images from a seed loses no measurement
  step.is_shown = false;
  return step;
}

// Batch norm needs ResNet-18. A CPU trains it on few synthetic images, because the bytes per step do not depend on
// their number and size, and cannot run batch norm over all ranks. The images of the preparation have ten classes; the
// weights, and hence the bytes, of another number of classes need images of their own.
LabUnit SentUnit(const LabRequest& request, const LabFacts& facts, Setting setting) {
  LabUnit unit = {.name = "what_is_sent", .about = "bytes per step (Q6, Q7)", .is_experiment = true};
  const bool on_gpu = facts.gpus > 0;
  LabFacts used = facts;
  std::string input = DatasetRecord(request);
  std::vector<LabStep> before;
  setting.model = "resnet18";
  setting.preset = "lab";
  if (!on_gpu) {
    used = FactsOfFewImages(facts);
    setting.base = kFewPerRank * setting.ranks;
    input = LabRecord(request, ".few");
  }
  if (!on_gpu && facts.classes > kMaxSyntheticClasses) {
    unit.excluded = absl::StrCat("on a CPU it needs synthetic images, which have at most ", kMaxSyntheticClasses,
                                 " classes; the data set has ", facts.classes);
    return unit;
  }
  if (!on_gpu && facts.classes != LabFacts().classes) {
    before.push_back(FewImagesStep(request, facts));
    input = before.back().record;
  }
  const std::vector<uint32_t> seed_counts = SeedCounts(request, facts);
  for (const uint32_t seeds : seed_counts) {
    // Two seeds tell more than more epochs: the largest number of seeds has the usual epochs.
    const uint32_t epochs = on_gpu && seeds > 1 && seeds == seed_counts.back() ? kExperimentEpochs : kFewEpochs;
    std::vector<std::string> more = {"--model=resnet18", absl::StrCat("--batch_size=", setting.base),
                                     absl::StrCat("--epochs=", epochs)};
    if (!on_gpu) {
      more.push_back(absl::StrCat("--rows=", kFewRows));
    }
    LabStep step = ExperimentStep(request, setting, "what_is_sent", input, seeds, more);
    step.seconds = (on_gpu ? 3 : kFewRowCount) * seeds * RowSeconds(used, setting, setting.base, epochs);
    LabVariant& variant =
        unit.variants.emplace_back(LabVariant{absl::StrCat(epochs, " epochs; ", SeedsText(seeds)), before});
    variant.steps.push_back(std::move(step));
  }
  return unit;
}

LabUnit LargeBatchUnit(const LabRequest& request, const LabFacts& facts, const Setting& setting) {
  LabUnit unit = {.name = "large_batch", .about = "large batches and remedies (Q4)", .is_experiment = true};
  if (setting.large <= setting.base) {
    unit.excluded = absl::StrCat(facts.train_images, " training images are too few for two batches on ", setting.ranks,
                                 setting.ranks == 1 ? " rank" : " ranks");
    return unit;
  }
  const std::vector<std::string> flags = {absl::StrCat("--model=", setting.model),
                                          absl::StrCat("--preset=", setting.preset),
                                          absl::StrCat("--batch_size=", setting.base, ",", setting.large)};
  const std::string rows = absl::StrCat("--rows=", SmallLargeBatchRows(setting.base, setting.large));
  const double base_row = RowSeconds(facts, setting, setting.base, kExperimentEpochs);
  const double large_row = RowSeconds(facts, setting, setting.large, kExperimentEpochs);
  for (const uint32_t seeds : SeedCounts(request, facts)) {
    std::vector<std::string> more = flags;
    more.push_back(rows);
    LabStep step = ExperimentStep(request, setting, "large_batch", DatasetRecord(request), seeds, more);
    step.seconds = seeds * (base_row + (1 + std::size(kSmallRemedies)) * large_row);
    unit.variants.push_back({absl::StrCat("7 rows; ", SeedsText(seeds)), {step}});
  }
  if (setting.model == "resnet18") {
    const uint32_t seeds = SeedCounts(request, facts).back();
    LabStep step = ExperimentStep(request, setting, "large_batch", DatasetRecord(request), seeds, flags);
    step.seconds =
        seeds * (kRowsOfAllKinds * large_row + kLongerRows * RowSeconds(facts, setting, setting.large, kLongerEpochs));
    unit.variants.push_back({absl::StrCat("all rows; ", SeedsText(seeds)), {step}});
  }
  return unit;
}

}  // namespace

std::vector<LabUnit> ExperimentUnits(const LabRequest& request, const LabFacts& facts) {
  const Setting setting = SettingOf(request, facts);
  return {SamplerUnit(request, facts, setting), SentUnit(request, facts, setting),
          LargeBatchUnit(request, facts, setting)};
}

}  // namespace lockstep
