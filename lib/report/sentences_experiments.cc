// The answer templates of Q4 to Q7.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/lab_records/dataset_facts.h"
#include "lib/lab_records/large_batch.h"
#include "lib/lab_records/seed_difference.h"
#include "lib/networks/networks.h"
#include "lib/report/sentences.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"
#include "lib/wording/question_commands.h"
#include "lib/wording/sent.h"

namespace lockstep {
namespace {

constexpr char kAskedQ4[] = "What does a very large batch do to accuracy, and which remedy repairs it?";
constexpr char kAskedQ5[] = "Why does the sampler need the epoch number?";
constexpr char kAskedQ6[] = "What do the ranks send besides gradients?";
constexpr char kAskedQ7[] = "Is it enough to send gradients alone?";

std::string Needs(const LabRecords& lab, const std::string& what, proto::Experiment experiment) {
  return absl::StrCat("not measured: needs ", what, "; ", ExperimentText(experiment, FactsOfDataset(lab)));
}

// Returns " Means of 3 seeds, with [minimum, maximum].", or states that one seed is only partial evidence.
std::string EvidenceText(const std::vector<const ExperimentRow*>& rows) {
  size_t min_seeds = rows.empty() ? 0 : rows.front()->trained.size();
  for (const ExperimentRow* row : rows) {
    min_seeds = std::min(min_seeds, row->trained.size());
  }
  return min_seeds < 2 ? " Partial evidence: one seed has no spread, so no difference can be tested."
                       : absl::StrCat(" Means of ", min_seeds, " seeds, with [minimum, maximum].");
}

// --- Q4 ---

// Returns "a training loss of 1.95 and 24.10 % accuracy in epoch 5, 18.80 % on the test set".
std::string TrainingText(const ExperimentRow& row) {
  const proto::EpochResult* const epoch = LabEpochOf(row.first());
  return absl::StrCat("a training loss of ", FormatSamples(row.Values(LabLoss)), " and ",
                      FormatPercents(row.Values(LabTrainAccuracy)), " accuracy in epoch ",
                      epoch == nullptr ? 0 : epoch->epoch() + 1, ", ",
                      row.Values(TestAccuracy).value().empty()
                          ? "not evaluated on the test set"
                          : absl::StrCat(FormatPercents(row.Values(TestAccuracy)), " on the test set"));
}

bool IsTrained(const ExperimentRow* row) { return row != nullptr && !row->trained.empty(); }

// Returns "42.77 [42.10, 43.30] %, 51 % of the lost accuracy". Without a share, the gain in points over no remedy, or
// the reason why it is missing.
std::string RemedyVerdictText(const LargeBatchView& large, const RemedyVerdict& verdict) {
  const std::string accuracy = FormatPercents(large.Accuracies(*verdict.row));
  if (verdict.brought_back.has_value()) {
    return absl::StrCat(accuracy, ", ", FormatNumber(100 * *verdict.brought_back, 2), " % of the lost accuracy");
  }
  return absl::StrCat(accuracy, verdict.gain.has_value()
                                    ? absl::StrFormat(", %+.2f points against none", 100 * *verdict.gain)
                                    : absl::StrCat(" (difference from none: ", verdict.no_gain, ")"));
}

// Returns " The best of 7 single remedies by validation accuracy is clipping, with 41.50 %, which does not differ
// significantly from LARS (3 seeds); its test accuracy is 42.77 %, 51 % of the lost accuracy."
std::string BestRemedyText(const LargeBatchView& large, const LargeBatchRows& batch,
                           const std::vector<RemedyVerdict>& verdicts) {
  const RemedyChoice choice = ChooseRemedy(batch);
  if (choice.best == nullptr) {
    return choice.absent_reason.empty() ? ""
                                        : absl::StrCat(" No remedy can be called best: ", choice.absent_reason, ".");
  }
  const ExperimentRow& row = *choice.best->equal;
  const RemedyVerdict* const verdict = FindVerdict(verdicts, row);
  return absl::StrCat(
      choice.tried == 1 ? " The only single remedy, "
                        : absl::StrCat(" The best of ", choice.tried, " single remedies by "),
      choice.tried == 1 ? absl::StrCat(choice.best->remedy, ", has a validation accuracy of ")
                        : absl::StrCat("validation accuracy is ", choice.best->remedy, ", with "),
      FormatPercents(row.Values(ValidationAccuracy)),
      choice.equal_ones.empty() ? ""
                                : absl::StrCat(", which does not differ significantly from ",
                                               JoinAnd(choice.equal_ones), " (", choice.seeds, " seeds)"),
      "; its ", large.AccuracyName(), " is ",
      verdict != nullptr ? RemedyVerdictText(large, *verdict) : FormatPercents(large.Accuracies(row)), ".");
}

// Returns "; batch 128 with the same schedule and as many epochs has 92.10 %"; empty without such a row.
std::string LikeBaseText(const LargeBatchView& large, const ExperimentRow& row,
                         std::vector<const ExperimentRow*>& used) {
  const ExperimentRow* const base = large.BaseLike(row);
  if (!IsTrained(base)) {
    return "";
  }
  used.push_back(base);
  return absl::StrCat(" (batch ", FormatCount(base->first().global_batch()),
                      " with this schedule and as many epochs: ", FormatPercents(large.Accuracies(*base)), ")");
}

// Returns the combinations, and the rows that were trained longer: " Combinations: all with 32.00 %, 25 % of the
// lost accuracy. Trained longer: ..."
std::string OtherRowsText(const LargeBatchView& large, const LargeBatchRows& batch,
                          const std::vector<RemedyVerdict>& verdicts, std::vector<const ExperimentRow*>& used) {
  std::vector<std::string> combinations, longer;
  for (const RemedyRows& rows : batch.remedies) {
    if (IsCombination(rows.remedy) && IsTrained(rows.equal)) {
      used.push_back(rows.equal);
      combinations.push_back(absl::StrCat(rows.remedy, " with ",
                                          RemedyVerdictText(large, *FindVerdict(verdicts, *rows.equal)),
                                          rows.remedy == "all" ? LikeBaseText(large, *rows.equal, used) : ""));
    }
    if (IsTrained(rows.longer)) {
      used.push_back(rows.longer);
      const RemedyVerdict* const verdict = FindVerdict(verdicts, *rows.longer);
      longer.push_back(absl::StrCat(
          rows.remedy == kNoRemedy ? "without a remedy" : absl::StrCat("with ", rows.remedy), " ",
          verdict != nullptr ? RemedyVerdictText(large, *verdict) : FormatPercents(large.Accuracies(*rows.longer)),
          " after ", EpochsOf(*rows.longer), " epochs", LikeBaseText(large, *rows.longer, used)));
    }
  }
  return absl::StrCat(
      combinations.empty() ? "" : absl::StrCat(" Combinations: ", absl::StrJoin(combinations, "; "), "."),
      longer.empty() ? "" : absl::StrCat(" Trained longer: ", absl::StrJoin(longer, "; "), "."));
}

// Returns the sentences on one batch; empty if the large batch was not trained without a remedy.
std::string LargeBatchText(const LargeBatchView& large, const LargeBatchRows& batch,
                           std::vector<const ExperimentRow*>& used) {
  const RemedyRows* const none = batch.Find(kNoRemedy);
  if (none == nullptr || !IsTrained(none->equal)) {
    return "";
  }
  used.push_back(none->equal);
  const std::optional<SeedDifference> loss = LossOf(large, *none->equal);
  // Stays empty if the loss is significant, or has no row to be compared with.
  const std::string no_loss = !loss.has_value() || loss->above() ? ""
                              : loss->below()                    ? " It lost no accuracy."
                                                                 : absl::StrCat(" Its loss of ", large.AccuracyName(),
                                                                                " is not significant: ", loss->Reason(), ".");
  const std::vector<RemedyVerdict> verdicts = JudgeRemedies(large, batch);
  for (const RemedyRows& rows : batch.remedies) {
    if (IsTrained(rows.equal) && !IsCombination(rows.remedy)) {
      used.push_back(rows.equal);
    }
  }
  return absl::StrCat("Global batch ", FormatCount(batch.global_batch), " has ", TrainingText(*none->equal), ", after ",
                      FormatCount(Updates(none->equal->first())), " updates.", no_loss,
                      BestRemedyText(large, batch, verdicts), OtherRowsText(large, batch, verdicts, used));
}

// --- Q5 ---

// Returns the row with this kind of order; null if it was not trained.
const ExperimentRow* FindOrder(const ExperimentView& view, bool no_set_epoch) {
  for (const ExperimentRow& row : view.rows) {
    if (!row.trained.empty() && !row.first().rank().empty() && row.first().training().no_set_epoch() == no_set_epoch) {
      return &row;
    }
  }
  return nullptr;
}

// Returns "5 orders in 5 epochs, 0 % of its batches as in the previous epoch, and 251 of 256 images seen".
std::string OrderText(const ExperimentRow& row, uint64_t images) {
  const proto::RankFacts& rank = row.first().rank(0);
  const std::set<std::string> orders(rank.epoch_order_sha256().begin(), rank.epoch_order_sha256().end());
  return absl::StrCat(orders.size(), orders.size() == 1 ? " order" : " different orders", " in ",
                      rank.epoch_order_sha256_size(), " epochs, ", FormatNumber(100 * rank.repeated_batch_share(), 3),
                      " % of its batches as in the previous epoch, and ", FormatCount(rank.distinct_images_ever()),
                      " of ", FormatCount(images), " images seen");
}

// Returns " The test accuracies differ significantly (p = 0.0036, Welch's t-test)."; empty for one seed.
std::string DifferenceText(const ExperimentRow& a, const ExperimentRow& b) {
  const SeedDifference difference = CompareSeeds(a.Values(TestAccuracy), b.Values(TestAccuracy));
  if (difference.seeds < 2) {
    return "";
  }
  return difference.significant()
             ? absl::StrCat(" The test accuracies differ significantly (", FormatPValue(difference.adjusted_p),
                            ", Welch's t-test).")
             : absl::StrCat(" The test accuracies do not differ significantly: ", difference.Reason(), ".");
}

// --- Q6 ---

// Returns "3 calls"; the mean number if it differs from step to step.
std::string CallsText(const proto::Traffic& traffic) {
  const std::string count =
      traffic.calls() % traffic.steps() == 0
          ? FormatCount(traffic.calls() / traffic.steps())
          : FormatNumber(static_cast<double>(traffic.calls()) / static_cast<double>(traffic.steps()), 2);
  return absl::StrCat(count, count == "1" ? " call" : " calls");
}

// Returns "gradients 44.70 MB in 5 calls a step; once or for each epoch: initial broadcast 44.73 MB in 3 calls in all".
std::string SentText(const proto::ScalePoint& point) {
  std::vector<std::string> each, once;
  for (const proto::Traffic* const one : GradientsFirst(point)) {
    const proto::Traffic& traffic = *one;
    if (const std::optional<double> bytes = BytesPerStep(traffic)) {
      each.push_back(absl::StrCat(traffic.kind(), " ", FormatBytes(*bytes), " in ", CallsText(traffic), " a step"));
    } else {
      once.push_back(absl::StrCat(traffic.kind(), " ", FormatBytes(static_cast<double>(traffic.size_bytes()))));
    }
  }
  return absl::StrCat(each.empty() ? "nothing in the steps" : JoinAnd(each),
                      once.empty() ? "" : absl::StrCat("; outside the steps, over the whole run, ", JoinAnd(once)));
}

// Returns a point with counted traffic and the most ranks, from the scale records; null if none has any.
const proto::ScalePoint* CountedPoint(const LabRecords& lab) {
  const proto::ScalePoint* best = nullptr;
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      if (point.ranks() > 1 && point.reduction() == proto::ALL_REDUCE && !point.traffic().empty() &&
          (best == nullptr || point.ranks() > best->ranks())) {
        best = &point;
      }
    }
  }
  return best;
}

