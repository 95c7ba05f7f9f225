// The time of a whole training run as the time of its epochs or of its steps.
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/audit/cell_formula.h"
#include "lib/audit/conventions.h"

namespace lockstep {
namespace {

// Returns the convention `count` * a time; `count` returns the number of such times in a run, 0 if it is not known.
Convention MakeRunTime(const Source& times, const char* text, std::function<double(const TablePlace&)> count) {
  CellFormula formula;
  formula.text = absl::StrCat(text, ", times of ", times.name);
  formula.inputs = [&times](const TablePlace& place) {
    return std::vector<const Cell*>{times.At(place.devices, place.batch)};
  };
  formula.value = [count = std::move(count)](const std::vector<double>& seconds, const TablePlace& place) {
    const double parts = count(place);
    return parts > 0 ? parts * seconds[0] : NAN;
  };
  return MakeConvention(formula);
}

}  // namespace

std::vector<Convention> RunTimeConventions(const Document& document, int table, absl::string_view context) {
  const std::string label(context);
  std::vector<Convention> conventions;
  const Sources times = document.Times(table, context);
  for (const Source& source : times) {
    if (!source.is_converted) {  // an epoch's time that was computed from the run itself proves nothing
      conventions.push_back(MakeRunTime(source, "epochs * T_N", [&document, table, label](const TablePlace& place) {
        return document.EpochsOfRun(table, place, label);
      }));
      MarkOtherColumn(times, source, context, conventions.back());
    }
  }
  const Sources iterations = document.SourcesFor({proto::ITERATION_SECONDS}, table, context);
  for (const Source& source : iterations) {
    // If the epochs of a run are known, the time of an iteration may itself be computed from the run.
    conventions.push_back(
        MakeRunTime(source, "steps * seconds of an iteration", [&document, table, label](const TablePlace& place) {
          return document.EpochsOfRun(table, place, label) > 0 ? 0 : document.StepsOfRun(table, place, label);
        }));
    MarkOtherColumn(iterations, source, context, conventions.back());
  }
  return conventions;
}

}  // namespace lockstep
