#include "lib/audit/trial.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

// Chance below which a column's digits count as cut off, or as computed from rounded intermediates: the chance that
// longer inputs give the same digits.
constexpr double kUnlikely = 0.01;

bool IsSame(const Style& a, const Style& b) {
  return std::tie(a.from_printed, a.truncated, a.before_rounding) ==
         std::tie(b.from_printed, b.truncated, b.before_rounding);
}

// Returns the share of the values possible before the inputs were rounded that give the printed digits.
double ShareOfInputs(const Recomputed& recomputed, const PrintedNumber& printed) {
  const double slack = std::abs(recomputed.slack);
  if (slack == 0) {
    return RoundsTo(recomputed.exact, printed) ? 1 : 0;
  }
  const double low = std::max(recomputed.exact - slack, printed.value - 0.5 * printed.unit);
  const double high = std::min(recomputed.exact + slack, printed.value + 0.5 * printed.unit);
  return std::max(0.0, high - low) / (2 * slack);
}

using Values = std::vector<std::optional<Recomputed>>;  // one per cell

// Returns the evidence of the cells that `values` give in `style`, for one convention alone.
Evidence EvidenceIn(const Values& values, const Style& style, const std::vector<Cell*>& cells, bool printed_differ) {
  std::vector<double> shares;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (values[i].has_value() && Gives(*values[i], style, cells[i]->printed)) {
      shares.push_back(ShareOf(cells[i]->printed, style.before_rounding ? values[i]->slack : 0));
    }
  }
  if (shares.empty()) {
    return {};
  }
  const int styles = style.before_rounding ? 1 : StylesUpTo(style, printed_differ);
  return {static_cast<int>(shares.size()), ChanceOf(styles, cells.size(), shares), kSearchLevel};
}

Trial Try(const Convention& convention, const std::vector<Cell*>& cells) {
  Trial trial;
  trial.convention = &convention;
  Values values;
  values.reserve(cells.size());
  bool printed_differ = false;
  double chance = 1;
  for (size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = *cells[i];
    values.push_back(ValueFor(convention, cell));
    if (!values[i].has_value()) {
      continue;
    }
    const Recomputed& value = *values[i];
    printed_differ = printed_differ || value.from_printed != value.exact;
    chance *= ShareOfInputs(value, cell.printed);
    trial.inputs_of = std::max(trial.inputs_of, PlaceOf(value.inputs, cell.table));
    if (IsOfSize(value.exact, cell.printed)) {
      ++trial.of_size;
      trial.fingerprint = Fingerprint(trial.fingerprint, i, value.exact);
    }
  }
  for (const Style& style : kStyles) {
    const Evidence evidence = EvidenceIn(values, style, cells, printed_differ);
    if (evidence.cells > trial.given.cells) {
      trial.style = style;
      trial.given = evidence;
    }
  }
  trial.within = EvidenceIn(values, kBeforeRounding, cells, printed_differ);
  trial.style_is_proven = trial.given.cells == static_cast<int>(cells.size()) && chance < kUnlikely;
  return trial;
}

// Returns the chance from which on the convention of `trial` is not believed, if `tried` different conventions are at
// least as plain. Digits that are not correctly rounded count as searched for.
double LevelOf(const Trial& trial, const Style& style, int tried) {
  if (tried > 1 || style.from_printed || style.truncated || trial.convention->departures > 0 ||
      trial.convention->contradictions > 0) {
    return kSearchLevel;
  }
  return trial.inputs_of <= InputsOf::kOwnTablesLabels ? kOwnTableLevel : kOnlyFormulaLevel;
}

// Number of different conventions by the number of cells for which they make numbers of the printed size.
class Tried {
 public:
  explicit Tried(size_t cells) : different_(cells + 1) {}

  void Add(const Trial& trial) {
    if (trial.of_size > 0 && seen_.insert(trial.fingerprint).second) {
      ++different_[trial.of_size];
    }
  }

  // Multiplies the chance of one convention by the number of conventions that might have given as many cells.
  void Weigh(const Trial& trial, const Style& style, Evidence& evidence) const {
    if (evidence.cells > 0) {
      int tried = 0;
      for (size_t size = evidence.cells; size < different_.size(); ++size) {
        tried += different_[size];
      }
      tried = std::max(tried, 1);
      evidence.chance = std::min(1.0, evidence.chance * tried);
      evidence.level = LevelOf(trial, style, tried);
    }
  }