constexpr char kCounted[] = "Counted at the calls of rank 0: ";

}  // namespace

proto::Claim AnswerQ4(const LabRecords& lab) {
  std::vector<std::string> lines, sources;
  for (const ExperimentView& view : ExperimentViews(lab, proto::LARGE_BATCH)) {
    const LargeBatchView large = MakeLargeBatchView(view);
    if (!IsTrained(large.base)) {
      continue;
    }
    std::vector<const ExperimentRow*> used = {large.base};
    std::vector<std::string> batches;
    for (const LargeBatchRows& batch : large.batches) {
      if (std::string text = LargeBatchText(large, batch, used); !text.empty()) {
        batches.push_back(std::move(text));
      }
    }
    if (batches.empty()) {
      continue;
    }
    lines.push_back(absl::StrCat(view.Title(), ": global batch ", FormatCount(large.base->first().global_batch()),
                                 " has ", TrainingText(*large.base), ", after ",
                                 FormatCount(Updates(large.base->first())), " updates.\n", absl::StrJoin(batches, "\n"),
                                 EvidenceText(used)));
    for (const char* field : {"epoch.mean_loss", "epoch.train_accuracy", "epoch.test_accuracy",
                              "epoch.validation_accuracy", "steps_per_epoch"}) {
      sources.push_back(view.Source(field));
    }
  }
  return lines.empty()
             ? NotClaimed("Q4", kAskedQ4,
                          Needs(lab,
                                "loss and accuracy of epoch 5 at a very large batch on N devices and at batch 128, "
                                "with and without each remedy, over several seeds, and the accuracy on held-out "
                                "training images for the choice",
                                proto::LARGE_BATCH))
             : Claimed("Q4", kAskedQ4, absl::StrJoin(lines, "\n"), sources);
}

