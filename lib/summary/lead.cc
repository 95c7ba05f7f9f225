#include "lib/summary/lead.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/comparison/compared_runs.h"
#include "lib/lab_records/answer_rows.h"
#include "lib/statistics/spread.h"
#include "lib/summary/card_text.h"
#include "lib/summary/experiment_cards.h"
#include "lib/summary/int8_cards.h"
#include "lib/summary/int8_verdicts.h"
#include "lib/summary/scaling_cards.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

// Returns the fastest batches with their seconds, the one with the smallest mean first.
std::vector<AtBatch> FastestOf(const BatchFacts& facts) {
  std::vector<AtBatch> fastest;
  for (const uint32_t batch : facts.Fastest()) {
    fastest.push_back({batch, facts.At(batch)});
  }
  return fastest;
}

// Returns the batches whose epochs on `ranks` devices overlap with those of the fastest batch, which comes first.
std::vector<AtBatch> FastestEpochs(const ScalingView& view, uint32_t ranks) {
  BatchFacts facts;
  for (const proto::ScalePoint* point : view.points) {
    const bool trains = point->reduction() == proto::ALL_REDUCE || point->reduction() == proto::STAR;
    if (trains && point->ranks() == ranks && point->epoch_seconds().value_size() > 0) {
      facts.seconds.push_back({point->batch_per_device(), *SpreadOf(point->epoch_seconds())});
    }
  }
  return FastestOf(facts);
}

// Returns "512", "128 or 512".
std::string BatchesOf(const std::vector<AtBatch>& fastest) {
  std::vector<uint32_t> batches;
  for (const AtBatch& at : fastest) {
    batches.push_back(at.batch);
  }
  std::sort(batches.begin(), batches.end());
  std::vector<std::string> names;
  for (const uint32_t batch : batches) {
    names.push_back(FormatCount(batch));
  }
  return JoinOr(names);
}

// Returns "Train with batch 512 per device: 4 H100 take 101 ms per epoch, 3.96 times as fast as one."; empty if no run
// on several GPUs was repeated. Ranks that share one CPU give no recommendation.
std::string ScalingSentence(const LabRecords& lab) {
  const std::vector<ScalingView> views = ScalingViews(lab);
  const ScalingView* const view = MainScalingView(views);
  if (view == nullptr || view->scale == nullptr || view->scale->spec.training().device() == proto::CPU) {
    return "";
  }
  const uint32_t ranks = view->Ranks().back();
  const std::vector<AtBatch> fastest = FastestEpochs(*view, ranks);
  if (fastest.empty()) {
    return "";
  }
  const AtBatch& best = fastest.front();
  const proto::ScalingRow* const row = view->Row(ranks, best.batch);
  const bool known = row != nullptr && row->epoch_speedup().has_value() &&
                     JudgeScaling(ScalingFactsOf(*view, {row})).state == proto::ANSWERED;
  return absl::StrCat(
      "Train with batch ", BatchesOf(fastest), " per device: ", DevicesOf(*view, ranks), " take ",
      ShortSeconds(best.value.mean), " per epoch",
      known ? absl::StrCat(", ", ThreeDigits(row->epoch_speedup().value()), " times as fast as one") : "", ".");
}

// Returns "Train with batch 512: one H200 takes 0.373 s per epoch."
std::string SweepSentence(const LabRecords& lab) {
  const LabSweep* const sweep = RepeatedSweep(lab);
  if (sweep == nullptr) {
    return "";
  }
  const BatchFacts facts = BatchFactsOf(CompletedPoints(*sweep));
  if (!facts.SomeFaster()) {
    return "";
  }
  const std::vector<AtBatch> fastest = FastestOf(facts);
  return absl::StrCat("Train with batch ", BatchesOf(fastest), ": ", DevicesText(1, sweep->header), " takes ",
                      ShortSeconds(fastest.front().value.mean), " per epoch without data loading.");
}

// Returns "Shown to be faster: threads=1. At 1 rank, batch 128 per device, threads=2 takes 9.69 times as long." for the
// largest difference that the table of runs next to each other calls slower; empty if it calls none slower.
std::string ComparedRunsSentence(const LabRecords& lab) {
  const ComparedEntry *fastest = nullptr, *slowest = nullptr;
  std::string place_name;
  const std::vector<ComparedWork> works = CompareLabRuns(lab);
  for (const ComparedWork& work : works) {
    for (const ComparedPlace& place : work.places) {
      for (const ComparedEntry& entry : place.entries) {
        const bool is_slower = entry.comparison.verdict == TimeVerdict::kSlower;
        if (is_slower && (slowest == nullptr || entry.comparison.ratio > slowest->comparison.ratio)) {
          fastest = &place.entries.front();
          slowest = &entry;
          place_name = place.name;
        }
      }
    }
  }
  return slowest == nullptr
             ? ""
             : absl::StrCat("Shown to be faster: ", fastest->settings, ". At ", place_name, ", ", slowest->settings,
                            " takes ", ThreeDigits(slowest->comparison.ratio), " times as long.");
}

