#include "lib/audit/verdict.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/audit/flags.h"
#include "lib/audit/trial.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

// A chance below which a coincidence is not believed; the usual level of a test.
constexpr double kCoincidence = 0.05;

std::string InputsText(const Recomputed& recomputed) {
  std::vector<std::string> inputs;
  for (const Cell* cell : recomputed.inputs) {
    inputs.push_back(cell->value->as_printed());
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

// What is wrong with one explanation: with its formula, and with it at this place.
std::vector<std::string> FlagsOf(const Hit& hit) {
  std::vector<std::string> flags = hit.trial->convention->flags;
  const std::vector<std::string>& here = hit.recomputed.flags;
  flags.insert(flags.end(), here.begin(), here.end());
  return flags;
}

// What is wrong with every one of the explanations, and how the digits came about.
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
  if (hits[0].style.from_printed && !Gives(first, {false, hits[0].style.truncated, false}, printed)) {
    if (std::find(flags.begin(), flags.end(), kRoundedIntermediates) == flags.end()) {
      flags.push_back(kRoundedIntermediates);
    }
  }
  return flags;
}

void Explain(const std::vector<Hit>& hits, Cell& cell, proto::AuditedValue& audited) {
  for (const Hit& hit : hits) {
    *audited.add_reproduced_by() = ToCandidate(hit, cell.printed);
  }
  // A number with more digits than its inputs is known best from its own.
  if (!hits[0].style.before_rounding || RoundsTo(hits[0].value, cell.printed)) {
    cell.unrounded = hits[0].value;
    cell.slack = hits[0].recomputed.slack;
  }
  const proto::Candidate& first = audited.reproduced_by(0);
  if (hits.size() == 1) {
    audited.set_finding(proto::REPRODUCED);
    const std::string& note = hits[0].trial->convention->note;
    audited.set_sentence(absl::StrCat(first.convention(), InputsText(hits[0].recomputed), ", gives ",
                                      Digits(first.value()), ".", note.empty() ? "" : " ", note));
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
             absl::StrCat("it uses ", input->value->as_printed(), ", but ", input->contradiction, "."));
    }
  }
}

// Returns what the most believed convention gives for the cell when there is one, else the nearest value of all.
std::optional<Hit> NearestHit(const std::vector<const Trial*>& all, const std::vector<const Trial*>& believed,
                              const Cell& cell) {
  std::optional<Hit> nearest;
  for (const std::vector<const Trial*>* trials : {&believed, &all}) {
    for (const Trial* trial : *trials) {
      std::optional<Recomputed> value = ValueFor(*trial->convention, cell);
      if (value.has_value() && (!nearest.has_value() || std::abs(value->exact - cell.printed.value) <
                                                            std::abs(nearest->value - cell.printed.value))) {
        nearest = Hit{trial, {}, value->exact, *std::move(value)};
        if (trials == &believed) {
          return nearest;
        }
      }
    }
  }
  return nearest;
}

void GiveUp(const std::vector<const Trial*>& all, const std::vector<const Trial*>& believed, const Cell& cell,
            proto::AuditedValue& audited) {
  audited.set_finding(proto::NOT_REPRODUCIBLE);
  const std::optional<Hit> hit = NearestHit(all, believed, cell);
  if (!hit.has_value()) {
    audited.set_sentence("Nothing to recompute it from: its inputs are not in the document.");
    return;
  }
  const Trial* const nearest = hit->trial;
  *audited.mutable_nearest() = ToCandidate(*hit, cell.printed);
  const std::string others = nearest->given > 0 ? absl::StrCat(", which gives ", nearest->given, " other number",
                                                               nearest->given > 1 ? "s" : "", " of this column")
                                                : "";
  audited.set_sentence(absl::StrCat(
      "No convention gives ", cell.value->as_printed(), ". ", others.empty() ? "The nearest, " : "Expected, by ",
      nearest->convention->text, InputsText(hit->recomputed), others, ": ", Digits(audited.nearest().value()),
      "; printed is ", absl::StrFormat("%.4g", audited.nearest().ratio()), " times that."));
}

// The believed conventions' hits: as the column has them; else as far as the inputs' own rounding leaves room, which
// accuses nobody; else in any style.
std::vector<Hit> HitsOfColumn(const std::vector<const Trial*>& believed, const Cell& cell) {
  std::vector<Hit> hits;
  for (const Styles styles : {Styles::kColumn, Styles::kBeforeRounding, Styles::kSharp}) {
    if (hits.empty()) {
      hits = DistinctHits(believed, cell, styles);
    }
  }
  return hits;
}

}  // namespace

double Ratio(double printed, double value) { return printed == value ? 1 : printed / value; }

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
  const std::vector<Trial> trials = TryAll(conventions, cells);
  const std::vector<const Trial*> believed = MostBelieved(trials);
  std::vector<const Trial*> all;
  for (const Trial& trial : trials) {
    all.push_back(&trial);
  }
  // A convention that gives less than half of a column has to stand the test of coincidence everywhere.
  const bool column_explained = !believed.empty() && 2 * believed[0]->given >= static_cast<int>(cells.size());
  const std::vector<const Trial*> within =
      column_explained ? std::vector<const Trial*>() : WithinRounding(trials, cells);
  for (size_t i = 0; i < cells.size(); ++i) {
    if (StopRequested()) {
      return;
    }
    Cell& cell = *cells[i];
    std::vector<Hit> hits =
        column_explained ? HitsOfColumn(believed, cell) : DistinctHits(within, cell, Styles::kBeforeRounding);
    const bool by_column = !hits.empty();
    if (!by_column) {
      const std::optional<Hit> first = FirstHit(all, cell, Styles::kSharp);
      if (!first.has_value() || ChanceOf(*first, trials, cell.printed) >= kCoincidence) {
        GiveUp(all, believed, cell, *audited[i]);
        continue;
      }
      hits = DistinctHits(all, cell, Styles::kSharp);
    }
    Explain(hits, cell, *audited[i]);
    if (!by_column && column_explained) {
      Remark(*audited[i], kDiffersFromItsTable,
             absl::StrCat("the other numbers of this column follow ", believed[0]->convention->text, "."));
    }
  }
}

}  // namespace lockstep