 private:
  std::vector<int> different_;
  std::unordered_set<uint64_t> seen_;
};

// `trials` must be sorted by IsPlainer.
void WeighAll(std::vector<Trial>& trials, size_t cells) {
  Tried tried(cells);
  for (auto begin = trials.begin(); begin != trials.end();) {
    const auto end = std::find_if(begin, trials.end(), [&](const Trial& trial) { return IsPlainer(*begin, trial); });
    std::for_each(begin, end, [&](const Trial& trial) { tried.Add(trial); });
    for (; begin != end; ++begin) {
      tried.Weigh(*begin, begin->style, begin->given);
      tried.Weigh(*begin, kBeforeRounding, begin->within);
    }
  }
}

// Returns the sort key of believed trials, the plainest first.
std::tuple<int, bool, bool> Plainness(const Trial& trial) {
  return {trial.convention->departures, trial.style.truncated, trial.style.from_printed};
}

}  // namespace

bool Gives(const Recomputed& recomputed, const Style& style, const PrintedNumber& printed) {
  const double value = style.from_printed ? recomputed.from_printed : recomputed.exact;
  if (style.before_rounding) {
    return RoundsWithin(value, recomputed.slack, printed);
  }
  return style.truncated ? TruncatesTo(value, printed) : RoundsTo(value, printed);
}

int StylesUpTo(const Style& style, bool printed_differ) {
  int styles = 0;
  for (const Style& tried : kStyles) {
    styles += printed_differ || !tried.from_printed;
    if (IsSame(tried, style)) {
      break;
    }
  }
  return std::max(styles, 1);
}

InputsOf PlaceOf(const std::vector<const Cell*>& inputs, int table) {
  if (inputs.empty()) {
    return InputsOf::kOwnTable;
  }
  const Cell& first = *inputs[0];
  const auto all = [&](auto is_like_first) { return std::all_of(inputs.begin(), inputs.end(), is_like_first); };
  if (!all([&](const Cell* input) { return input->table == first.table; })) {
    return InputsOf::kSeveralTables;
  }
  const bool one_label = all([&](const Cell* input) { return input->value->context() == first.value->context(); });
  if (first.table == table) {
    return one_label ? InputsOf::kOwnTable : InputsOf::kOwnTablesLabels;
  }
  return one_label ? InputsOf::kOtherTable : InputsOf::kOtherTablesLabels;
}

bool IsPlainer(const Trial& a, const Trial& b) {
  return std::make_pair(a.convention->departures, a.inputs_of) < std::make_pair(b.convention->departures, b.inputs_of);
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
  std::stable_sort(trials.begin(), trials.end(), IsPlainer);
  WeighAll(trials, cells.size());
  return trials;
}

std::vector<const Trial*> BestSupported(const std::vector<Trial>& trials, size_t cells) {
  const auto belief = [](const Trial& trial) {
    return std::make_pair(trial.given.cells, -trial.convention->contradictions);
  };
  std::vector<const Trial*> believed;
  for (const Trial& trial : trials) {
    if (!trial.given.BeatsChance() || 2 * static_cast<size_t>(trial.given.cells) < cells) {
      continue;
    }
    if (!believed.empty() && belief(*believed[0]) < belief(trial)) {
      believed.clear();
    }
    if (believed.empty() || belief(trial) == belief(*believed[0])) {
      believed.push_back(&trial);
    }
  }
  std::stable_sort(believed.begin(), believed.end(),
                   [](const Trial* a, const Trial* b) { return Plainness(*a) < Plainness(*b); });
  return believed;
}

std::vector<const Trial*> WithinRounding(const std::vector<Trial>& trials, size_t cells) {
  const auto rank = [](const Trial& trial) {
    return std::make_pair(trial.convention->contradictions, trial.convention->departures);
  };
  std::vector<const Trial*> within;
  for (const Trial& trial : trials) {
    if (static_cast<size_t>(trial.within.cells) < cells || !trial.within.BeatsChance()) {
      continue;
    }
    if (!within.empty() && rank(trial) < rank(*within[0])) {
      within.clear();
    }
    if (within.empty() || rank(trial) == rank(*within[0])) {
      within.push_back(&trial);
    }
  }
  return within;
}

}  // namespace lockstep
