#include "lib/audit/verdict.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/audit/flags.h"
#include "lib/audit/trial.h"

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
std::vector<std::string> FlagsOf(const Hit& hit, size_t i) {
  std::vector<std::string> flags = hit.trial->convention->flags;
  const std::vector<std::string>& here = hit.trial->values[i]->flags;
  flags.insert(flags.end(), here.begin(), here.end());
  return flags;
}

// What is wrong with every one of the explanations, and how the digits came about.
std::vector<std::string> FlagsOf(const std::vector<Hit>& hits, size_t i, const PrintedNumber& printed) {
  std::vector<std::string> flags;
  for (const std::string& flag : FlagsOf(hits[0], i)) {
    if (std::all_of(hits.begin(), hits.end(), [&](const Hit& hit) {
          const std::vector<std::string> others = FlagsOf(hit, i);
          return std::find(others.begin(), others.end(), flag) != others.end();
        })) {
      flags.push_back(flag);
    }
  }
  const Recomputed& first = *hits[0].trial->values[i];
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

void Explain(const std::vector<Hit>& hits, size_t i, Cell& cell, proto::AuditedValue& audited) {
  for (const Hit& hit : hits) {
    *audited.add_reproduced_by() = ToCandidate(hit, cell.printed);
  }
  // A number with more digits than its inputs is known best from its own.
  if (!hits[0].style.before_rounding || RoundsTo(hits[0].value, cell.printed)) {
    cell.unrounded = hits[0].value;
    cell.slack = hits[0].trial->values[i]->slack;
  }
  const proto::Candidate& first = audited.reproduced_by(0);
  if (hits.size() == 1) {
    audited.set_finding(proto::REPRODUCED);
    const std::string& note = hits[0].trial->convention->note;
    audited.set_sentence(absl::StrCat(first.convention(), InputsText(*hits[0].trial->values[i]), ", gives ",
                                      Digits(first.value()), ".", note.empty() ? "" : " ", note));
  } else {
    audited.set_finding(proto::AMBIGUOUS);
    audited.set_sentence(absl::StrCat(hits.size(), " conventions give these digits: ", first.convention(), " = ",
                                      Digits(first.value()), "; ", audited.reproduced_by(1).convention(), " = ",
                                      Digits(audited.reproduced_by(1).value()), hits.size() > 2 ? "; ..." : "", "."));
  }
  for (const std::string& flag : FlagsOf(hits, i, cell.printed)) {
    Remark(audited, flag, absl::StrCat(FlagMeaning(flag), "."));
  }
  for (const Cell* input : hits[0].trial->values[i]->inputs) {
    if (hits.size() == 1 && !input->contradiction.empty()) {
      Remark(audited, kInconsistentPrinting,
             absl::StrCat("it uses ", input->value->as_printed(), ", but ", input->contradiction, "."));
    }
  }
}

// The most believed convention when there is one, else the one whose value is nearest.
const Trial* NearestTrial(const std::vector<Trial>& trials, const std::vector<const Trial*>& believed, size_t i,
                          double printed) {
  for (const Trial* trial : believed) {
    if (trial->values[i].has_value()) {
      return trial;
    }
  }
  const Trial* nearest = nullptr;
  for (const Trial& trial : trials) {
    if (trial.values[i].has_value() && (nearest == nullptr || std::abs(trial.values[i]->exact - printed) <
                                                                  std::abs(nearest->values[i]->exact - printed))) {
      nearest = &trial;
    }
  }
  return nearest;
}

void GiveUp(const std::vector<Trial>& trials, const std::vector<const Trial*>& believed, size_t i, const Cell& cell,
            proto::AuditedValue& audited) {
  audited.set_finding(proto::NOT_REPRODUCIBLE);
  const Trial* nearest = NearestTrial(trials, believed, i, cell.printed.value);
  if (nearest == nullptr) {
    audited.set_sentence("Nothing to recompute it from: its inputs are not in the document.");
    return;
  }
  *audited.mutable_nearest() = ToCandidate(Hit{nearest, {}, nearest->values[i]->exact}, cell.printed);
  const std::string others = nearest->given > 0 ? absl::StrCat(", which gives ", nearest->given, " other number",
                                                               nearest->given > 1 ? "s" : "", " of this column")
                                                : "";
  audited.set_sentence(absl::StrCat(
      "No convention gives ", cell.value->as_printed(), ". ", others.empty() ? "The nearest, " : "Expected, by ",
      nearest->convention->text, InputsText(*nearest->values[i]), others, ": ", Digits(audited.nearest().value()),
      "; printed is ", absl::StrFormat("%.4g", audited.nearest().ratio()), " times that."));
}

// The believed conventions' hits: as the column has them; else as far as the inputs' own rounding leaves room, which
// accuses nobody; else in any style.
std::vector<Hit> HitsOfColumn(const std::vector<const Trial*>& believed, size_t i, const PrintedNumber& printed) {
  std::vector<Hit> hits;
  for (const Styles styles : {Styles::kColumn, Styles::kBeforeRounding, Styles::kSharp}) {
    if (hits.empty()) {
      hits = DistinctHits(believed, i, printed, styles);
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
    std::vector<Hit> hits = column_explained ? HitsOfColumn(believed, i, cells[i]->printed)
                                             : DistinctHits(within, i, cells[i]->printed, Styles::kBeforeRounding);
    const bool by_column = !hits.empty();
    if (!by_column) {
      hits = DistinctHits(all, i, cells[i]->printed, Styles::kSharp);
    }
    if (hits.empty() || (!by_column && ChanceOf(hits[0], trials, cells[i]->printed) >= kCoincidence)) {
      GiveUp(trials, believed, i, *cells[i], *audited[i]);
      continue;
    }
    Explain(hits, i, *cells[i], *audited[i]);
    if (!by_column && column_explained) {
      Remark(*audited[i], kDiffersFromItsTable,
             absl::StrCat("the other numbers of this column follow ", believed[0]->convention->text, "."));
    }
  }
}

}  // namespace lockstep
