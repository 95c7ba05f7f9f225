#include "lib/lab/lab_experiments.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/lab/lab_costs.h"

namespace lockstep {
namespace {

constexpr uint32_t kEpochs = 5;           // default of scale_run's experiments
constexpr uint32_t kLongerRows = 12;      // rows of large_batch with as many updates as the small batch
constexpr double kLongerEpochs = 294;     // their epochs if the batches are 128 and 8,192
constexpr uint32_t kRowsOfAllKinds = 16;  // the other rows of large_batch
constexpr const char* kShortRemedies[] = {"linear rate", "warm-up", "clipping", "LARS", "label smoothing"};

// Settings that the experiments share.
struct Setting {
  std::string model;
  std::string preset;
  uint32_t ranks;
  uint32_t base;   // small batch, over all ranks
  uint32_t large;  // large batch, over all ranks
};

// The lab's batches are 128 and 8,192. If there are few images, the large batch is all images but the tenth that is
// held out, and the small one an eighth of all.
Setting SettingOf(const LabRequest& request, const LabFacts& facts) {
  const uint32_t ranks = RanksOf(facts).back();
  Setting setting = {facts.gpus > 0 ? ModelOf(request, facts) : "lenet5",
                     HasFastPreset(request, facts) ? "fast" : "lab", ranks, 128, 8192};
  if (facts.train_images < 2 * setting.large) {
    setting.large = (facts.train_images - facts.train_images / 10) / ranks * ranks;
    setting.base = std::max(facts.train_images / 8 / ranks * ranks, ranks);
  }
  return setting;
}

std::vector<uint32_t> SeedCounts(const LabRequest& request, const LabFacts& facts) {
  if (request.seeds > 0) {
    return {request.seeds};
  }
  return facts.gpus > 0 ? std::vector<uint32_t>{1, 3} : std::vector<uint32_t>{1, 2};
}

LabStep ExperimentStep(const LabRequest& request, const Setting& setting, const std::string& experiment,
                       const std::string& input, uint32_t seeds, const std::vector<std::string>& more) {
  std::vector<std::string> flags = {absl::StrCat("--device=", request.device), absl::StrCat("--ranks=", setting.ranks),
                                    absl::StrCat("--experiment=", experiment), absl::StrCat("--seeds=", seeds)};
  flags.insert(flags.end(), more.begin(), more.end());
  return MakeStep(request, "scale_run", LabRecord(request, input), flags, experiment);
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
    LabStep step = ExperimentStep(request, setting, "sampler_epoch", "dataset", seeds,
                                  {absl::StrCat("--model=", setting.model), absl::StrCat("--preset=", setting.preset),
                                   absl::StrCat("--batch_size=", setting.base)});
    step.seconds = 2 * seeds * RowSeconds(facts, setting, setting.base, kEpochs);
    unit.variants.push_back({SeedsText(seeds), {step}});
  }
  return unit;
}

// Batch norm needs ResNet-18. A CPU trains it on few images, because the bytes per step do not depend on their number,
// and cannot run batch norm over all ranks.
LabUnit SentUnit(const LabRequest& request, const LabFacts& facts, Setting setting) {
  LabUnit unit = {.name = "what_is_sent", .about = "bytes per step (Q6, Q7)", .is_experiment = true};
  const bool on_gpu = facts.gpus > 0;
  LabFacts used = facts;
  setting.model = "resnet18";
  setting.preset = "lab";
  if (!on_gpu) {
    used.train_images = kFewImages;
    used.test_images = kFewImages / 4;
    setting.base = 16 * setting.ranks;
  }
  for (const uint32_t seeds : SeedCounts(request, facts)) {
    const uint32_t epochs = on_gpu && seeds > 1 ? kEpochs : 2;
    std::vector<std::string> more = {"--model=resnet18", absl::StrCat("--batch_size=", setting.base),
                                     absl::StrCat("--epochs=", epochs)};
    if (!on_gpu) {
      more.emplace_back("--rows=gradients only;buffers broadcast");
    }
    LabStep step = ExperimentStep(request, setting, "what_is_sent", on_gpu ? "dataset" : ".few", seeds, more);
    step.seconds = (on_gpu ? 3 : 2) * seeds * RowSeconds(used, setting, setting.base, epochs);
    unit.variants.push_back({absl::StrCat(epochs, " epochs; ", SeedsText(seeds)), {step}});
  }
  return unit;
}

LabUnit LargeBatchUnit(const LabRequest& request, const LabFacts& facts, const Setting& setting) {
  LabUnit unit = {.name = "large_batch", .about = "large batches and remedies (Q4)", .is_experiment = true};
  const std::vector<std::string> flags = {absl::StrCat("--model=", setting.model),
                                          absl::StrCat("--preset=", setting.preset),
                                          absl::StrCat("--batch_size=", setting.base, ",", setting.large)};
  std::string rows = absl::StrCat("--rows=", setting.base, ";", setting.large);
  for (const char* remedy : kShortRemedies) {
    absl::StrAppend(&rows, ";", setting.large, ", ", remedy);
  }
  const double base_row = RowSeconds(facts, setting, setting.base, kEpochs);
  const double large_row = RowSeconds(facts, setting, setting.large, kEpochs);
  for (const uint32_t seeds : SeedCounts(request, facts)) {
    std::vector<std::string> more = flags;
    more.push_back(rows);
    LabStep step = ExperimentStep(request, setting, "large_batch", "dataset", seeds, more);
    step.seconds = seeds * (base_row + (1 + std::size(kShortRemedies)) * large_row);
    unit.variants.push_back({absl::StrCat("7 rows; ", SeedsText(seeds)), {step}});
  }
  if (setting.model == "resnet18") {
    const uint32_t seeds = SeedCounts(request, facts).back();
    LabStep step = ExperimentStep(request, setting, "large_batch", "dataset", seeds, flags);
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