proto::Claim AnswerQ5(const LabRecords& lab) {
  for (const ExperimentView& view : ExperimentViews(lab, proto::SAMPLER_EPOCH)) {
    const ExperimentRow* const with = FindOrder(view, false);
    const ExperimentRow* const without = FindOrder(view, true);
    if (with == nullptr || without == nullptr) {
      continue;
    }
    const uint64_t images = view.scale->spec.model().training_images();
    const std::string text = absl::StrCat(
        "Without the epoch number, the order never changes: it is made from seed and epoch, and each of ", view.ranks,
        " ranks takes its share. Rank 0 without the epoch number: ", OrderText(*without, images),
        "; with it: ", OrderText(*with, images), ". Training with the epoch number: ", TrainingText(*with),
        "; without it: ", TrainingText(*without), ".", DifferenceText(*with, *without), EvidenceText({with, without}));
    std::vector<std::string> sources;
    for (const char* field : {"rank.epoch_order_sha256", "rank.repeated_batch_share", "rank.distinct_images_ever",
                              "epoch.mean_loss", "epoch.train_accuracy", "epoch.test_accuracy"}) {
      sources.push_back(view.Source(field));
    }
    return Claimed("Q5", kAskedQ5, text, sources);
  }
  return NotClaimed("Q5", kAskedQ5,
                    Needs(lab,
                          "training with and without the epoch number in the sampler, the order of images of several "
                          "epochs and the share of images that each rank saw",
                          proto::SAMPLER_EPOCH));
}

