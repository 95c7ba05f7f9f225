#include "lib/audit/cell_formula.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace lockstep {
namespace {

using Inputs = std::vector<const Cell*>;
using Value = std::function<double(const std::vector<double>&, const TablePlace&)>;

// Returns true if an input is not printed, or if two inputs are the same number.
bool AreUnusable(const Inputs& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr || std::any_of(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(i),
                                            [&](const Cell* other) { return other->IsSameAs(*inputs[i]); })) {
      return true;
    }
  }
  return false;
}

// Returns the sum over the inputs of the largest change of the value that one input's rounding makes.
double SlackOf(const Inputs& inputs, const std::vector<double>& exact, const TablePlace& place, const Value& value) {
  const double unchanged = value(exact, place);
  double slack = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    double largest = 0;
    for (const double sign : {-1.0, 1.0}) {
      std::vector<double> changed = exact;
      changed[i] += sign * inputs[i]->Slack();
      const double change = std::abs(value(changed, place) - unchanged);
      largest = std::isfinite(change) ? std::max(largest, change) : largest;
    }
    slack += largest;
  }
  return slack;
}

}  // namespace

Convention MakeConvention(const CellFormula& formula) {
  Convention convention;
  convention.text = formula.text;
  convention.departures = formula.departures;
  convention.flags = formula.flags;
  convention.evaluate = [inputs_at = formula.inputs,
                         value = formula.value](const TablePlace& place) -> std::optional<Recomputed> {
    Inputs inputs = inputs_at(place);
    if (AreUnusable(inputs)) {
      return std::nullopt;
    }
    std::vector<double> exact, printed;
    for (const Cell* input : inputs) {
      exact.push_back(input->Exact());
      printed.push_back(input->printed.value);
    }
    Recomputed recomputed;
    recomputed.exact = value(exact, place);
    recomputed.from_printed = value(printed, place);
    if (!std::isfinite(recomputed.exact) || !std::isfinite(recomputed.from_printed)) {
      return std::nullopt;
    }
    recomputed.slack = SlackOf(inputs, exact, place, value);
    recomputed.inputs = std::move(inputs);
    return recomputed;
  };
  return convention;
}

std::vector<std::string> ListOfFlag(const std::string& flag) {
  return flag.empty() ? std::vector<std::string>() : std::vector<std::string>{flag};
}

}  // namespace lockstep
