#include "lib/lab_records/large_batch.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/networks/optimizers.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

constexpr char kLonger[] = "longer";

RemedyRows& RemedyFor(const std::string& remedy, LargeBatchRows& batch) {
  for (RemedyRows& rows : batch.remedies) {
    if (rows.remedy == remedy) {
      return rows;
    }
  }
  RemedyRows& rows = batch.remedies.emplace_back();
  rows.remedy = remedy;
  return rows;
}

LargeBatchRows& BatchFor(uint32_t global_batch, LargeBatchView& view) {
  for (LargeBatchRows& rows : view.batches) {
    if (rows.global_batch == global_batch) {
      return rows;
    }
  }
  LargeBatchRows& rows = view.batches.emplace_back();
  rows.global_batch = global_batch;
  return rows;
}

void AddRow(const ExperimentRow& row, LargeBatchView& view) {
  std::vector<std::string> parts = absl::StrSplit(row.name, ", ");
  const bool longer = parts.size() > 1 && parts.back() == kLonger;
  parts.resize(parts.size() - (longer ? 1 : 0));
  parts.erase(parts.begin());
  RemedyRows& rows =
      RemedyFor(parts.empty() ? kNoRemedy : absl::StrJoin(parts, ", "), BatchFor(row.first().global_batch(), view));
  (longer ? rows.longer : rows.equal) = &row;
}

// Returns the batch that the others are compared with: the first of the run, according to its record.
uint32_t BaseBatch(const ExperimentView& view) {
  if (!view.scale->spec.batch_size().empty()) {
    return view.scale->spec.batch_size(0);
  }
  uint32_t smallest = 0;
  for (const ExperimentRow& row : view.rows) {
    const uint32_t batch = row.first().global_batch();
    smallest = smallest == 0 ? batch : std::min(smallest, batch);
  }
  return smallest;
}

bool SameSchedule(const proto::TrainingSpec& a, const proto::TrainingSpec& b) {
  return a.schedule() == b.schedule() && a.lr_gamma() == b.lr_gamma() &&
         std::equal(a.lr_milestones().begin(), a.lr_milestones().end(), b.lr_milestones().begin(),
                    b.lr_milestones().end());
}

std::string NoLikeBase(const LargeBatchView& large, const ExperimentRow& row) {
  return absl::StrCat("no row of batch ", BaseBatch(*large.view), " was trained with this schedule for ",
                      CountOf(EpochsOf(row), "epoch"));
}

// Fills the verdict on a row whose difference from `none`, the batch without a remedy, was tested.
void Judge(const LargeBatchView& large, const ExperimentRow* none, const SeedDifference& gain, RemedyVerdict& verdict) {
  if (none == nullptr || none->trained.empty() || verdict.row->trained.empty()) {
    verdict.no_gain = verdict.not_brought_back =
        "the row, or the one without a remedy, was not trained for as many epochs";
    return;
  }
  if (gain.significant()) {
    verdict.gain = gain.mean;
  } else {
    verdict.no_gain = gain.Reason();
  }
  const ExperimentRow* const base = large.BaseLike(*verdict.row);
  if (base == nullptr || base->trained.empty()) {
    verdict.not_brought_back = NoLikeBase(large, *verdict.row);
    return;
  }
  const SeedDifference loss = CompareSeeds(large.Accuracies(*base), large.Accuracies(*none));
  if (!loss.significant()) {
    verdict.not_brought_back = absl::StrCat("loss of the batch: ", loss.Reason());
  } else if (!loss.above()) {
    verdict.not_brought_back = "the large batch costs no accuracy here";
  } else if (!gain.significant()) {
    verdict.not_brought_back = gain.Reason();
  } else {
    verdict.brought_back = gain.mean / loss.mean;
  }
}

std::vector<const RemedyRows*> TrainedSingles(const LargeBatchRows& batch) {
  std::vector<const RemedyRows*> singles;
  for (const RemedyRows& rows : batch.remedies) {
    if (rows.remedy != kNoRemedy && !IsCombination(rows.remedy) && rows.equal != nullptr &&
        !rows.equal->trained.empty()) {
      singles.push_back(&rows);
    }
  }
  return singles;
}

