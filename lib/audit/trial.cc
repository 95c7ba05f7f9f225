#include "lib/audit/trial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace lockstep {
namespace {

// Values closer than this, relative, are one value: ten roundings of a double are 1e-15.
constexpr double kSameValue = 1e-12;

// Nobody is said to have cut digits off, or to have gone on from rounded ones, unless that explains what is left to
// chance less often than this.
constexpr double kUnlikely = 0.01;

constexpr Style kBeforeRounding = {false, false, true};

// The plainest first.
constexpr std::array<Style, 4> kStyles = {
    {{false, false, false}, {true, false, false}, {false, true, false}, {true, true, false}}};

double ValueIn(const Recomputed& recomputed, const Style& style) {
  return style.from_printed ? recomputed.from_printed : recomputed.exact;
}

// The inputs were rounded. This is the share, of the values that they may have had before, from which these digits
// follow.
double ShareOfInputs(const Recomputed& recomputed, const PrintedNumber& printed) {
  const double slack = std::abs(recomputed.slack);
  if (slack == 0) {
    return RoundsTo(recomputed.exact, printed) ? 1 : 0;
  }
  const double low = std::max(recomputed.exact - slack, printed.value - 0.5 * printed.unit);
  const double high = std::min(recomputed.exact + slack, printed.value + 0.5 * printed.unit);
  return std::max(0.0, high - low) / (2 * slack);
}

bool Same(double a, double b) { return std::abs(a - b) <= kSameValue * std::max(std::abs(a), std::abs(b)); }

Trial Try(const Convention& convention, const std::vector<Cell*>& cells) {
  Trial trial;
  trial.convention = &convention;
  for (const Cell* cell : cells) {
    trial.values.push_back(convention.evaluate({cell->value->devices(), cell->value->batch()}));
  }
  for (const Style& style : kStyles) {
    int given = 0;
    for (size_t i = 0; i < cells.size(); ++i) {
      given += trial.values[i].has_value() && Gives(*trial.values[i], style, cells[i]->printed);
    }
    if (given > trial.given) {
      trial.style = style;
      trial.given = given;
    }
  }
  double chance = 1;
  for (size_t i = 0; i < cells.size(); ++i) {
    trial.within += trial.values[i].has_value() && Gives(*trial.values[i], kBeforeRounding, cells[i]->printed);
    chance *= trial.values[i].has_value() ? ShareOfInputs(*trial.values[i], cells[i]->printed) : 1;
  }
  trial.style_is_proven = trial.given == static_cast<int>(cells.size()) && chance < kUnlikely;
  return trial;
}

// In the order in which they are tried: the trial's own first, then the plainest.
std::vector<Style> StylesFor(const Trial& trial, Styles styles) {
  if (styles == Styles::kBeforeRounding) {
    return {kBeforeRounding};
  }
  std::vector<Style> all = {trial.style};
  if (styles == Styles::kSharp) {
    all.insert(all.end(), kStyles.begin(), kStyles.end());
  } else if (!trial.style_is_proven) {
    all = {kStyles[0]};
  }
  return all;
}

std::optional<Hit> HitOf(const Trial& trial, size_t i, const PrintedNumber& printed, Styles styles) {
  if (!trial.values[i].has_value()) {
    return std::nullopt;
  }
  for (const Style& style : StylesFor(trial, styles)) {
    if (Gives(*trial.values[i], style, printed)) {
      return Hit{&trial, style, ValueIn(*trial.values[i], style)};
    }
  }
  return std::nullopt;
}

// What makes one believed trial plainer than another.
std::tuple<int, bool, bool> Plainness(const Trial& trial) {
  return {trial.convention->departures, trial.style.truncated, trial.style.from_printed};
}

}  // namespace

bool Gives(const Recomputed& recomputed, const Style& style, const PrintedNumber& printed) {
  const double value = ValueIn(recomputed, style);
  if (style.before_rounding) {
    return RoundsWithin(value, recomputed.slack, printed);
  }
  return style.truncated ? TruncatesTo(value, printed) : RoundsTo(value, printed);
}

std::vector<Trial> TryAll(const std::vector<Convention>& conventions, const std::vector<Cell*>& cells) {
  std::vector<Trial> trials;
  for (const Convention& convention : conventions) {
    trials.push_back(Try(convention, cells));
  }
  return trials;
}

std::vector<const Trial*> MostBelieved(const std::vector<Trial>& trials) {
  const auto more_believed = [](const Trial& a, const Trial& b) {
    return std::make_pair(a.given, -a.convention->contradictions) <
           std::make_pair(b.given, -b.convention->contradictions);
  };
  std::vector<const Trial*> believed;
  const auto best = std::max_element(trials.begin(), trials.end(), more_believed);
  for (const Trial& trial : trials) {
    if (best->given > 0 && !more_believed(trial, *best)) {
      believed.push_back(&trial);
    }
  }
  std::stable_sort(believed.begin(), believed.end(),
                   [](const Trial* a, const Trial* b) { return Plainness(*a) < Plainness(*b); });
  return believed;
}

std::vector<const Trial*> WithinRounding(const std::vector<Trial>& trials, const std::vector<Cell*>& cells) {
  const auto rank = [](const Trial& trial) {
    return std::make_pair(trial.convention->contradictions, trial.convention->departures);
  };
  std::vector<const Trial*> within;
  for (const Trial& trial : trials) {
    if (trial.within < static_cast<int>(cells.size()) || cells.size() < 2) {
      continue;
    }
    double chance = static_cast<double>(trials.size());
    for (size_t i = 0; i < cells.size(); ++i) {
      const PrintedNumber& printed = cells[i]->printed;
      chance *= std::min(1.0, (2 * trial.values[i]->slack + printed.unit) / std::max(std::abs(printed.value), 1e-300));
    }
    if (chance < kUnlikely && (within.empty() || rank(trial) <= rank(*within[0]))) {
      if (!within.empty() && rank(trial) < rank(*within[0])) {
        within.clear();
      }
      within.push_back(&trial);
    }
  }
  return within;
}

std::vector<Hit> DistinctHits(const std::vector<const Trial*>& trials, size_t i, const PrintedNumber& printed,
                              Styles styles) {
  std::vector<Hit> hits;
  for (const Trial* trial : trials) {
    const std::optional<Hit> hit = HitOf(*trial, i, printed, styles);
    if (hit.has_value() && std::none_of(hits.begin(), hits.end(), [&](const Hit& other) {
          const Recomputed &a = *other.trial->values[i], &b = *trial->values[i];
          return Same(other.value, hit->value) || Same(a.exact, b.exact) || Same(a.from_printed, b.from_printed);
        })) {
      hits.push_back(*hit);
    }
  }
  return hits;
}

double ChanceOf(const Hit& hit, const std::vector<Trial>& trials, const PrintedNumber& printed) {
  const auto tried = std::count_if(trials.begin(), trials.end(), [&](const Trial& trial) {
    return trial.convention->departures <= hit.trial->convention->departures;
  });
  const double share = printed.unit / std::max(std::abs(printed.value), printed.unit);
  return static_cast<double>(tried) * share;
}

}  // namespace lockstep
