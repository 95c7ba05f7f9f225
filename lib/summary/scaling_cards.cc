#include "lib/summary/scaling_cards.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/lab_records/answer_rows.h"
#include "lib/scaling/base_cases.h"
#include "lib/scaling/negative_communication.h"
#include "lib/scaling/point_settings.h"
#include "lib/statistics/spread.h"
#include "lib/summary/card_parts.h"
#include "lib/summary/card_text.h"
#include "lib/summary/lab_runs.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"
#include "lib/wording/question_commands.h"

namespace lockstep {
namespace {

bool ByBatch(const AtBatch& a, const AtBatch& b) { return a.batch < b.batch; }

// --- Q1 ---

constexpr char kEpochExtremes[] = "mean and extremes of single epochs";

// Returns the batch of the headline: the fastest repeated one; if no batch was repeated, the one with the shortest
// single epoch.
uint32_t HeadlineBatch(const BatchFacts& facts) {
  const std::vector<uint32_t> fastest = facts.Fastest();
  return fastest.empty()
             ? std::min_element(facts.seconds.begin(), facts.seconds.end(),
                                [](const AtBatch& a, const AtBatch& b) { return a.value.mean < b.value.mean; })
                   ->batch
             : fastest.front();
}

// Returns "1.97 times as fast as batch 32"; empty if no batch is faster than another, or if the smallest batch is one
// of the fastest.
std::string TimesSmallest(const BatchFacts& facts, uint32_t batch) {
  if (!facts.SomeFaster()) {
    return "";
  }
  const std::vector<AtBatch> repeated = facts.Repeated();
  const AtBatch& smallest = *std::min_element(repeated.begin(), repeated.end(), ByBatch);
  const std::vector<uint32_t> fastest = facts.Fastest();
  if (std::find(fastest.begin(), fastest.end(), smallest.batch) != fastest.end()) {
    return "";
  }
  return absl::StrCat(ThreeDigits(smallest.value.mean / facts.At(batch).mean), " times as fast as batch ",
                      FormatCount(smallest.batch));
}

// Returns a sentence on batches that were timed once; empty if there are none, or if the verdict says so already.
std::string SinglesText(const BatchFacts& facts) {
  std::vector<uint32_t> singles;
  for (const AtBatch& at : facts.seconds) {
    if (!at.value.repeated) {
      singles.push_back(at.batch);
    }
  }
  return singles.empty() || singles.size() == facts.seconds.size()
             ? ""
             : absl::StrCat(Capitalized(BatchesText(singles)), singles.size() == 1 ? " was" : " were",
                            " timed once and cannot be compared.");
}

// Returns the seconds of an epoch with data loading at a batch that `points` have, and from which the rates of all
// tables and plots are made; without such times those without data loading.
Spread EpochAt(const std::vector<const proto::SweepPoint*>& points, uint32_t batch) {
  const proto::SweepPoint& point = **std::find_if(
      points.begin(), points.end(), [&](const proto::SweepPoint* one) { return one->batch_size() == batch; });
  return SpreadOf(point.epoch_seconds()).value_or(*SpreadOf(point.step_seconds()));
}

void AddRates(const BatchFacts& facts, const std::vector<const proto::SweepPoint*>& points, proto::SummaryCard& card) {
  if (!facts.SomeFaster()) {
    return;
  }
  proto::Spark& spark = *card.mutable_spark();
  spark.set_kind(proto::TREND);
  for (const AtBatch& at : facts.Repeated()) {
    spark.add_value(static_cast<double>(points.front()->images_per_epoch()) / EpochAt(points, at.batch).mean);
    spark.add_label(FormatCount(at.batch));
  }
  spark.set_description("Images per second by batch size");
}

// --- Q2, Q3 ---

constexpr char kQuotientInterval[] = "quotient of the means, and of the extremes of single epochs";

std::string SourceOf(const std::vector<const proto::ScalingRow*>& rows, absl::string_view field) {
  const std::string batches = absl::StrJoin(
      rows, "|", [](std::string* out, const proto::ScalingRow* row) { absl::StrAppend(out, row->batch_per_device()); });
  return absl::StrCat("comm_model.scaling[ranks=", rows.front()->ranks(), ",batch_per_device=", batches, "].", field);
}

// Returns a card for scale records that no comm_model record explains, or for no record at all.
proto::SummaryCard WithoutRows(const LabRecords& lab, absl::string_view question) {
  for (const LabScale& scale : lab.scales) {
    const bool several = std::any_of(scale.points.begin(), scale.points.end(),
                                     [](const proto::ScalePoint& point) { return point.ranks() > 1; });
    if (scale.spec.experiment() == proto::EXPERIMENT_UNSPECIFIED && several) {
      proto::SummaryCard card =
          UnansweredCard(lab, question,
                         absl::StrCat("The times on several devices are there, but no comm_model record explains ",
                                      scale.name(), "."));
      card.set_command(ExplainCommand(scale.input.path()));
      card.clear_duration();
      return card;
    }
  }
  return UnansweredCard(lab, question, "No record has times on several devices, explained by comm_model.");
}

// Returns the row with the shortest epoch; null if no row has a speed-up.
const proto::ScalingRow* FastestRow(const std::vector<const proto::ScalingRow*>& rows) {
  const proto::ScalingRow* fastest = nullptr;
  for (const proto::ScalingRow* row : rows) {
    if (row->epoch_speedup().has_value() && row->epoch_seconds().has_value() &&
        (fastest == nullptr || row->epoch_seconds().value() < fastest->epoch_seconds().value())) {
      fastest = row;
    }
  }
  return fastest;
}

// Returns a sentence on strong scaling at the smallest batch that has it; empty if none has.
std::string StrongText(const std::vector<const proto::ScalingRow*>& rows) {
  const proto::ScalingRow* smallest = nullptr;
  for (const proto::ScalingRow* row : rows) {
    if (row->strong_speedup().has_value() &&
        (smallest == nullptr || row->batch_per_device() < smallest->batch_per_device())) {
      smallest = row;
    }
  }
  return smallest == nullptr
             ? ""
             : absl::StrCat("With the global batch fixed at ",
                            FormatCount(uint64_t{smallest->ranks()} * smallest->batch_per_device()),
                            " (strong scaling), an epoch on ", smallest->ranks(), " devices is ",
                            ThreeDigits(smallest->strong_speedup().value()), " times as fast as on one.");
}

void AddEfficiencies(const ScalingFacts& facts, proto::SummaryCard& card) {
  if (card.state() != proto::ANSWERED || facts.efficiency.size() < 2) {
    return;
  }
  proto::Spark& spark = *card.mutable_spark();
  spark.set_kind(proto::TREND);
  for (const AtBatch& at : facts.efficiency) {
    spark.add_value(at.value.mean);
    spark.add_label(FormatCount(at.batch));
  }
  spark.set_base(1);
  spark.set_description("Efficiency by batch size; the line is ideal");
}

// Returns the rows of a view on its largest number of devices, at least 2; empty if it has none.
std::vector<const proto::ScalingRow*> RowsOfMostDevices(const ScalingView& view) {
  uint32_t most = 2;
  for (const proto::ScalingRow* row : view.rows) {
    most = std::max(most, row->ranks());
  }
  std::vector<const proto::ScalingRow*> rows;
  for (const proto::ScalingRow* row : view.rows) {
    if (row->ranks() == most) {
      rows.push_back(row);
    }
  }
  return rows;
}

// Returns true if two different records are of one network, device and way to train.
bool IsSameWork(const ScalingView& a, const ScalingView& b) {
  return a.scale != nullptr && b.scale != nullptr && a.scale != b.scale && SameSettings(a.settings, b.settings) &&
         a.virtual_hosts() == b.virtual_hosts() &&
         a.scale->spec.training().model() == b.scale->spec.training().model() &&
         a.scale->spec.model().training_images() == b.scale->spec.model().training_images() &&
         ShortDevice(a.scale->header) == ShortDevice(b.scale->header);
}

// Returns "Over runs A and B: 1.17 to 1.68 times as fast."; empty without another run. `value_of` returns the number of
// a row, or nothing if the row has none.
std::string RangeText(const LabRecords& lab, const MainRows& main, uint32_t batch, const std::string& unit,
                      const std::function<std::optional<double>(const proto::ScalingRow&)>& value_of,
                      const std::function<std::string(double)>& text_of) {
  std::vector<std::string> letters;
  std::vector<double> values;
  std::vector<const ScalingView*> views = main.others;
  views.insert(views.begin(), main.view);
  for (const ScalingView* view : views) {
    for (const proto::ScalingRow* row : main.RowsOf(*view)) {
      const std::optional<double> value = row->batch_per_device() == batch ? value_of(*row) : std::nullopt;
      if (value.has_value() && view->scale != nullptr) {
        letters.push_back(LetterOf(lab, *view->scale));
        values.push_back(*value);
      }
    }
  }
  if (values.size() < 2) {
    return "";
  }
  std::sort(letters.begin(), letters.end());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return absl::StrCat("Over runs ", JoinAnd(letters), ": ", text_of(*low), " to ", text_of(*high), " ", unit, ".");
}

}  // namespace

std::string DevicesOf(const ScalingView& view, uint32_t ranks) {
  return absl::StrCat(view.scale == nullptr ? absl::StrCat(ranks, " devices") : DevicesText(ranks, view.scale->header),
                      view.virtual_hosts() ? " on virtual hosts" : "");
}

std::vector<const proto::ScalingRow*> MainRows::RowsOf(const ScalingView& other) const {
  std::vector<const proto::ScalingRow*> found;
  std::copy_if(other.rows.begin(), other.rows.end(), std::back_inserter(found),
               [&](const proto::ScalingRow* row) { return row->ranks() == rows.front()->ranks(); });
  return found;
}

MainRows MainRowsOf(const LabRecords& lab) {
  MainRows main;
  main.views = ScalingViews(lab);
  main.view = MainScalingView(main.views);
  if (main.view != nullptr) {
    main.rows = RowsOfMostDevices(*main.view);
  }
  for (const ScalingView& view : main.views) {
    if (!main.rows.empty() && IsSameWork(*main.view, view) && !main.RowsOf(view).empty()) {
      main.others.push_back(&view);
    }
  }
  return main;
}

BatchFacts BatchFactsOf(const std::vector<const proto::SweepPoint*>& points) {
  BatchFacts facts;
  for (const proto::SweepPoint* point : points) {
    facts.seconds.push_back({point->batch_size(), *SpreadOf(point->step_seconds())});
  }
  std::sort(facts.seconds.begin(), facts.seconds.end(), ByBatch);
  return facts;
}

ScalingFacts ScalingFactsOf(const ScalingView& view, const std::vector<const proto::ScalingRow*>& rows) {
  ScalingFacts facts;
  facts.ranks = rows.front()->ranks();
  facts.shared_cpu = view.scale != nullptr && view.scale->spec.training().device() == proto::CPU;
  for (const proto::ScalingRow* row : rows) {
    if (row->epoch_speedup().has_value()) {
      facts.efficiency.push_back({row->batch_per_device(), SpreadIn(row->epoch_speedup(), facts.ranks)});
      facts.unknown_base = facts.unknown_base || IsOfUnknownMachine(row->epoch_speedup());
    }
  }
  std::sort(facts.efficiency.begin(), facts.efficiency.end(), ByBatch);
  return facts;
}

WaitingFacts WaitingFactsOf(const std::vector<const proto::ScalingRow*>& rows) {
  WaitingFacts facts;
  facts.ranks = rows.front()->ranks();
  for (const proto::ScalingRow* row : rows) {
    if (row->exposed_event_seconds().has_value() && row->step_seconds().value() > 0) {
      facts.share.push_back(
          {row->batch_per_device(), SpreadIn(row->exposed_event_seconds(), row->step_seconds().value())});
    }
    if (HasNegativeCommunication(*row)) {
      facts.negative_batches.push_back(row->batch_per_device());
    }
  }
  std::sort(facts.negative_batches.begin(), facts.negative_batches.end());
  return facts;
}

proto::SummaryCard CardQ1(const LabRecords& lab) {
  const LabSweep* const sweep = RepeatedSweep(lab);
  if (sweep == nullptr) {
    return UnansweredCard(lab, "Q1", "No record has times of several batches on one device.");
  }
  const std::vector<const proto::SweepPoint*> points = CompletedPoints(*sweep);
  const BatchFacts facts = BatchFactsOf(points);
  const uint32_t batch = HeadlineBatch(facts);
  const uint64_t images = points.front()->images_per_epoch();
  proto::SummaryCard card = AnsweredCard(
      "Q1", JudgeBatches(facts),
      {"sweep.point.step_seconds", "sweep.point.epoch_seconds", "sweep.point.images_per_epoch", "sweep.header.device"});
  const std::string times = TimesSmallest(facts, batch);
  std::vector<std::string> base = {
      absl::StrCat("on ", DevicesText(1, sweep->header), " at batch ", FormatCount(batch), times.empty() ? "" : ",")};
  if (!times.empty()) {
    base.push_back(times);
  } else if (facts.Fastest().empty() && facts.seconds.size() > 1) {
    base.push_back("(shortest single epoch)");
  }
  const Spread epoch = EpochAt(points, batch);
  SetHeadline(ThreeDigits(static_cast<double>(images) / epoch.mean), "images/s", base, card);
  if (const auto rate = Quotient(Exactly(static_cast<double>(images)), epoch); rate.has_value()) {
    SetExact(*rate, "images/s", kEpochExtremes, card);
  }
  AddSupport(absl::StrCat("An epoch of ", FormatCount(images), " images takes ", ShortSeconds(epoch.mean),
                          " with data loading, and ", ShortSeconds(facts.At(batch).mean), " without."),
             card);
  AddSupport(SinglesText(facts), card);
  AddRates(facts, points, card);
  AddLink("figure", "plot-epoch_time", card);
  return card;
}

proto::SummaryCard CardQ2(const LabRecords& lab) {
  const MainRows main = MainRowsOf(lab);
  const std::vector<const proto::ScalingRow*>& rows = main.rows;
  if (rows.empty()) {
    return WithoutRows(lab, "Q2");
  }
  const ScalingFacts facts = ScalingFactsOf(*main.view, rows);
  proto::SummaryCard card =
      AnsweredCard("Q2", JudgeScaling(facts), {SourceOf(rows, "epoch_speedup"), SourceOf(rows, "strong_speedup")});
  if (const proto::ScalingRow* const row = FastestRow(rows); row != nullptr) {
    const double speedup = row->epoch_speedup().value();
    std::vector<std::string> base = {absl::StrCat("on ", DevicesOf(*main.view, row->ranks()), " at batch ",
                                                  FormatCount(row->batch_per_device()),
                                                  facts.shared_cpu ? " per rank" : " per device,")};
    if (!facts.shared_cpu) {
      base.push_back(absl::StrCat(ShortPercent(speedup / row->ranks()), " of ideal"));
    }
    SetHeadline(ThreeDigits(speedup), "times as fast as one", base, card);
    SetExact(SpreadIn(row->epoch_speedup(), 1), "times as fast", kQuotientInterval, card);
    AddSupport(absl::StrCat("Epochs are compared, data loading included; one takes ",
                            ShortSeconds(row->epoch_seconds().value()), "."),
               card);
  }
  if (const proto::ScalingRow* const row = FastestRow(rows); row != nullptr) {
    const auto speedup = [](const proto::ScalingRow& one) {
      return one.epoch_speedup().has_value() ? std::optional(one.epoch_speedup().value()) : std::nullopt;
    };
    AddSupport(RangeText(lab, main, row->batch_per_device(), "times as fast", speedup, ThreeDigits), card);
  }
  AddSupport(StrongText(rows), card);
  AddEfficiencies(facts, card);
  AddLink("Table 1", "table-1", card);
  AddLink("figure", "plot-speedup", card);
  return card;
}

proto::SummaryCard CardQ3(const LabRecords& lab) {
  const MainRows main = MainRowsOf(lab);
  const std::vector<const proto::ScalingRow*>& rows = main.rows;
  if (rows.empty()) {
    return WithoutRows(lab, "Q3");
  }
  const WaitingFacts facts = WaitingFactsOf(rows);
  proto::SummaryCard card = AnsweredCard("Q3", JudgeWaiting(facts),
                                         {SourceOf(rows, "exposed_event_seconds"), SourceOf(rows, "step_seconds"),
                                          SourceOf(rows, "communication_seconds")});
  const auto most = std::max_element(facts.share.begin(), facts.share.end(),
                                     [](const AtBatch& a, const AtBatch& b) { return a.value.mean < b.value.mean; });
  if (most != facts.share.end() && most->value.mean >= 0) {
    const std::string share = ShortPercent(most->value.mean);
    const bool several = facts.share.size() > 1;
    std::vector<std::string> base = {absl::StrCat("on ", DevicesOf(*main.view, rows.front()->ranks()), " at batch ",
                                                  FormatCount(most->batch), several ? "," : "")};
    if (several) {
      base.push_back(absl::StrCat("the largest of ", facts.share.size(), " batches"));
    }
    SetHeadline(share.substr(0, share.find(' ')), "% of an epoch", base, card);
    SetExact(100 * most->value, "% of an epoch", kEpochExtremes, card);
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const proto::ScalingRow* one) { return one->batch_per_device() == most->batch; });
    if ((*row)->collective_busy_seconds().has_value()) {
      AddSupport(absl::StrCat("In this epoch of ", ShortSeconds((*row)->step_seconds().value()),
                              " all-reduces run for ", ShortSeconds((*row)->collective_busy_seconds().value()),
                              ", and the devices compute during all but ",
                              ShortSeconds((*row)->exposed_event_seconds().value()), " of that."),
                 card);
    }
    const auto share_of = [](const proto::ScalingRow& one) {
      return one.exposed_event_seconds().has_value() && one.step_seconds().value() > 0
                 ? std::optional(one.exposed_event_seconds().value() / one.step_seconds().value())
                 : std::nullopt;
    };
    AddSupport(RangeText(lab, main, most->batch, "of an epoch", share_of, ShortPercent), card);
    if (card.state() == proto::ANSWERED) {
      card.mutable_spark()->set_kind(proto::SHARE);
      card.mutable_spark()->add_value(most->value.mean);
      card.mutable_spark()->add_label("waiting");
      card.mutable_spark()->set_description("Share of an epoch in which computing waits for communication");
    }
  }
  if (!facts.share.empty() && !facts.negative_batches.empty()) {
    AddSupport(absl::StrCat("The lab's subtraction says nothing: ", NegativeBatchesText(facts), "."), card);
  }
  AddLink("Table 2", "table-2", card);
  AddLink("figure", "plot-split", card);
  return card;
}

}  // namespace lockstep
