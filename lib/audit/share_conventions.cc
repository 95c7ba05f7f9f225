// Share of communication in the time of an epoch or step, and the ratio of computing to communication.
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/cell_formula.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

// The two columns that a formula uses.
enum class Pair { kCommunicationAndTotal, kComputeAndCommunication, kComputeAndTotal, kOneDeviceAndTotal };

// Formula of two times `a` and `b`, in the order of the pair's name, for N devices.
struct PairFormula {
  Pair pair;
  const char* text;
  int departures;
  const char* flag;  // empty: a right formula
  double (*value)(double a, double b, double n);
};

constexpr PairFormula kShares[] = {
    {Pair::kCommunicationAndTotal, "T_comm / T_N", 0, "", [](double c, double t, double) { return c / t; }},
    {Pair::kComputeAndCommunication, "T_comm / (T_comp + T_comm)", 1, "",
     [](double p, double c, double) { return c / (p + c); }},
    {Pair::kComputeAndTotal, "(T_N - T_comp) / T_N", 1, "", [](double p, double t, double) { return (t - p) / t; }},
    {Pair::kOneDeviceAndTotal, "(T_N - T_1/N) / T_N", 1, "",
     [](double one, double t, double n) { return (t - one / n) / t; }},
    {Pair::kComputeAndCommunication, "T_comm / T_comp", 2, kDividedByComputeTime,
     [](double p, double c, double) { return c / p; }},
    {Pair::kComputeAndTotal, "T_comp / T_N", 3, kComputeShare, [](double p, double t, double) { return p / t; }},
    {Pair::kOneDeviceAndTotal, "(T_N - T_1) / T_N", 3, kComputeNotDividedByN,
     [](double one, double t, double) { return (t - one) / t; }}};

constexpr PairFormula kRatios[] = {
    {Pair::kComputeAndCommunication, "T_comp / T_comm", 0, "", [](double p, double c, double) { return p / c; }},
    {Pair::kCommunicationAndTotal, "(T_N - T_comm) / T_comm", 1, "",
     [](double c, double t, double) { return (t - c) / c; }},
    {Pair::kComputeAndTotal, "T_comp / (T_N - T_comp)", 1, "", [](double p, double t, double) { return p / (t - p); }},
    {Pair::kOneDeviceAndTotal, "T_1/N / (T_N - T_1/N)", 1, "",
     [](double one, double t, double n) { return one / n / (t - one / n); }},
    {Pair::kCommunicationAndTotal, "T_N / T_comm", 2, kWholeTimeOverCommunication,
     [](double c, double t, double) { return t / c; }},
    {Pair::kComputeAndCommunication, "T_comm / T_comp", 3, kInvertedRatio,
     [](double p, double c, double) { return c / p; }}};

// Columns of each kind of time.
struct Times {
  Sources communication, compute, total;
};

const Sources& FirstOf(Pair pair, const Times& times) {
  switch (pair) {
    case Pair::kCommunicationAndTotal:
      return times.communication;
    case Pair::kOneDeviceAndTotal:
      return times.total;
    default:
      return times.compute;
  }
}

// Scale of the printed number: 100 for percent.
struct Scale {
  const char* text;
  double factor;
  int departures;
  const char* flag;
};

Convention MakeShare(const PairFormula& formula, const Scale& scale, const Source& first, const Source& second) {
  CellFormula made;
  made.text =
      absl::StrCat(scale.text, formula.text, ", ", SourceText("first time", first.name, "second time", second.name));
  made.departures = formula.departures + scale.departures;
  made.flags = ListOfFlag(formula.flag);
  for (const std::string& flag : ListOfFlag(scale.flag)) {
    made.flags.push_back(flag);
  }
  const bool from_one = formula.pair == Pair::kOneDeviceAndTotal;
  if (from_one && first.quantity != second.quantity) {
    made.departures += 1;
    made.flags.emplace_back(kMixedLoading);
  }
  made.inputs = [from_one, &first, &second](const TablePlace& place) {
    const uint32_t devices = from_one ? 1 : place.devices;
    return std::vector<const Cell*>{first.At(devices, place.batch), second.At(place.devices, place.batch)};
  };
  made.value = [value = formula.value, factor = scale.factor](const std::vector<double>& times,
                                                              const TablePlace& place) {
    return factor * value(times[0], times[1], place.devices);
  };
  return MakeConvention(made);
}

// Adds `formula` for every pair of columns. Times of an iteration and of an epoch are not combined.
void AddPairs(const PairFormula& formula, const Scale& scale, const Times& times, absl::string_view context,
              std::vector<Convention>& conventions) {
  const Sources& seconds = formula.pair == Pair::kComputeAndCommunication ? times.communication : times.total;
  for (const Source& first : FirstOf(formula.pair, times)) {
    for (const Source& second : seconds) {
      const bool both_totals = formula.pair == Pair::kOneDeviceAndTotal;
      if (both_totals && (first.quantity == proto::ITERATION_SECONDS || second.quantity == proto::ITERATION_SECONDS)) {
        continue;  // each device has a batch of its own, so T_1/N is not the computing time of an iteration
      }
      conventions.push_back(MakeShare(formula, scale, first, second));
      MarkOtherColumn(FirstOf(formula.pair, times), first, context, conventions.back());
    }
  }
}

}  // namespace

std::vector<Convention> ShareConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                         absl::string_view context) {
  const Times times = {
      document.SourcesFor({proto::COMMUNICATION_SECONDS}, table, context),
      document.SourcesFor({proto::COMPUTE_SECONDS}, table, context),
      document.SourcesFor({proto::EPOCH_SECONDS, proto::STEP_SECONDS, proto::ITERATION_SECONDS}, table, context)};
  std::vector<Convention> conventions;
  if (quantity == proto::COMPUTE_OVER_COMMUNICATION) {
    for (const PairFormula& formula : kRatios) {
      AddPairs(formula, {"", 1, 0, ""}, times, context, conventions);
    }
    return conventions;
  }
  const bool percent = quantity == proto::COMMUNICATION_PERCENT;
  for (const PairFormula& formula : kShares) {
    AddPairs(formula, percent ? Scale{"100 * ", 100, 0, ""} : Scale{"", 1, 0, ""}, times, context, conventions);
    if (percent && formula.flag[0] == '\0') {
      AddPairs(formula, {"", 1, 2, kRatioCalledPercent}, times, context, conventions);
    }
  }
  return conventions;
}

}  // namespace lockstep
