#include "lib/comm/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/comm/flags.h"

namespace lockstep {
namespace {

// A chance below which a coincidence is not believed; the usual level of a test.
constexpr double kCoincidence = 0.05;

// Values closer than this, relative, are one value: ten roundings of a double are 1e-15.
constexpr double kSameValue = 1e-12;

// How a value became digits, the plainest first.
struct Style {
  bool from_printed;  // intermediates as the document prints them
  bool truncated;     // digits cut off instead of rounded
};
constexpr std::array<Style, 4> kStyles = {{{false, false}, {true, false}, {false, true}, {true, true}}};

double ValueIn(const Recomputed& recomputed, const Style& style) {
  return style.from_printed ? recomputed.from_printed : recomputed.exact;
}

bool Gives(const Recomputed& recomputed, const Style& style, const PrintedNumber& printed) {
  const double value = ValueIn(recomputed, style);
  return style.truncated ? TruncatesTo(value, printed) : RoundsTo(value, printed);
}

// One convention against the whole column.
struct Trial {
  const Convention* convention = nullptr;
  std::vector<std::optional<Recomputed>> values;  // per cell
  int style = 0;                                  // index of the style that gives the most cells
  int given = 0;                                  // how many it gives
};

Trial Try(const Convention& convention, const std::vector<Cell*>& cells) {
  Trial trial;
  trial.convention = &convention;
  for (const Cell* cell : cells) {
    trial.values.push_back(convention.evaluate({cell->value->devices(), cell->value->batch()}));
  }
  for (int style = 0; style < static_cast<int>(kStyles.size()); ++style) {
    int given = 0;
    for (size_t i = 0; i < cells.size(); ++i) {
      given += trial.values[i].has_value() && Gives(*trial.values[i], kStyles[style], cells[i]->printed);
    }
    if (given > trial.given) {
      trial.style = style;
      trial.given = given;
    }
  }
  return trial;
}

// A convention that gives one cell, and how.
struct Hit {
  const Trial* trial;
  Style style;
  double value;
};

// The trial's own style first, then the plainest one that gives the cell.
std::optional<Hit> HitOf(const Trial& trial, size_t i, const PrintedNumber& printed) {
  if (!trial.values[i].has_value()) {
    return std::nullopt;
  }
  std::vector<Style> styles = {kStyles[trial.style]};
  styles.insert(styles.end(), kStyles.begin(), kStyles.end());
  for (const Style& style : styles) {
    if (Gives(*trial.values[i], style, printed)) {
      return Hit{&trial, style, ValueIn(*trial.values[i], style)};
    }
  }
  return std::nullopt;
}

bool Same(double a, double b) { return std::abs(a - b) <= kSameValue * std::max(std::abs(a), std::abs(b)); }

// Conventions with the same value are one explanation; trials come plainest first, so the plainest one stays. The same
// formula in another style is not another convention either.
std::vector<Hit> DistinctHits(const std::vector<const Trial*>& trials, size_t i, const PrintedNumber& printed) {
  std::vector<Hit> hits;
  for (const Trial* trial : trials) {
    const std::optional<Hit> hit = HitOf(*trial, i, printed);
    if (hit.has_value() &&
        std::none_of(hits.begin(), hits.end(), [&](const Hit& other) {
          return Same(other.value, hit->value) || Same(other.trial->values[i]->exact, trial->values[i]->exact);
        })) {
      hits.push_back(*hit);
    }
  }
  return hits;
}

// How likely some convention as plain as this one gives these digits by chance.
double ChanceOf(const Hit& hit, const std::vector<Trial>& trials, const PrintedNumber& printed) {
  const auto tried = std::count_if(trials.begin(), trials.end(), [&](const Trial& trial) {
    return trial.convention->departures <= hit.trial->convention->departures;
  });
  const double share = printed.unit / std::max(std::abs(printed.value), printed.unit);
  return static_cast<double>(tried) * share;
}

std::string InputsText(const Recomputed& recomputed) {
  std::vector<std::string> inputs;
  for (const Cell* cell : recomputed.inputs) {
    inputs.push_back(cell->value->as_printed());
  }
  return inputs.empty() ? "" : absl::StrCat(" (from ", absl::StrJoin(inputs, ", "), ")");
}

std::string StyleText(const Style& style) {
  return absl::StrCat(style.from_printed ? ", intermediates as printed" : "", style.truncated ? ", digits cut off" : "");
}

proto::Candidate ToCandidate(const Hit& hit, const PrintedNumber& printed) {
  proto::Candidate candidate;
  candidate.set_convention(absl::StrCat(hit.trial->convention->text, StyleText(hit.style)));
  candidate.set_value(hit.value);
  candidate.set_ratio(printed.value / hit.value);
  return candidate;
}

// What is wrong with every one of the explanations, and how the digits came about.
std::vector<std::string> FlagsOf(const std::vector<Hit>& hits, size_t i, const PrintedNumber& printed) {
  std::vector<std::string> flags;
  for (const std::string& flag : hits[0].trial->convention->flags) {
    if (std::all_of(hits.begin(), hits.end(), [&](const Hit& hit) {
          const auto& others = hit.trial->convention->flags;
          return std::find(others.begin(), others.end(), flag) != others.end();
        })) {
      flags.push_back(flag);
    }
  }
  const Recomputed& first = *hits[0].trial->values[i];
  if (hits[0].style.truncated && !RoundsTo(hits[0].value, printed)) {
    flags.push_back(kTruncatedDigits);
  }
  if (hits[0].style.from_printed && !Gives(first, {false, hits[0].style.truncated}, printed)) {
    flags.push_back(kRoundedIntermediates);
  }
  return flags;
}

void Explain(const std::vector<Hit>& hits, size_t i, Cell& cell, proto::AuditedValue& audited) {
  for (const Hit& hit : hits) {
    *audited.add_reproduced_by() = ToCandidate(hit, cell.printed);
  }
  cell.unrounded = hits[0].value;
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

// Those that give the most numbers of the column, and of these those that contradict the document the least.
std::vector<const Trial*> Believed(const std::vector<Trial>& trials, int most) {
  std::vector<const Trial*> believed;
  int least = std::numeric_limits<int>::max();
  for (const Trial& trial : trials) {
    const int contradictions = trial.convention->contradictions;
    if (most == 0 || trial.given < most || contradictions > least) {
      continue;
    }
    if (contradictions < least) {
      believed.clear();
      least = contradictions;
    }
    believed.push_back(&trial);
  }
  return believed;
}

// The most believed convention when there is one, else the one whose value is nearest.
const Trial* NearestTrial(const std::vector<Trial>& trials, const std::vector<const Trial*>& believed, size_t i, double printed) {
  for (const Trial* trial : believed) {
    if (trial->values[i].has_value()) {
      return trial;
    }
  }
  const Trial* nearest = nullptr;
  for (const Trial& trial : trials) {
    if (trial.values[i].has_value() &&
        (nearest == nullptr ||
         std::abs(trial.values[i]->exact - printed) < std::abs(nearest->values[i]->exact - printed))) {
      nearest = &trial;
    }
  }
  return nearest;
}

void GiveUp(const std::vector<Trial>& trials, const std::vector<const Trial*>& believed, size_t i,
            const Cell& cell, proto::AuditedValue& audited) {
  audited.set_finding(proto::NOT_REPRODUCIBLE);
  const Trial* nearest = NearestTrial(trials, believed, i, cell.printed.value);
  if (nearest == nullptr) {
    audited.set_sentence("Nothing to recompute it from: its inputs are not in the document.");
    return;
  }
  *audited.mutable_nearest() =
      ToCandidate(Hit{nearest, {false, false}, nearest->values[i]->exact}, cell.printed);
  const std::string others =
      nearest->given > 0 ? absl::StrCat(", which gives ", nearest->given, " other number", nearest->given > 1 ? "s" : "",
                                        " of this column")
                         : "";
  audited.set_sentence(absl::StrCat(
      "No convention gives ", cell.value->as_printed(), ". ", others.empty() ? "The nearest, " : "Expected, by ",
      nearest->convention->text, InputsText(*nearest->values[i]), others, ": ", Digits(audited.nearest().value()),
      "; printed is ", absl::StrFormat("%.4g", audited.nearest().ratio()), " times that."));
}

}  // namespace

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
  std::vector<Trial> trials;
  int most = 0;
  for (const Convention& convention : conventions) {
    trials.push_back(Try(convention, cells));
    most = std::max(most, trials.back().given);
  }
  std::vector<const Trial*> believed = Believed(trials, most), all;
  for (const Trial& trial : trials) {
    all.push_back(&trial);
  }
  std::stable_sort(believed.begin(), believed.end(), [](const Trial* a, const Trial* b) {
    return std::make_pair(a->convention->departures, a->style) < std::make_pair(b->convention->departures, b->style);
  });
  // A convention that gives less than half of a column has to stand the test of coincidence everywhere.
  const bool column_explained = 2 * most >= static_cast<int>(cells.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    std::vector<Hit> hits = DistinctHits(believed, i, cells[i]->printed);
    const bool by_column = !hits.empty() && column_explained;
    if (!by_column) {
      hits = DistinctHits(all, i, cells[i]->printed);
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
