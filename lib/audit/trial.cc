#include "lib/audit/trial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "lib/base/stop_signal.h"

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
  std::vector<std::optional<Recomputed>> values;
  values.reserve(cells.size());
  for (const Cell* cell : cells) {
    values.push_back(ValueFor(convention, *cell));
  }
  for (const Style& style : kStyles) {
    int given = 0;
    for (size_t i = 0; i < cells.size(); ++i) {
      given += values[i].has_value() && Gives(*values[i], style, cells[i]->printed);
    }
    if (given > trial.given) {
      trial.style = style;
      trial.given = given;
    }
  }
  double chance = 1;
  for (size_t i = 0; i < cells.size(); ++i) {
    trial.within += values[i].has_value() && Gives(*values[i], kBeforeRounding, cells[i]->printed);
    chance *= values[i].has_value() ? ShareOfInputs(*values[i], cells[i]->printed) : 1;
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

std::optional<Hit> HitOf(const Trial& trial, const Cell& cell, Styles styles) {
  std::optional<Recomputed> recomputed = ValueFor(*trial.convention, cell);
  if (!recomputed.has_value()) {
    return std::nullopt;
  }
  for (const Style& style : StylesFor(trial, styles)) {
    if (Gives(*recomputed, style, cell.printed)) {
      return Hit{&trial, style, ValueIn(*recomputed, style), *std::move(recomputed)};
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

std::optional<Recomputed> ValueFor(const Convention& convention, const Cell& cell) {
  return convention.evaluate({cell.value->devices(), cell.value->batch()});
}

std::vector<Trial> TryAll(const std::vector<Convention>& conventions, const std::vector<Cell*>& cells) {
  std::vector<Trial> trials;
  trials.reserve(conventions.size());
  for (const Convention& convention : conventions) {
    if (StopRequested()) {
      break;
    }
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
    for (const Cell* cell : cells) {
      const PrintedNumber& printed = cell->printed;
      const double slack = ValueFor(*trial.convention, *cell)->slack;
      chance *= std::min(1.0, (2 * slack + printed.unit) / std::max(std::abs(printed.value), 1e-300));
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

std::vector<Hit> DistinctHits(const std::vector<const Trial*>& trials, const Cell& cell, Styles styles) {
  std::vector<Hit> hits;
  for (auto trial = trials.begin(); trial != trials.end() && hits.size() < kMaxExplanations; ++trial) {
    std::optional<Hit> hit = HitOf(**trial, cell, styles);
    if (hit.has_value() && std::none_of(hits.begin(), hits.end(), [&](const Hit& other) {
          const Recomputed &a = other.recomputed, &b = hit->recomputed;
          return Same(other.value, hit->value) || Same(a.exact, b.exact) || Same(a.from_printed, b.from_printed);
        })) {
      hits.push_back(*std::move(hit));
    }
  }
  return hits;
}

std::optional<Hit> FirstHit(const std::vector<const Trial*>& trials, const Cell& cell, Styles styles) {
  for (const Trial* trial : trials) {
    if (std::optional<Hit> hit = HitOf(*trial, cell, styles)) {
      return hit;
    }
  }
  return std::nullopt;
}

double ChanceOf(const Hit& hit, const std::vector<Trial>& trials, const PrintedNumber& printed) {
  const auto as_plain =
      std::upper_bound(trials.begin(), trials.end(), hit.trial->convention->departures,
                       [](int departures, const Trial& trial) { return departures < trial.convention->departures; });
  const auto tried = as_plain - trials.begin();
  const double share = printed.unit / std::max(std::abs(printed.value), printed.unit);
  return static_cast<double>(tried) * share;
}

}  // namespace lockstep
