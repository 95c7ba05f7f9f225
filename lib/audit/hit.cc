#include "lib/audit/hit.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "lib/audit/chance.h"

namespace lockstep {
namespace {

// Relative difference up to which two values are the same: ten roundings of a double are 1e-15.
constexpr double kSameValue = 1e-12;

double ValueIn(const Recomputed& recomputed, const Style& style) {
  return style.from_printed ? recomputed.from_printed : recomputed.exact;
}

bool Same(double a, double b) { return std::abs(a - b) <= kSameValue * std::max(std::abs(a), std::abs(b)); }

// Returns the styles in the order in which they are tried: the trial's own first, then the plainest.
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

std::optional<Hit> HitOf(const Trial& trial, const Recomputed& recomputed, const Cell& cell, Styles styles) {
  for (const Style& style : StylesFor(trial, styles)) {
    if (Gives(recomputed, style, cell.printed)) {
      return Hit{&trial, style, ValueIn(recomputed, style), recomputed};
    }
  }
  return std::nullopt;
}

// Removes an explanation if another one has inputs from an earlier place (such as the number's own table), is as plain
// or plainer, and carries no flag.
void PreferOwnTable(const Cell& cell, std::vector<Hit>& hits) {
  const auto place = [&](const Hit& hit) { return PlaceOf(hit.recomputed.inputs, cell.table); };
  const auto plainer = [&](const Hit& hit, const Hit& other) {
    return FlagsOf(hit).empty() && hit.trial->convention->departures <= other.trial->convention->departures &&
           place(hit) < place(other);
  };
  std::vector<bool> is_left_out;
  for (const Hit& hit : hits) {
    is_left_out.push_back(std::any_of(hits.begin(), hits.end(), [&](const Hit& other) { return plainer(other, hit); }));
  }
  size_t i = 0;
  hits.erase(std::remove_if(hits.begin(), hits.end(), [&](const Hit&) { return is_left_out[i++]; }), hits.end());
}

bool HasAllFlagsOf(const Hit& hit, const Hit& other) {
  const std::vector<std::string> flags = FlagsOf(hit), needed = FlagsOf(other);
  return std::all_of(needed.begin(), needed.end(), [&](const std::string& flag) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  });
}

bool MeanTheSame(const Hit& a, const Hit& b) {
  return MeaningOf(*a.trial->convention) == MeaningOf(*b.trial->convention) && FlagsOf(a) == FlagsOf(b);
}

// Returns the sort key of an explanation of `cell`, the plainest first; the place of its inputs counts last.
std::tuple<int, bool, bool, InputsOf> PlainnessOf(const Hit& hit, const Cell& cell) {
  return {hit.trial->convention->departures, hit.style.truncated, hit.style.from_printed,
          PlaceOf(hit.recomputed.inputs, cell.table)};
}

bool IsLabelledLike(const Cell& cell, const Hit& hit) {
  const std::vector<const Cell*>& inputs = hit.recomputed.inputs;
  return std::all_of(inputs.begin(), inputs.end(),
                     [&](const Cell* input) { return input->value->context() == cell.value->context(); });
}

// Moves to the front an explanation that differs from the first one only in its inputs, if these have the cell's label.
void PreferSameLabels(const Cell& cell, std::vector<Hit>& hits) {
  const auto labelled = std::find_if(hits.begin(), hits.end(), [&](const Hit& hit) {
    return PlainnessOf(hit, cell) == PlainnessOf(hits[0], cell) && MeanTheSame(hit, hits[0]) &&
           IsLabelledLike(cell, hit);
  });
  if (labelled != hits.end()) {
    std::rotate(hits.begin(), labelled, labelled + 1);
  }
}

// Keeps the first explanation, and those that are as plain and mean something else (see DistinctHits).
void KeepMeanings(const Cell& cell, std::vector<Hit>& hits) {
  std::vector<Hit> kept;
  for (Hit& hit : hits) {
    const bool is_known =
        std::any_of(kept.begin(), kept.end(), [&](const Hit& other) { return MeanTheSame(hit, other); });
    const bool is_less_plain =
        !kept.empty() && PlainnessOf(kept[0], cell) < PlainnessOf(hit, cell) && HasAllFlagsOf(hit, kept[0]);
    if (!is_known && !is_less_plain) {
      kept.push_back(std::move(hit));
    }
  }
  hits = std::move(kept);
}

// Counts the different values that the conventions tried so far make for a cell.
class ValuesTried {
 public:
  explicit ValuesTried(const Cell& cell) : cell_(cell) {}

