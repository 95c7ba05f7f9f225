#include "lib/summary/experiment_cards.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/lab_records/experiment_view.h"
#include "lib/networks/networks.h"
#include "lib/statistics/spread.h"
#include "lib/summary/card_parts.h"
#include "lib/summary/card_text.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"
#include "lib/wording/sent.h"

namespace lockstep {
namespace {

bool IsTrained(const ExperimentRow* row) { return row != nullptr && !row->trained.empty(); }

// Shows the seeds of an accuracy when a reader points at the number of the card.
void SetSeeds(const proto::Samples& accuracies, proto::SummaryCard& card) {
  SetExact(100 * *SpreadOf(accuracies), "%", "mean, worst and best seed", card);
}

// Returns "64": a mean accuracy in whole per cent.
std::string AccuracyNumber(const proto::Samples& accuracies) {
  const std::string percent = ShortPercent(MeanOf(accuracies));
  return percent.substr(0, percent.find(' '));
}

std::vector<std::string> Sources(const ExperimentView& view, const std::vector<const char*>& fields) {
  std::vector<std::string> sources;
  for (const char* field : fields) {
    sources.push_back(view.Source(field));
  }
  return sources;
}

// --- Q4 ---

// Returns "18 % without, 69 % with batch 128".
std::string Compared(const LargeBatchView& large, const ExperimentRow& none, bool has_remedy) {
  const ExperimentRow* const base = large.BaseLike(none);
  const std::string with_base = IsTrained(base)
                                    ? absl::StrCat(AccuracyNumber(large.Accuracies(*base)), " % with batch ",
                                                   FormatCount(base->first().global_batch()))
                                    : "";
  return has_remedy ? absl::StrCat(AccuracyNumber(large.Accuracies(none)), " % without", with_base.empty() ? "" : ", ",
                                   with_base)
                    : with_base;
}

void FillQ4(const LargeBatchView& large, const LargeBatchRows& batch, proto::SummaryCard& card) {
  const ExperimentRow& none = *batch.Find(kNoRemedy)->equal;
  const RemedyChoice choice = ChooseRemedy(batch);
  const bool has_remedy = card.state() == proto::ANSWERED && choice.best != nullptr;
  const ExperimentRow& shown = has_remedy ? *choice.best->equal : none;
  const std::string unit = absl::StrCat("% ", large.AccuracyName());
  SetHeadline(AccuracyNumber(large.Accuracies(shown)), unit,
              {absl::StrCat("at batch ", FormatCount(batch.global_batch),
                            has_remedy ? absl::StrCat(" with ", choice.best->remedy) : " without a remedy", ";"),
               Compared(large, none, has_remedy)},
              card);
  SetSeeds(large.Accuracies(shown), card);
  AddSupport(choice.absent_reason.empty() ? "" : absl::StrCat(Capitalized(choice.absent_reason), "."), card);
  AddSupport(
      absl::StrCat("After ", CountOf(EpochsOf(none), "epoch"), " batch ", FormatCount(batch.global_batch), " has made ",
                   FormatCount(Updates(none.first())), " updates",
                   IsTrained(large.base) ? absl::StrCat(" and batch ", FormatCount(large.base->first().global_batch()),
                                                        " has made ", FormatCount(Updates(large.base->first())))
                                         : "",
                   "."),
      card);
  for (const RemedyRows& rows : batch.remedies) {
    if (IsTrained(rows.longer) && rows.remedy != kNoRemedy) {
      AddSupport(absl::StrCat("Trained longer, for ", EpochsOf(*rows.longer), " epochs with ",
                              rows.remedy == "all" ? "all remedies" : rows.remedy, ", it reaches ",
                              AccuracyNumber(large.Accuracies(*rows.longer)), " %."),
                 card);
    }
  }
  if (const ExperimentRow* const base = large.BaseLike(none); has_remedy && IsTrained(base)) {
    proto::Spark& spark = *card.mutable_spark();
    spark.set_kind(proto::BARS);
    for (const auto& [label, row] : {std::pair<std::string, const ExperimentRow*>{"with", &shown},
                                     std::pair<std::string, const ExperimentRow*>{"without", &none}}) {
      spark.add_label(label);
      spark.add_value(MeanOf(large.Accuracies(*row)));
    }
    spark.set_base(MeanOf(large.Accuracies(*base)));
    spark.set_description("Accuracy with and without the remedy; the line is the small batch");
  }
}

// --- Q5 ---

const ExperimentRow* FindOrder(const ExperimentView& view, bool no_set_epoch) {
  for (const ExperimentRow& row : view.rows) {
    if (!row.trained.empty() && !row.first().rank().empty() && row.first().training().no_set_epoch() == no_set_epoch) {
      return &row;
    }
  }
  return nullptr;
}

size_t OrdersOf(const ExperimentRow& row) {
  const auto& orders = row.first().rank(0).epoch_order_sha256();
  return std::set<std::string>(orders.begin(), orders.end()).size();
}

SamplerFacts SamplerFactsOf(const ExperimentView& view, const ExperimentRow& with, const ExperimentRow& without) {
  SamplerFacts facts;
  facts.epochs = static_cast<size_t>(without.first().rank(0).epoch_order_sha256_size());
  facts.orders_with = OrdersOf(with);
  facts.orders_without = OrdersOf(without);
  facts.images = view.scale->spec.model().training_images();
  facts.seen_with = with.first().rank(0).distinct_images_ever();
  facts.seen_without = without.first().rank(0).distinct_images_ever();
  return facts;
}

// Returns a sentence on the test accuracies with and without the epoch number; empty if they are unknown.
std::string AccuracyText(const ExperimentRow& with, const ExperimentRow& without) {
  const proto::Samples first = with.Values(TestAccuracy), second = without.Values(TestAccuracy);
  if (first.value().empty() || second.value().empty()) {
    return "";
  }
  const SeedDifference difference = CompareSeeds(first, second);
  const std::string numbers =
      absl::StrCat("Test accuracy is ", AccuracyNumber(first), " % with it and ", AccuracyNumber(second), " % without");
  return difference.significant() ? absl::StrCat(numbers, ".")
         : difference.seeds < kMinRepeats
             ? absl::StrCat(numbers, ", with one seed each.")
             : absl::StrCat(numbers, ", which ", difference.seeds, " seeds do not distinguish.");
}

// --- Q6 ---

struct SentRow {
  const ExperimentRow* row = nullptr;
  SentFacts facts;
};

const std::string& ModelOf(const ExperimentView& view) { return view.scale->spec.training().model(); }

// Returns " Trained on other images than the rest of the page: ..."; empty if the images are those of the page.
std::string OtherImagesNote(const ExperimentView& view) {
  return view.other_images ? absl::StrCat(" Trained", view.OtherImagesText().substr(1), ".") : "";
}

// Returns the views of WHAT_IS_SENT, those of networks with batch norm first.
std::vector<ExperimentView> BatchNormFirst(const LabRecords& lab) {
  std::vector<ExperimentView> views = ExperimentViews(lab, proto::WHAT_IS_SENT);
  std::stable_partition(views.begin(), views.end(),
                        [](const ExperimentView& view) { return HasBatchNorm(ModelOf(view)); });
  return views;
}

// Returns the row that sends most bytes other than gradients; its row is null if no row was counted.
SentRow MostSent(const ExperimentView& view) {
  SentRow most;
  size_t counted = 0;
  for (const ExperimentRow& row : view.rows) {
    if (row.trained.empty() || row.first().traffic().empty()) {
      continue;
    }
    ++counted;
    SentFacts facts;
    for (const proto::Traffic& traffic : row.first().traffic()) {
      const double bytes = BytesPerStep(traffic).value_or(0);
      (traffic.kind() == kGradientsKind ? facts.gradient_bytes : facts.other_bytes) += bytes;
    }
    if (most.row == nullptr || facts.other_bytes > most.facts.other_bytes) {
      most = {&row, facts};
    }
  }
  most.facts.statistics_counted = counted > 1 || !HasBatchNorm(ModelOf(view));
  return most;
}

}  // namespace

namespace {

// Returns true if the mean is less than twice the accuracy of chance.
bool HasNotLearned(const LargeBatchView& large, const ExperimentRow& row) {
  const uint32_t classes = large.view->scale->spec.model().classes();
  const proto::Samples accuracies = large.Accuracies(row);
  return classes > 0 && !accuracies.value().empty() && MeanOf(accuracies) * classes < 2;
}

// Adds whether the base batch has learned, and the loss in the rows that were trained longer, for equal epochs.
void AddLonger(const LargeBatchView& large, const LargeBatchRows& batch, LargeBatchFacts& facts) {
  const RemedyRows& none = *batch.Find(kNoRemedy);
  const ExperimentRow* const base = large.BaseLike(*none.equal);
  facts.base_has_not_learned = IsTrained(base) && HasNotLearned(large, *base);
  if (!IsTrained(none.longer)) {
    return;
  }
  facts.longer_epochs = EpochsOf(*none.longer);
  const std::optional<SeedDifference> loss = LossOf(large, *none.longer);
  if (loss.has_value() && loss->seeds >= kMinRepeats && loss->above()) {
    facts.longer_loss = loss;
  }
}

}  // namespace

LargeBatchFacts LargeBatchFactsOf(const LargeBatchView& large, const LargeBatchRows& batch) {
  const ExperimentRow& none = *batch.Find(kNoRemedy)->equal;
  LargeBatchFacts facts;
  facts.batch = batch.global_batch;
  facts.base_batch = large.base == nullptr ? 0 : large.base->first().global_batch();
  facts.loss = LossOf(large, none);
  facts.epochs = EpochsOf(none);
  AddLonger(large, batch, facts);
  const RemedyChoice choice = ChooseRemedy(batch);
  facts.tried = choice.tried;
  facts.no_remedy = choice.absent_reason;
  facts.held_out = choice.held_out;
  facts.equal_ones = choice.equal_ones;
  if (choice.best != nullptr) {
    facts.remedy = choice.best->remedy;
    const std::vector<RemedyVerdict> verdicts = JudgeRemedies(large, batch);
    if (const RemedyVerdict* const verdict = FindVerdict(verdicts, *choice.best->equal); verdict != nullptr) {
      facts.gain = verdict->gain;
    }
  }
  return facts;
}

proto::SummaryCard CardQ4(const LabRecords& lab) {
  for (const ExperimentView& view : ExperimentViews(lab, proto::LARGE_BATCH)) {
    const LargeBatchView large = MakeLargeBatchView(view);
    if (const LargeBatchRows* const batch = LargestTrained(large); batch != nullptr) {
      proto::SummaryCard card =
          AnsweredCard("Q4", JudgeLargeBatch(LargeBatchFactsOf(large, *batch)),
                       Sources(view, {"epoch.test_accuracy", "epoch.validation_accuracy", "steps_per_epoch"}));
      FillQ4(large, *batch, card);
      AddLink("figure", "plot-large_batch", card);
      return card;
    }
  }
  return UnansweredCard(lab, "Q4",
                        IsAsked(lab, "Q4")
                            ? "The record lacks the large batch without a remedy, trained for as many epochs as "
                              "the small one."
                            : "No record compares a very large batch with a small one.");
}

proto::SummaryCard CardQ5(const LabRecords& lab) {
  for (const ExperimentView& view : ExperimentViews(lab, proto::SAMPLER_EPOCH)) {
    const ExperimentRow* const with = FindOrder(view, false);
    const ExperimentRow* const without = FindOrder(view, true);
    if (with == nullptr || without == nullptr) {
      continue;
    }
    const SamplerFacts facts = SamplerFactsOf(view, *with, *without);
    proto::SummaryCard card =
        AnsweredCard("Q5", JudgeSampler(facts),
                     Sources(view, {"rank.epoch_order_sha256", "rank.distinct_images_ever", "epoch.test_accuracy"}));
    SetHeadline(FormatCount(facts.seen_without), "images",
                {absl::StrCat("of ", FormatCount(facts.images), " seen by rank 0 in ", facts.epochs,
                              " epochs without set_epoch;"),
                 absl::StrCat(FormatCount(facts.seen_with), " with it")},
                card);
    AddSupport(AccuracyText(*with, *without), card);
    if (card.state() == proto::ANSWERED) {
      proto::Spark& spark = *card.mutable_spark();
      spark.set_kind(proto::BARS);
      spark.add_label("with");
      spark.add_value(static_cast<double>(facts.seen_with));
      spark.add_label("without");
      spark.add_value(static_cast<double>(facts.seen_without));
      spark.set_base(static_cast<double>(facts.images));
      spark.set_description("Images that rank 0 has seen, with and without the epoch number; the line is all images");
    }
    return card;
  }
  return UnansweredCard(lab, "Q5", "No record trains with and without the epoch number in the sampler.");
}

proto::SummaryCard CardQ6(const LabRecords& lab) {
  const std::vector<ExperimentView> views = BatchNormFirst(lab);
  for (const ExperimentView& view : views) {
    const SentRow most = MostSent(view);
    if (most.row == nullptr) {
      continue;
    }
    proto::SummaryCard card = AnsweredCard("Q6", JudgeSent(most.facts),
                                           Sources(view, {"traffic.kind", "traffic.size_bytes", "traffic.steps"}));
    const std::string gradients = ShortBytes(most.facts.gradient_bytes);
    SetHeadline(gradients.substr(0, gradients.find(' ')),
                absl::StrCat(gradients.substr(gradients.find(' ') + 1), " of gradients"),
                {absl::StrCat("per step on ", CountOf(view.ranks, "rank"), ";"),
                 most.facts.other_bytes > 0 ? absl::StrCat(ShortBytes(most.facts.other_bytes), " of all else")
                                            : "nothing else"},
                card);
    AddSupport(
        absl::StrCat(
            most.facts.other_bytes > 0 ? absl::StrCat("Counted with ", most.row->name, ", which sends the most.") : "",
            OtherImagesNote(view)),
        card);
    for (const ExperimentView& other : views) {
      if (&other != &view && !HasBatchNorm(ModelOf(other)) && MostSent(other).row != nullptr) {
        AddSupport(absl::StrCat(ModelOf(other), ", which has no batch norm, sends only gradients."), card);
      }
    }
    if (card.state() == proto::ANSWERED) {
      card.mutable_spark()->set_kind(proto::SHARE);
      card.mutable_spark()->add_value(most.facts.other_bytes / (most.facts.gradient_bytes + most.facts.other_bytes));
      card.mutable_spark()->add_label("all else");
      card.mutable_spark()->set_description("Share of a step's bytes that are not gradients");
    }
    return card;
  }
  return UnansweredCard(lab, "Q6", "No record counts what the ranks send, by kind.");
}

proto::SummaryCard CardQ7(const LabRecords& lab) {
  const std::vector<ExperimentView> views = BatchNormFirst(lab);
  for (const ExperimentView& view : views) {
    std::vector<const ExperimentRow*> rows;
    std::vector<SeedPair> pairs;
    for (const ExperimentRow& row : view.rows) {
      if (HasBatchNorm(ModelOf(view)) && !row.Values(TestAccuracy).value().empty()) {
        if (!rows.empty()) {
          pairs.push_back({row.Values(TestAccuracy), rows.front()->Values(TestAccuracy)});
        }
        rows.push_back(&row);
      }
    }
    if (rows.empty()) {
      continue;
    }
    GradientsOnlyFacts facts;
    const std::vector<SeedDifference> differences = CompareSeeds(pairs);
    std::vector<std::string> others;
    for (size_t i = 0; i < differences.size(); ++i) {
      facts.ways.push_back({rows[i + 1]->name, differences[i]});
      others.push_back(absl::StrCat(AccuracyNumber(rows[i + 1]->Values(TestAccuracy)), " % with ", rows[i + 1]->name));
    }
    proto::SummaryCard card =
        AnsweredCard("Q7", JudgeGradientsOnly(facts), Sources(view, {"epoch.test_accuracy", "buffers"}));
    SetHeadline(
        AccuracyNumber(rows.front()->Values(TestAccuracy)), "% test accuracy",
        {absl::StrCat("with ", rows.front()->name), absl::StrCat("after ", CountOf(EpochsOf(*rows.front()), "epoch"))},
        card);
    SetSeeds(rows.front()->Values(TestAccuracy), card);
    AddSupport(others.empty() ? "" : absl::StrCat("The other ways reach ", JoinAnd(others), "."), card);
    std::vector<std::string> notes;
    if (rows.front()->trained.size() >= kMinRepeats) {
      notes.push_back(absl::StrCat("All are means of ", rows.front()->SeedsText(), " seeds."));
    }
    for (const ExperimentView& other : views) {
      if (!HasBatchNorm(ModelOf(other)) && !other.rows.front().Values(TestAccuracy).value().empty()) {
        notes.push_back(absl::StrCat(ModelOf(other), ", which has no batch norm and needs only gradients, reaches ",
                                     AccuracyNumber(other.rows.front().Values(TestAccuracy)), " %."));
      }
    }
    AddSupport(absl::StrCat(absl::StrJoin(notes, " "), OtherImagesNote(view)), card);
    return card;
  }
  return UnansweredCard(lab, "Q7",
                        IsAsked(lab, "Q7")
                            ? "The record has no test accuracies of a network with batch norm, such as resnet18."
                            : "No record compares gradients alone with shared statistics of batch norm.");
}

}  // namespace lockstep
