// Totals of phases: the sum of the phases of an epoch or step, and the sum without one of them.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "absl/strings/str_cat.h"
#include "lib/audit/cell_formula.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"
#include "lib/audit/phase_rows.h"

namespace lockstep {
namespace {

// Columns of one table's phases.
using PhaseColumns = std::vector<const Source*>;

// Phases of a total. Positions are those of PhaseColumns.
struct Summands {
  std::set<int> left_out;  // positions of the phases that are not added
  int required = -1;       // position of a phase that must be printed at the place; -1: none
};

// Returns the summands that are printed at a place; a null pointer if there are fewer than two, or if the required
// phase is not printed.
std::vector<const Cell*> PrintedAt(const PhaseColumns& columns, const TablePlace& place, const Summands& summands) {
  std::vector<const Cell*> printed;
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    const Cell* cell = columns[i]->At(place.devices, place.batch);
    if (cell == nullptr && i == summands.required) {
      return {nullptr};
    }
    if (cell != nullptr && summands.left_out.count(i) == 0) {
      printed.push_back(cell);
    }
  }
  return printed.size() < 2 ? std::vector<const Cell*>{nullptr} : printed;
}

const char* NameOf(proto::PublishedQuantity quantity) {
  return std::find_if(std::begin(kPrintedPhases), std::end(kPrintedPhases),
                      [&](const PrintedPhase& p) { return p.quantity == quantity; })
      ->name;
}

CellFormula SumOf(const PhaseColumns& columns, const Summands& summands) {
  CellFormula formula;
  formula.text = "sum of the phases";
  for (const int position : summands.left_out) {
    absl::StrAppend(&formula.text, " without ", NameOf(columns[position]->quantity));
  }
  formula.inputs = [columns, summands](const TablePlace& place) { return PrintedAt(columns, place, summands); };
  formula.value = [](const std::vector<double>& phases, const TablePlace&) {
    return std::accumulate(phases.begin(), phases.end(), 0.0);
  };
  return formula;
}

// Returns the conventions of a total; `loading` is the position of data loading, -1: not printed.
std::vector<Convention> SumsOf(const PhaseColumns& columns, int loading, bool with_loading) {
  const std::set<int> right = with_loading || loading < 0 ? std::set<int>() : std::set<int>{loading};
  std::vector<Convention> conventions = {MakeConvention(SumOf(columns, {right}))};
  const auto add_slip = [&](const Summands& summands, const char* flag) {
    CellFormula formula = SumOf(columns, summands);
    formula.departures = 2;
    formula.flags = {flag};
    conventions.push_back(MakeConvention(formula));
  };
  if (loading >= 0) {
    add_slip({with_loading ? std::set<int>{loading} : std::set<int>(), loading}, kMixedLoading);
  }
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    if (i != loading) {
      std::set<int> left_out = right;
      left_out.insert(i);
      add_slip({left_out, i}, kPhaseLeftOut);
    }
  }
  return conventions;
}

}  // namespace

std::vector<Convention> PhaseConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                         absl::string_view context) {
  if (!SaysThatPhasesSum(document)) {
    return {};
  }
  PhaseColumns columns;
  int loading = -1;
  for (const PrintedPhase& phase : kPrintedPhases) {
    for (const Source& source : document.SourcesFor({phase.quantity}, table, context)) {
      if (source.table == table && source.context == context) {
        loading = phase.quantity == proto::LOADING_SECONDS ? static_cast<int>(columns.size()) : loading;
        columns.push_back(&source);
      }
    }
  }
  return SumsOf(columns, loading, quantity != proto::STEP_SECONDS);
}

}  // namespace lockstep