// Returns the other remedies whose validation accuracy does not differ significantly from that of `best`.
std::vector<std::string> EqualOnes(const RemedyRows& best, const std::vector<const RemedyRows*>& singles) {
  std::vector<SeedPair> pairs;
  std::vector<std::string> names;
  for (const RemedyRows* single : singles) {
    if (single != &best) {
      pairs.push_back({best.equal->Values(ValidationAccuracy), single->equal->Values(ValidationAccuracy)});
      names.push_back(single->remedy);
    }
  }
  const std::vector<SeedDifference> leads = CompareSeeds(pairs);
  std::vector<std::string> equal;
  for (size_t i = 0; i < leads.size(); ++i) {
    if (!leads[i].significant()) {
      equal.push_back(names[i]);
    }
  }
  return equal;
}

}  // namespace

const RemedyRows* LargeBatchRows::Find(const std::string& remedy) const {
  for (const RemedyRows& rows : remedies) {
    if (rows.remedy == remedy) {
      return &rows;
    }
  }
  return nullptr;
}

proto::Samples LargeBatchView::Accuracies(const ExperimentRow& row) const {
  return row.Values(by_test ? TestAccuracy : LabTrainAccuracy);
}

std::string LargeBatchView::AccuracyName() const {
  return by_test ? "test accuracy" : absl::StrCat("train accuracy of epoch ", kLabEpoch);
}

const ExperimentRow* LargeBatchView::BaseLike(const ExperimentRow& row) const {
  for (const ExperimentRow* other : bases) {
    if (SameSchedule(row.first().training(), other->first().training()) && EpochsOf(row) == EpochsOf(*other)) {
      return other;
    }
  }
  return nullptr;
}

LargeBatchView MakeLargeBatchView(const ExperimentView& view) {
  LargeBatchView large;
  large.view = &view;
  const uint32_t base_batch = BaseBatch(view);
  large.by_test = true;
  for (const ExperimentRow& row : view.rows) {
    if (row.first().global_batch() != base_batch) {
      AddRow(row, large);
    } else {
      large.bases.push_back(&row);
      large.base = row.name.find(',') == std::string::npos ? &row : large.base;
    }
    large.by_test = large.by_test && (row.trained.empty() || !row.Values(TestAccuracy).value().empty());
  }
  return large;
}

const LargeBatchRows* LargestTrained(const LargeBatchView& large) {
  const LargeBatchRows* largest = nullptr;
  for (const LargeBatchRows& batch : large.batches) {
    const RemedyRows* const none = batch.Find(kNoRemedy);
    if (none != nullptr && none->equal != nullptr && !none->equal->trained.empty() &&
        (largest == nullptr || batch.global_batch > largest->global_batch)) {
      largest = &batch;
    }
  }
  return largest;
}

uint64_t EpochsOf(const ExperimentRow& row) {
  return uint64_t{row.first().training().warmup_epochs()} + row.first().training().repeats();
}

bool IsCombination(const std::string& remedy) { return remedy == "all" || absl::StrContains(remedy, " and "); }

std::vector<RemedyVerdict> JudgeRemedies(const LargeBatchView& large, const LargeBatchRows& batch) {
  std::vector<RemedyVerdict> verdicts;
  std::vector<SeedPair> pairs;
  std::vector<const ExperimentRow*> without;  // row with which each verdict's row is compared
  const RemedyRows* const none = batch.Find(kNoRemedy);
  for (const RemedyRows& rows : batch.remedies) {
    for (const auto member : {&RemedyRows::equal, &RemedyRows::longer}) {
      const ExperimentRow* const row = rows.*member;
      if (row == nullptr || rows.remedy == kNoRemedy) {
        continue;
      }
      const ExperimentRow* other = none != nullptr ? none->*member : nullptr;
      other = other != nullptr && EpochsOf(*other) == EpochsOf(*row) ? other : nullptr;
      verdicts.emplace_back().row = row;
      without.push_back(other);
      pairs.push_back({large.Accuracies(*row), other != nullptr ? large.Accuracies(*other) : proto::Samples()});
    }
  }
  const std::vector<SeedDifference> differences = CompareSeeds(pairs);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    Judge(large, without[i], differences[i], verdicts[i]);
  }
  return verdicts;
}

const RemedyVerdict* FindVerdict(const std::vector<RemedyVerdict>& verdicts, const ExperimentRow& row) {
  const auto found = std::find_if(verdicts.begin(), verdicts.end(),
                                  [&row](const RemedyVerdict& verdict) { return verdict.row == &row; });
  return found == verdicts.end() ? nullptr : &*found;
}

std::optional<SeedDifference> LossOf(const LargeBatchView& large, const ExperimentRow& none) {
  const ExperimentRow* const base = large.BaseLike(none);
  return base == nullptr || base->trained.empty() || none.trained.empty()
             ? std::nullopt
             : std::optional<SeedDifference>(CompareSeeds(large.Accuracies(*base), large.Accuracies(none)));
}

