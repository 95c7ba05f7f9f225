// Iterations of an epoch, and the time of an iteration as the time of an epoch over its iterations.
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/cell_formula.h"
#include "lib/audit/conventions.h"
#include "lib/audit/traffic_choices.h"

namespace lockstep {
namespace {

Convention MakeIterationTime(const Source& times, const Choice& iterations) {
  CellFormula formula;
  formula.text = absl::StrCat("T_N / (", iterations.text, "), T_N of ", times.name);
  formula.departures = iterations.departures;
  formula.flags = iterations.flags;
  formula.inputs = [&times](const TablePlace& place) {
    return std::vector<const Cell*>{times.At(place.devices, place.batch)};
  };
  formula.value = [count = iterations.factor](const std::vector<double>& seconds, const TablePlace& place) {
    // A place without a batch has infinitely many iterations, and fewer than one if the batch exceeds the data.
    const double iterations_here = count(place);
    return std::isfinite(iterations_here) && iterations_here > 0 ? seconds[0] / iterations_here : NAN;
  };
  Convention convention = MakeConvention(formula);
  convention.contradictions = iterations.contradicts;
  convention.meaning = absl::StrCat("T_N / ", MeaningOf(iterations));
  return convention;
}

}  // namespace

std::vector<Convention> IterationTimeConventions(const Document& document, int table, absl::string_view context) {
  std::vector<Convention> conventions;
  if (document.ImagesPerEpoch() == 0) {
    return conventions;
  }
  std::vector<Choice> counts = Iterations(document);
  counts.pop_back();  // one iteration: the time of an epoch is not that of an iteration
  const Sources times = document.Times(table, context);
  for (const Source& source : times) {
    for (const Choice& count : counts) {
      conventions.push_back(MakeIterationTime(source, count));
      MarkOtherColumn(times, source, context, conventions.back());
    }
  }
  return conventions;
}

std::vector<Convention> IterationConventions(const Document& document) {
  const double images = document.ImagesPerEpoch();
  if (images == 0) {
    return {};
  }
  const auto make = [images](const char* text, int departures, bool shared, double (*round)(double)) {
    Convention convention;
    convention.text = text;
    convention.departures = departures;
    convention.evaluate = [images, shared, round](const TablePlace& place) -> std::optional<Recomputed> {
      if (place.batch == 0) {
        return std::nullopt;
      }
      const double value = round(images / (static_cast<double>(place.batch) * (shared ? place.devices : 1)));
      return Recomputed{value, value, {}};
    };
    return convention;
  };
  const auto up = [](double x) { return std::ceil(x); };
  const auto down = [](double x) { return std::floor(x); };
  const auto keep = [](double x) { return x; };
  const bool total = document.BatchIsTotal();
  std::vector<Convention> conventions = {
      make("ceil(images/(B*N))", total ? 1 : 0, true, up), make("floor(images/(B*N))", total ? 2 : 1, true, down),
      make("images/(B*N)", total ? 2 : 1, true, keep),     make("ceil(images/B)", total ? 0 : 1, false, up),
      make("floor(images/B)", total ? 1 : 2, false, down), make("images/B", total ? 1 : 2, false, keep)};
  return conventions;
}

}  // namespace lockstep