proto::Claim AnswerQ6(const LabRecords& lab) {
  std::vector<std::string> networks, sources;
  bool batch_norm = false;  // a network has batch norm
  for (const ExperimentView& view : ExperimentViews(lab, proto::WHAT_IS_SENT)) {
    std::vector<std::string> lines;
    for (const ExperimentRow& row : view.rows) {
      if (!row.trained.empty() && !row.first().traffic().empty()) {
        lines.push_back(absl::StrCat(row.name, ": ", SentText(row.first()), "."));
      }
    }
    if (lines.empty()) {
      continue;
    }
    const std::string& model = view.scale->spec.training().model();
    const bool has_batch_norm = HasBatchNorm(model);
    batch_norm = batch_norm || has_batch_norm;
    networks.push_back(absl::StrCat(view.Title(), has_batch_norm ? "" : absl::StrCat("; ", model, " has no batch norm"),
                                    ".\n", absl::StrJoin(lines, "\n")));
    for (const char* field : {"traffic.kind", "traffic.size_bytes", "traffic.calls", "traffic.steps"}) {
      sources.push_back(view.Source(field));
    }
  }
  if (!networks.empty()) {
    return Claimed("Q6", kAskedQ6,
                   absl::StrCat(kCounted, absl::StrJoin(networks, "\n"),
                                batch_norm ? "" : "\nNetworks with batch norm also send running statistics."),
                   sources);
  }
  if (const proto::ScalePoint* const point = CountedPoint(lab); point != nullptr) {
    return Claimed("Q6", kAskedQ6,
                   absl::StrCat(kCounted, "at ", CountOf(point->ranks(), "rank"), ", batch ", point->batch_per_device(),
                                " per device, ", SentText(*point), ". No record has the bytes of running statistics; ",
                                ExperimentText(proto::WHAT_IS_SENT, FactsOfDataset(lab)), "."),
                   {absl::StrCat("scale.point[ranks=", point->ranks(), "].traffic.size_bytes")});
  }
  return NotClaimed("Q6", kAskedQ6,
                    Needs(lab,
                          "the bytes of each kind counted at the call (gradients, batch-norm statistics, the first "
                          "broadcast, counters)",
                          proto::WHAT_IS_SENT));
}