RemedyChoice ChooseRemedy(const LargeBatchRows& batch) {
  RemedyChoice choice;
  const RemedyRows* const none = batch.Find(kNoRemedy);
  const std::vector<const RemedyRows*> singles = TrainedSingles(batch);
  choice.tried = singles.size();
  if (singles.empty() || none == nullptr || none->equal == nullptr || none->equal->trained.empty()) {
    return choice;
  }
  const proto::Samples without = none->equal->Values(ValidationAccuracy);
  choice.seeds = none->equal->trained.size();
  std::vector<SeedPair> against_none;
  const RemedyRows* best = singles.front();
  bool validated = without.value_size() == static_cast<int>(none->equal->trained.size());
  for (const RemedyRows* single : singles) {
    const proto::Samples values = single->equal->Values(ValidationAccuracy);
    validated = validated && values.value_size() == static_cast<int>(single->equal->trained.size());
    choice.seeds = std::min(choice.seeds, single->equal->trained.size());
    against_none.push_back({values, without});
    best = MeanOf(values) > MeanOf(best->equal->Values(ValidationAccuracy)) ? single : best;
  }
  choice.held_out = validated;
  if (!validated) {
    choice.absent_reason = "the record has no accuracy on held-out training images, by which one could be chosen";
    return choice;
  }
  if (choice.seeds < 2) {
    choice.absent_reason = "one seed has no spread, so remedies cannot be compared";
    return choice;
  }
  const std::vector<SeedDifference> gains = CompareSeeds(against_none);
  const auto place = std::find(singles.begin(), singles.end(), best) - singles.begin();
  if (!gains[static_cast<size_t>(place)].above()) {
    choice.absent_reason = absl::StrCat("on held-out training images, ", best->remedy,
                                        " has the highest accuracy, which does not differ significantly from that "
                                        "without a remedy (",
                                        choice.seeds, " seeds)");
    return choice;
  }
  choice.best = best;
  choice.equal_ones = EqualOnes(*best, singles);
  return choice;
}

std::string DescribeChange(const proto::TrainingSpec& from, const proto::TrainingSpec& to) {
  std::vector<std::string> changes;
  const auto add = [&](bool changed, const std::string& text) {
    if (changed) {
      changes.push_back(text);
    }
  };
  add(to.optimizer() != from.optimizer(), OptimizerTitle(to.optimizer()));
  add(to.learning_rate() != from.learning_rate(), absl::StrCat("learning rate ", FormatNumber(to.learning_rate(), 3)));
  add(to.schedule() != from.schedule(), to.schedule() == proto::COSINE      ? "half a cosine decay"
                                        : to.schedule() == proto::ONE_CYCLE ? "one cycle"
                                        : to.schedule() == proto::LINEAR    ? "a linear decay"
                                                                            : "another schedule");
  const std::string warmup_start =
      to.lr_warmup_start() > 0 ? absl::StrCat(" from ", FormatNumber(to.lr_warmup_start(), 3)) : "";
  const std::string warmup = to.lr_warmup_share() > 0
                                 ? absl::StrCat(FormatNumber(100 * to.lr_warmup_share(), 3), " % of the steps")
                                 : CountOf(to.lr_warmup_epochs(), "epoch");
  add(to.lr_warmup_epochs() != from.lr_warmup_epochs() || to.lr_warmup_start() != from.lr_warmup_start() ||
          to.lr_warmup_share() != from.lr_warmup_share(),
      absl::StrCat("rate warms up over ", warmup, warmup_start));
  add(to.zero_gamma() != from.zero_gamma(), "last gamma of each block starts at 0");
  add(to.accumulate() != from.accumulate(),
      absl::StrCat("a rank's batch in ", to.accumulate(), " parts, each with its own batch norm"));
  add(to.clip_norm() != from.clip_norm(), absl::StrCat("gradient clipped to norm ", FormatNumber(to.clip_norm(), 2)));
  add(to.lars() != from.lars(), absl::StrCat("LARS, trust ", FormatNumber(to.lars(), 2)));
  add(to.label_smoothing() != from.label_smoothing(),
      absl::StrCat("labels smoothed by ", FormatNumber(to.label_smoothing(), 2)));
  add(to.momentum() != from.momentum(), absl::StrCat("momentum ", to.momentum()));
  add(to.weight_decay() != from.weight_decay(), absl::StrCat("weight decay ", to.weight_decay()));
  return changes.empty() ? "nothing" : absl::StrJoin(changes, "; ");
}

}  // namespace lockstep
