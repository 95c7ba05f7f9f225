#include "lib/audit/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/audit/column_batch.h"
#include "lib/audit/flags.h"
#include "lib/audit/hit.h"
#include "lib/audit/quantity_kinds.h"
#include "lib/audit/trial.h"
#include "lib/base/stop_signal.h"
#include "lib/published/printed_value.h"

namespace lockstep {
namespace {

std::string InputsText(const Recomputed& recomputed) {
  std::vector<std::string> inputs;
  for (const Cell* cell : recomputed.inputs) {
    inputs.push_back(PrintedText(*cell->value));
  }
  return inputs.empty() ? "" : absl::StrCat(" (from ", absl::StrJoin(inputs, ", "), ")");
}

std::string StyleText(const Style& style) {
  return absl::StrCat(style.from_printed ? ", intermediates as printed" : "", style.truncated ? ", digits cut off" : "",
                      style.before_rounding ? ", inputs before their rounding" : "");
}

proto::Candidate ToCandidate(const Hit& hit, const PrintedNumber& printed) {
  proto::Candidate candidate;
  candidate.set_convention(absl::StrCat(hit.trial->convention->text, StyleText(hit.style)));
  candidate.set_value(hit.value);
  candidate.set_ratio(Ratio(printed.value, hit.value));
  return candidate;
}

// Returns the flags that all explanations share, and the flags of the way in which the number was printed.
std::vector<std::string> FlagsOf(const std::vector<Hit>& hits, const PrintedNumber& printed) {
  std::vector<std::string> flags;
  for (const std::string& flag : FlagsOf(hits[0])) {
    if (std::all_of(hits.begin(), hits.end(), [&](const Hit& hit) {
          const std::vector<std::string> others = FlagsOf(hit);
          return std::find(others.begin(), others.end(), flag) != others.end();
        })) {
      flags.push_back(flag);
    }
  }
  const Recomputed& first = hits[0].recomputed;
  if (hits[0].style.truncated && !RoundsTo(hits[0].value, printed)) {
    flags.push_back(kTruncatedDigits);
  }
  if (hits[0].style.from_printed && !Gives(first, {.truncated = hits[0].style.truncated}, printed)) {
    if (std::find(flags.begin(), flags.end(), kRoundedIntermediates) == flags.end()) {
      flags.push_back(kRoundedIntermediates);
    }
  }
  return flags;
}

// Returns ", gives 1.41695". A value computed from inputs with more digits need not round to the number.
std::string GivesText(const Hit& hit, const Cell& cell) {
  return absl::StrCat(", gives ", Digits(hit.value),
                      hit.style.before_rounding && !RoundsTo(hit.value, cell.printed)
                          ? absl::StrCat(", and ", PrintedText(*cell.value), " within the rounding of the inputs")
                          : "");
}

void Explain(const std::vector<Hit>& hits, Cell& cell, proto::AuditedValue& audited) {
  for (const Hit& hit : hits) {
    *audited.add_reproduced_by() = ToCandidate(hit, cell.printed);
  }
  // If a number has more digits than its inputs, or was read off a clock, its own digits are the best estimate.
  const bool is_measured = IsTotalTime(cell.value->quantity()) || cell.value->quantity() == proto::RUN_SECONDS;
  if (!is_measured && (!hits[0].style.before_rounding || RoundsTo(hits[0].value, cell.printed))) {
    cell.unrounded = hits[0].value;
    cell.slack = hits[0].recomputed.slack;
  }
  const proto::Candidate& first = audited.reproduced_by(0);
  if (hits.size() == 1) {
    audited.set_finding(proto::REPRODUCED);
    const std::string& note = hits[0].trial->convention->note;
    audited.set_sentence(absl::StrCat(first.convention(), InputsText(hits[0].recomputed), GivesText(hits[0], cell), ".",
                                      note.empty() ? "" : " ", note));
  } else {
    audited.set_finding(proto::AMBIGUOUS);
    audited.set_sentence(absl::StrCat(hits.size(), " conventions give these digits: ", first.convention(), " = ",
                                      Digits(first.value()), "; ", audited.reproduced_by(1).convention(), " = ",
                                      Digits(audited.reproduced_by(1).value()), hits.size() > 2 ? "; ..." : "", "."));
  }
  for (const std::string& flag : FlagsOf(hits, cell.printed)) {
    Remark(audited, flag, absl::StrCat(FlagMeaning(flag), "."));
  }
  for (const Cell* input : hits[0].recomputed.inputs) {
    if (hits.size() == 1 && !input->contradiction.empty()) {
      Remark(audited, kInconsistentPrinting,
             absl::StrCat("it uses ", PrintedText(*input->value), ", but ", input->contradiction, "."));
    }
  }
}

// Returns "; printed is 0.963 times that", or an empty text if `value` is 0.
std::string RatioText(double printed, double value) {
  if (value == 0) {
    return "";
  }
  constexpr int kFew = 4, kAll = 17;
  std::string ratio;
  for (int digits = kFew; digits <= kAll && (ratio.empty() || ratio == "1"); ++digits) {
    ratio = absl::StrFormat("%.*g", digits, printed / value);
  }
  return absl::StrCat("; printed is ", ratio, " times that");
}

// Returns the nearest value that does not become the printed digits in any style.
std::optional<Hit> NearestHit(const std::vector<Trial>& trials, const Cell& cell) {
  std::optional<Hit> nearest;
  for (const Trial& trial : trials) {
    std::optional<Recomputed> value = ValueFor(*trial.convention, cell);
    if (value.has_value() && std::isfinite(value->exact) && !RoundsTo(value->exact, cell.printed) &&
        !TruncatesTo(value->exact, cell.printed) &&
        (!nearest.has_value() ||
         std::abs(value->exact - cell.printed.value) < std::abs(nearest->value - cell.printed.value))) {
      nearest = Hit{&trial, {}, value->exact, *std::move(value)};
    }
  }
  return nearest;
}

// Returns the value of `trial` for the cell.
std::optional<Hit> ExpectedHit(const Trial& trial, const Cell& cell) {
  std::optional<Recomputed> value = ValueFor(*trial.convention, cell);
  return value.has_value() ? std::optional<Hit>(Hit{&trial, {}, value->exact, *std::move(value)}) : std::nullopt;
}

// Returns a sentence such as "The nearest, T_1/T_N, times of Q2 (from 3, 2): 1.5; printed is 1.2 times that."
std::string ValueText(absl::string_view which, const Hit& hit, const std::string& what_else, const Cell& cell) {
  return absl::StrCat(which, hit.trial->convention->text, InputsText(hit.recomputed), what_else, ": ",
                      Digits(hit.value), RatioText(cell.printed.value, hit.value), ".");
}

// Returns "32, 128" for the batches of `trials`, or an empty text if their numbers do not belong to several batches.
std::string BatchesText(const std::vector<Trial>& trials) {
  std::set<uint64_t> batches = BatchesOf(trials);
  batches.erase(0);
  return batches.size() < 2 ? "" : absl::StrJoin(batches, ", ");
}

// Records that a number does not follow. `of_column` holds the conventions of its column, or of the column's batch, if
// any. `by_chance` gives the number, but is not believed. `batches`: BatchesText of `trials`.
void GiveUp(const std::vector<Trial>& trials, const std::string& batches, const std::vector<const Trial*>& of_column,
            const std::optional<PlainHit>& by_chance, const Cell& cell, proto::AuditedValue& audited) {
  audited.set_finding(proto::NOT_REPRODUCIBLE);
  std::optional<Hit> expected;
  for (auto trial = of_column.begin(); trial != of_column.end() && !expected.has_value(); ++trial) {
    expected = ExpectedHit(**trial, cell);
  }
  std::optional<Hit> nearest = expected.has_value() ? expected : NearestHit(trials, cell);
  const std::string verdict = absl::StrCat("No convention gives ", PrintedText(*cell.value),
                                           batches.empty() ? "" : absl::StrCat(" with any batch (", batches, ")"),
                                           by_chance.has_value() ? " better than chance would. " : ". ");
  if (!nearest.has_value() && !by_chance.has_value()) {
    audited.set_sentence("Nothing to recompute it from: its inputs are not in the document.");
    return;
  }
  if (!nearest.has_value()) {
    nearest = by_chance->hit;
    audited.set_sentence(absl::StrCat(verdict, "There is only ", nearest->trial->convention->text,
                                      InputsText(nearest->recomputed), ": ", Digits(nearest->value), "."));
  } else if (expected.has_value()) {
    const int others = expected->trial->given.cells;
    audited.set_sentence(absl::StrCat(verdict, ValueText("Expected, by ", *expected,
                                                         absl::StrCat(", which gives ", others, " other number",
                                                                      others > 1 ? "s" : "", " of this column"),
                                                         cell)));
  } else {
    audited.set_sentence(absl::StrCat(verdict, ValueText("The nearest, ", *nearest, "", cell)));
  }
  *audited.mutable_nearest() = ToCandidate(*nearest, cell.printed);
}

// Records that a right formula gives a number that has too few digits to exclude chance.
void LeaveOpen(const PlainHit& right, const Cell& cell, proto::AuditedValue& audited) {
  audited.set_finding(proto::COULD_BE_CHANCE);
  *audited.mutable_nearest() = ToCandidate(right.hit, cell.printed);
  const std::string formulas =
      right.tried == 1 ? "it" : absl::StrCat("one of the ", right.tried, " formulas that are as plain");
  audited.set_sentence(
      absl::StrCat(audited.nearest().convention(), InputsText(right.hit.recomputed), GivesText(right.hit, cell),
                   ". But ", formulas, " would also give a random number with so few digits in ",
                   absl::StrFormat("%.2g", 100 * right.chance), " % of cases, so this could be chance."));
}

// Makes a number that follows ambiguous if several batches (BatchesText) give as many numbers of its column.
void LeaveBatchOpen(const std::string& batches, proto::AuditedValue& audited) {
  if (!batches.empty() && audited.finding() == proto::REPRODUCED) {
    audited.set_finding(proto::AMBIGUOUS);
    absl::StrAppend(audited.mutable_sentence(),
                    " Its column names no batch, and these give equally many of its numbers: ", batches, ".");
  }
}

}  // namespace

double Ratio(double printed, double value) {
  if (printed == value) {
    return 1;
  }
  return value == 0 ? 0 : printed / value;
}

std::string Digits(double value) { return absl::StrFormat("%.9g", value); }

void Remark(proto::AuditedValue& audited, absl::string_view flag, absl::string_view sentence) {
  const auto& flags = audited.flag();
  if (std::find(flags.begin(), flags.end(), flag) == flags.end()) {
    audited.add_flag(std::string(flag));
  }
  absl::StrAppend(audited.mutable_sentence(), audited.sentence().empty() ? "" : " ", flag, ": ", sentence);
}

void JudgeColumn(const std::vector<Convention>& conventions, const std::vector<Cell*>& cells,
                 const std::vector<proto::AuditedValue*>& audited) {
  const auto [trials, alone] = ChooseBatch(TryAll(conventions, cells), cells);
  const std::vector<const Trial*> believed = BestSupported(trials, cells.size());
  std::vector<const Trial*> all, expected = believed;
  for (const Trial& trial : trials) {
    all.push_back(&trial);
    if (trial.convention == alone) {
      expected.push_back(&trial);
    }
  }
  const std::string batches = BatchesText(trials);
  const bool column_explained = !believed.empty();
  const std::vector<const Trial*> within =
      column_explained ? std::vector<const Trial*>() : WithinRounding(trials, cells.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    if (StopRequested()) {
      return;
    }
    Cell& cell = *cells[i];
    std::vector<Hit> hits =
        column_explained ? HitsOfColumn(believed, cell) : DistinctHits(within, cell, Styles::kBeforeRounding);
    const bool by_column = !hits.empty();
    if (!by_column) {
      // A number that its column's convention does not give must beat chance on its own.
      const std::optional<PlainHit> plainest = PlainestHit(trials, cell);
      if (!plainest.has_value() || plainest->chance >= kSearchLevel) {
        const std::optional<PlainHit> right = column_explained ? std::nullopt : RightHit(trials, cell);
        if (right.has_value()) {
          LeaveOpen(*right, cell, *audited[i]);
        } else {
          GiveUp(trials, batches, expected, plainest, cell, *audited[i]);
        }
        continue;
      }
      hits = DistinctHits(all, cell, Styles::kSharp);
    }
    Explain(hits, cell, *audited[i]);
    LeaveBatchOpen(batches, *audited[i]);
    if (!by_column && column_explained) {
      Remark(*audited[i], kDiffersFromItsTable,
             absl::StrCat("the other numbers of this column follow ", believed[0]->convention->text, "."));
    }
  }
}

}  // namespace lockstep