// Returns "communication costs at most 4 % of an epoch", over all runs of the same work; empty if a run does not decide
// it.
std::string CommunicationPart(const LabRecords& lab) {
  const MainRows main = MainRowsOf(lab);
  if (main.rows.empty()) {
    return "";
  }
  std::vector<WaitingFacts> runs = {WaitingFactsOf(main.rows)};
  for (const ScalingView* other : main.others) {
    runs.push_back(WaitingFactsOf(main.RowsOf(*other)));
  }
  double most = 0;
  TimedEpochs epochs = TimedEpochs::kOne;
  for (const WaitingFacts& facts : runs) {
    const WaitingVerdict verdict = JudgeWaiting(facts);
    if (verdict.state != proto::ANSWERED) {
      return "";
    }
    for (const AtBatch& at : facts.share) {
      most = std::max(most, at.value.high);
    }
    epochs = verdict.epochs == TimedEpochs::kSeveral ? TimedEpochs::kSeveral : epochs;
  }
  return absl::StrCat("communication costs ", WaitingShareText(PercentRoundedUp(most), epochs),
                      main.view->virtual_hosts() ? " on virtual hosts" : "");
}

std::string Int8Part(const LabRecords& lab) {
  const std::optional<NetworkInt8Facts> found = Int8FactsOf(lab, proto::INT8_WEIGHTS_ACTIVATIONS);
  if (!found.has_value()) {
    return "";
  }
  const auto& [network, facts] = *found;
  const PairedChanges& changes = facts.changes;
  const CardVerdict verdict = JudgeInt8(facts);
  const double points = 100 * std::abs(static_cast<double>(changes.gained) - static_cast<double>(changes.lost)) /
                        static_cast<double>(changes.items);
  return verdict.rule == "costs"     ? absl::StrFormat("int8 costs %s %.2f points of accuracy", network, points)
         : verdict.rule == "gains"   ? absl::StrCat("int8 costs ", network, " no accuracy")
         : verdict.rule == "nothing" ? absl::StrCat("int8 costs ", network, " no accuracy that can be measured")
                                     : "";
}

std::string LargeBatchSentence(const LabRecords& lab) {
  for (const ExperimentView& view : ExperimentViews(lab, proto::LARGE_BATCH)) {
    const LargeBatchView large = MakeLargeBatchView(view);
    const LargeBatchRows* const batch = LargestTrained(large);
    if (batch == nullptr) {
      continue;
    }
    const LargeBatchFacts facts = LargeBatchFactsOf(large, *batch);
    if (facts.loss.has_value() && facts.loss->above()) {
      return absl::StrCat("A global batch of ", FormatCount(facts.batch), " without a remedy ends ",
                          absl::StrFormat("%.0f", 100 * facts.loss->mean), " points of accuracy below batch ",
                          FormatCount(facts.base_batch), ", after the same number of epochs.");
    }
  }
  return "";
}

// Returns true if some record is of a training run of this lab.
bool HasTraining(const LabRecords& lab) {
  return !lab.sweeps.empty() || !lab.scales.empty() ||
         std::any_of(lab.comm_models.begin(), lab.comm_models.end(),
                     [](const LabCommModel& file) { return !file.rows.empty(); });
}

// Returns "In the published times, 4 devices train 3.45 times as fast as one at batch 128 per device (86 % of ideal).";
// empty if no record of comm_model holds published times of several devices.
std::string PublishedSentence(const LabRecords& lab) {
  const proto::PublishedTime* largest = nullptr;
  for (const LabCommModel& file : lab.comm_models) {
    for (const proto::PublishedTime& time : file.published_times) {
      if (time.ranks() > 1 && time.epoch_speedup().has_value() &&
          (largest == nullptr || time.ranks() > largest->ranks())) {
        largest = &time;
      }
    }
  }
  if (largest == nullptr) {
    return "";
  }
  const double speedup = largest->epoch_speedup().value();
  return absl::StrCat("In the published times, ", largest->ranks(), " devices train ", ThreeDigits(speedup),
                      " times as fast as one at batch ", FormatCount(largest->batch_per_device()), " per device (",
                      ShortPercent(speedup / largest->ranks()), " of ideal).");
}

// Returns the sentence about the setting; empty if the page has other records than those of training runs.
std::string SettingSentence(const LabRecords& lab) {
  if (!HasTraining(lab) && !lab.Sources().empty()) {
    return PublishedSentence(lab);
  }
  std::string setting = ScalingSentence(lab);
  setting = setting.empty() ? SweepSentence(lab) : setting;
  setting = setting.empty() ? ComparedRunsSentence(lab) : setting;
  return setting.empty() ? "No setting can be recommended yet: none was shown to be faster than another." : setting;
}

}  // namespace

std::string LeadText(const LabRecords& lab) {
  std::vector<std::string> sentences;
  if (const std::string setting = SettingSentence(lab); !setting.empty()) {
    sentences.push_back(setting);
  }
  const std::string communication = CommunicationPart(lab), int8 = Int8Part(lab);
  if (!communication.empty() || !int8.empty()) {
    sentences.push_back(absl::StrCat(Capitalized(communication.empty() ? int8 : communication),
                                     communication.empty() || int8.empty() ? "" : absl::StrCat(", and ", int8), "."));
  }
  if (const std::string large = LargeBatchSentence(lab); !large.empty()) {
    sentences.push_back(large);
  }
  return sentences.empty() ? "No record here is of a training run, so no setting is recommended."
                           : absl::StrJoin(sentences, " ");
}

}  // namespace lockstep