  void Add(const Recomputed& recomputed) {
    if (IsOfSize(recomputed.exact, cell_.printed)) {
      seen_.insert(Fingerprint(0, 0, recomputed.exact));
    }
  }
  int count() const { return std::max<int>(1, static_cast<int>(seen_.size())); }

 private:
  const Cell& cell_;
  std::unordered_set<uint64_t> seen_;
};

// Returns the first hit of `hit_of` in `trials`, with its chance among the trials that are at least as plain.
template <typename HitOf>
std::optional<PlainHit> FirstHit(const std::vector<Trial>& trials, const Cell& cell, HitOf hit_of) {
  ValuesTried tried(cell);
  std::optional<Hit> hit;
  for (const Trial& trial : trials) {
    if (hit.has_value() && IsPlainer(*hit->trial, trial)) {
      break;
    }
    if (const std::optional<Recomputed> recomputed = ValueFor(*trial.convention, cell)) {
      tried.Add(*recomputed);
      hit = hit.has_value() ? std::move(hit) : hit_of(trial, *recomputed);
    }
  }
  if (!hit.has_value()) {
    return std::nullopt;
  }
  const int styles = StylesUpTo(hit->style, hit->recomputed.from_printed != hit->recomputed.exact);
  const double share = ShareOf(cell.printed, hit->style.before_rounding ? hit->recomputed.slack : 0);
  return PlainHit{*std::move(hit), tried.count(), ChanceOf(styles * tried.count(), 1, {share})};
}

}  // namespace

std::vector<std::string> FlagsOf(const Hit& hit) {
  std::vector<std::string> flags = hit.trial->convention->flags;
  const std::vector<std::string>& here = hit.recomputed.flags;
  flags.insert(flags.end(), here.begin(), here.end());
  return flags;
}

std::vector<Hit> DistinctHits(const std::vector<const Trial*>& trials, const Cell& cell, Styles styles) {
  std::vector<Hit> hits;
  for (auto trial = trials.begin(); trial != trials.end() && hits.size() < kMaxExplanations; ++trial) {
    const std::optional<Recomputed> recomputed = ValueFor(*(*trial)->convention, cell);
    std::optional<Hit> hit = recomputed.has_value() ? HitOf(**trial, *recomputed, cell, styles) : std::nullopt;
    if (hit.has_value() && std::none_of(hits.begin(), hits.end(), [&](const Hit& other) {
          const Recomputed &a = other.recomputed, &b = hit->recomputed;
          return Same(other.value, hit->value) || Same(a.exact, b.exact) || Same(a.from_printed, b.from_printed);
        })) {
      hits.push_back(*std::move(hit));
    }
  }
  PreferOwnTable(cell, hits);
  if (hits.size() > 1) {
    PreferSameLabels(cell, hits);
    KeepMeanings(cell, hits);
  }
  return hits;
}

std::vector<Hit> HitsOfColumn(const std::vector<const Trial*>& believed, const Cell& cell) {
  std::vector<Hit> hits;
  for (const Styles styles : {Styles::kColumn, Styles::kBeforeRounding, Styles::kSharp}) {
    if (hits.empty()) {
      hits = DistinctHits(believed, cell, styles);
    }
  }
  return hits;
}

std::optional<PlainHit> PlainestHit(const std::vector<Trial>& trials, const Cell& cell) {
  return FirstHit(trials, cell, [&](const Trial& trial, const Recomputed& recomputed) {
    return HitOf(trial, recomputed, cell, Styles::kSharp);
  });
}

std::optional<PlainHit> PlainestHitOfBatch(uint64_t batch, const std::vector<Trial>& trials, const Cell& cell) {
  return FirstHit(trials, cell, [&](const Trial& trial, const Recomputed& recomputed) {
    return trial.convention->batch == batch ? HitOf(trial, recomputed, cell, Styles::kSharp) : std::nullopt;
  });
}

std::optional<PlainHit> RightHit(const std::vector<Trial>& trials, const Cell& cell) {
  return FirstHit(trials, cell, [&](const Trial& trial, const Recomputed& recomputed) -> std::optional<Hit> {
    const bool is_plainest = trial.convention->departures == 0;
    if (!is_plainest && (!trial.convention->flags.empty() || !recomputed.flags.empty())) {
      return std::nullopt;
    }
    for (const Style& style : {kStyles[0], kBeforeRounding}) {
      if (Gives(recomputed, style, cell.printed)) {
        return Hit{&trial, style, recomputed.exact, recomputed};
      }
    }
    return std::nullopt;
  });
}

}  // namespace lockstep