proto::Claim AnswerQ7(const LabRecords& lab) {
  const std::vector<ExperimentView> views = ExperimentViews(lab, proto::WHAT_IS_SENT);
  std::string without;                     // a network without batch norm, which cannot answer
  std::vector<std::string> needs_no_more;  // accuracies of such networks
  for (const ExperimentView& view : views) {
    if (!HasBatchNorm(view.scale->spec.training().model())) {
      without = view.scale->spec.training().model();
      for (const ExperimentRow& row : view.rows) {
        if (!row.Values(TestAccuracy).value().empty()) {
          needs_no_more.push_back(absl::StrCat("\nWithout batch norm, nothing else differs between the ranks: ",
                                               FormatPercents(row.Values(TestAccuracy)), " with ", row.name, ", ",
                                               view.Title(), "."));
        }
      }
    }
  }
  for (const ExperimentView& view : views) {
    if (!HasBatchNorm(view.scale->spec.training().model())) {
      continue;
    }
    std::vector<const ExperimentRow*> rows;
    std::vector<std::string> accuracies, verdicts;
    for (const ExperimentRow& row : view.rows) {
      if (!row.Values(TestAccuracy).value().empty()) {
        rows.push_back(&row);
        accuracies.push_back(absl::StrCat(FormatPercents(row.Values(TestAccuracy)), " with ", row.name));
      }
    }
    if (rows.size() < 2) {
      continue;
    }
    std::vector<SeedPair> pairs;
    for (size_t i = 1; i < rows.size(); ++i) {
      pairs.push_back({rows[i]->Values(TestAccuracy), rows[0]->Values(TestAccuracy)});
    }
    const std::vector<SeedDifference> differences = CompareSeeds(pairs);
    for (size_t i = 0; i < differences.size(); ++i) {
      if (differences[i].seeds > 1) {
        verdicts.push_back(absl::StrCat(rows[i + 1]->name, " ",
                                        differences[i].above()   ? "does better"
                                        : differences[i].below() ? "does worse"
                                                                 : "does not differ significantly"));
      }
    }
    const std::string text = absl::StrCat(
        verdicts.empty()
            ? ""
            : absl::StrCat("Compared with ", rows[0]->name, ", ", JoinAnd(verdicts), " (Welch's t-test over seeds). "),
        "Test accuracy of ", view.Title(), ": ", JoinAnd(accuracies),
        ". Gradients alone keep the weights of all ranks equal; only batch norm differs: its running statistics, and "
        "the images that it averages over.",
        EvidenceText(rows), absl::StrJoin(needs_no_more, ""));
    return Claimed("Q7", kAskedQ7, text, {view.Source("epoch.test_accuracy"), view.Source("buffers")});
  }
  return NotClaimed(
      "Q7", kAskedQ7,
      absl::StrCat(Needs(lab,
                         "the test accuracy with gradients only, with broadcast batch-norm statistics and with "
                         "synchronised batch norm, over several seeds",
                         proto::WHAT_IS_SENT),
                   without.empty() ? "" : absl::StrCat("; ", without, " has no batch norm; use resnet18")));
}

}  // namespace lockstep
