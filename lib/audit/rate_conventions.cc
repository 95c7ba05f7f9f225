// Rates, in images, samples or tokens per second, and the speed-ups that are quotients of two rates.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

// Work of all devices together per second, up to a factor that cancels in a quotient of two rates.
struct Rate {
  double value;
  double relative_slack;
  const Cell* cell;
};

std::optional<Rate> RateAt(const Source& source, const TablePlace& place, bool batch_is_total) {
  const Cell* cell = source.At(place.devices, place.batch);
  if (cell == nullptr || cell->Exact() <= 0) {
    return std::nullopt;
  }
  const double exact = cell->Exact(), slack = cell->Slack() / exact;
  switch (source.quantity) {
    case proto::ITEMS_PER_SECOND_PER_DEVICE:
      return Rate{exact * place.devices, slack, cell};
    case proto::ITERATION_SECONDS:
      return Rate{(batch_is_total ? 1 : place.devices) / exact, slack, cell};
    default:
      return Rate{exact, slack, cell};
  }
}

// Returns true if a quotient of the two has no unit. An iteration holds an unstated number of items.
bool Comparable(const Source& a, const Source& b) {
  return (a.quantity == proto::ITERATION_SECONDS) == (b.quantity == proto::ITERATION_SECONDS);
}

// A quotient of two rates.
struct RateFormula {
  std::string text;
  int departures;
  std::vector<std::string> flags;
  double (*value)(double base, double n, double devices_over_base);
};

std::vector<RateFormula> RateFormulas(uint32_t base) {
  std::vector<std::string> not_one;
  if (base > 1) {
    not_one.push_back(kBaseIsNotOneDevice);
  }
  return {{absl::StrCat("R_N/R_", base), 0, not_one, [](double b, double n, double) { return n / b; }},
          {absl::StrCat("R_N/R_", base, " / N"),
           2,
           {kEfficiencyCalledSpeedup},
           [](double b, double n, double more) { return n / b / more; }},
          {absl::StrCat("R_", base, "/R_N"), 3, {kInvertedSpeedup}, [](double b, double n, double) { return b / n; }}};
}

Convention MakeRateSpeedup(const RateFormula& formula, const Source& base, const Source& n, const DeclaredBase& from,
                           bool batch_is_total) {
  Convention convention;
  convention.text = absl::StrCat(formula.text, ", ",
                                 base.name == n.name ? absl::StrCat("rates of ", n.name)
                                                     : absl::StrCat("base of ", base.name, ", R_N of ", n.name));
  convention.departures =
      formula.departures + (base.name == n.name ? 0 : 1) + (n.quantity == proto::ITERATION_SECONDS ? 1 : 0);
  convention.flags = formula.flags;
  convention.evaluate = [value_of = formula.value, &base, &n, from,
                         batch_is_total](const TablePlace& place) -> std::optional<Recomputed> {
    const TablePlace at = {from.devices, from.batch > 0 ? from.batch : place.batch};
    const std::optional<Rate> r_base = RateAt(base, at, batch_is_total), r_n = RateAt(n, place, batch_is_total);
    if (!r_base.has_value() || !r_n.has_value() || r_base->cell->IsSameAs(*r_n->cell)) {
      return std::nullopt;
    }
    const double more = static_cast<double>(place.devices) / from.devices;
    const double value = value_of(r_base->value, r_n->value, more);
    return Recomputed{value, value, {r_base->cell, r_n->cell}, value * (r_base->relative_slack + r_n->relative_slack)};
  };
  return convention;
}

// Returns the convention: rate of the devices in column `n` / rate of the same devices in column `over`.
Convention MakeRatioOfColumns(const Source& over, const Source& n, const DeclaredBase& base) {
  Convention convention;
  convention.text = absl::StrCat("R_N of ", n.name, " / R_N of ", over.name);
  convention.meaning = convention.text;  // names of columns may have commas
  convention.evaluate = [&over, &n, base](const TablePlace& place) -> std::optional<Recomputed> {
    const Cell* below = over.At(place.devices, base.batch > 0 ? base.batch : place.batch);
    const Cell* above = n.At(place.devices, place.batch);
    if (below == nullptr || above == nullptr || below->IsSameAs(*above) || below->Exact() <= 0 || above->Exact() <= 0) {
      return std::nullopt;
    }
    const double value = above->Exact() / below->Exact();
    const double slack = below->Slack() / below->Exact() + above->Slack() / above->Exact();
    return Recomputed{value, value, {below, above}, value * slack};
  };
  return convention;
}

// The images of an epoch that a rate counts: all, or those of whole steps if the last, smaller step is left out
// (drop_last).
enum class Counted { kAll, kOfWholeSteps };

double ImagesOfWholeSteps(double images, double global_batch) {
  return global_batch > 0 ? std::floor(images / global_batch) * global_batch : 0;
}

// Returns the convention: items * batch of an iteration / seconds, or images / seconds, or a conversion of another
// rate.
Convention MakeRate(const Document& document, const Source& source, bool per_device, Counted counted) {
  const double images = document.ImagesPerEpoch();
  const double items = std::max<double>(1, static_cast<double>(document.tables().claims().items_per_sample()));
  const bool total = document.BatchIsTotal();
  Convention convention;
  const std::string sample = items > 1 ? absl::StrCat(" * ", items) : "";
  const char* share = per_device ? " / N" : "";
  const bool is_all = counted == Counted::kAll;
  std::function<double(const TablePlace&, double)> rate;
  switch (source.quantity) {
    case proto::ITERATION_SECONDS:
      convention.text = absl::StrCat(total ? "B" : "N*B", sample, " / seconds of an iteration", share);
      rate = [=](const TablePlace& p, double seconds) {
        return static_cast<double>(p.batch) * (total ? 1 : p.devices) * items / seconds;
      };
      break;
    case proto::ITEMS_PER_SECOND:
      convention.text = absl::StrCat("R", share);
      rate = [](const TablePlace&, double all) { return all; };
      break;
    case proto::ITEMS_PER_SECOND_PER_DEVICE:
      convention.text = "N * R per device";
      rate = [](const TablePlace& p, double each) { return each * p.devices; };
      break;
    default:
      convention.text = absl::StrCat(is_all ? "images" : "images of whole steps", sample, " / T_N", share);
      convention.departures = is_all ? 0 : kLateDepartures;
      rate = [=](const TablePlace& p, double seconds) {
        const double batch = static_cast<double>(p.batch) * (total ? 1 : p.devices);
        return (is_all ? images : ImagesOfWholeSteps(images, batch)) * items / seconds;
      };
  }
  absl::StrAppend(&convention.text, ", ", source.name);
  convention.evaluate = [&source, rate, per_device](const TablePlace& place) -> std::optional<Recomputed> {
    const Cell* cell = source.At(place.devices, place.batch);
    if (cell == nullptr || cell->Exact() <= 0) {
      return std::nullopt;
    }
    const double parts = per_device ? place.devices : 1, value = rate(place, cell->Exact()) / parts;
    if (value == 0) {
      return std::nullopt;  // the document does not state the images of an epoch, or the batch
    }
    return Recomputed{value, rate(place, cell->printed.value) / parts, {cell}, value * cell->Slack() / cell->Exact()};
  };
  return convention;
}

// Returns `convention`, which gives nothing at places for which `rates` hold the base rate.
Convention WhereBaseIsMissing(Convention convention, const Sources& rates, const DeclaredBase& base) {
  convention.evaluate = [evaluate = convention.evaluate, rates, base](const TablePlace& place) {
    const uint64_t batch = base.batch > 0 ? base.batch : place.batch;
    const bool is_printed = std::any_of(rates.begin(), rates.end(),
                                        [&](const Source& rate) { return rate.At(base.devices, batch) != nullptr; });
    return is_printed ? std::nullopt : evaluate(place);
  };
  return convention;
}

// Returns the right quotients of a rate of `table` and a base rate of another table, for places for which `table` does
// not print the base rate itself: people take the base of the same table first.
std::vector<Convention> SpeedupsOverOtherTables(const Document& document, int table, const DeclaredBase& base,
                                                const Sources& rates) {
  std::vector<Convention> conventions;
  if (rates.empty() || rates[0].get().table != table) {
    return conventions;  // `rates` holds all tables
  }
  for (const Source& over : document.SourcesFor({proto::ITEMS_PER_SECOND, proto::ITEMS_PER_SECOND_PER_DEVICE}, table)) {
    for (const Source& n : rates) {
      if (over.table != table && n.quantity != proto::ITERATION_SECONDS) {
        const Convention quotient =
            MakeRateSpeedup(RateFormulas(base.devices)[0], over, n, base, document.BatchIsTotal());
        conventions.push_back(WhereBaseIsMissing(quotient, rates, base));
        conventions.back().departures += 1;  // too far for variants of other numbers of devices (AddOtherDevices)
      }
    }
  }
  return conventions;
}

bool IsKnown(const Sources& sources, absl::string_view context) {
  return !context.empty() &&
         std::any_of(sources.begin(), sources.end(), [&](const Source& s) { return s.context == context; });
}

}  // namespace

Sources RateSources(const Document& document, int table, absl::string_view context) {
  Sources rates = document.SourcesFor(
      {proto::ITEMS_PER_SECOND, proto::ITEMS_PER_SECOND_PER_DEVICE, proto::ITERATION_SECONDS}, table, context);
  const auto others =
      std::find_if(rates.begin(), rates.end(), [&](const Source& source) { return source.table != table; });
  if (others != rates.begin()) {
    rates.erase(others, rates.end());
  }
  return rates;
}

void MarkOtherColumn(const Sources& sources, const Source& source, absl::string_view context, Convention& convention) {
  if (IsKnown(sources, context) && source.context != context) {
    convention.departures += 2;
    convention.contradictions += 1;  // contradicts the label
    convention.flags.push_back(kOfOtherColumn);
  }
}

std::vector<Convention> RateSpeedups(const Document& document, int table, const DeclaredBase& base,
                                     absl::string_view context) {
  const Sources rates = RateSources(document, table, context);
  std::vector<Convention> conventions = SpeedupsOverOtherTables(document, table, base, rates);
  for (const Source& over : rates) {
    for (const Source& n : rates) {
      if (!Comparable(over, n)) {
        continue;
      }
      // A context such as "fp32 to mixed" names no column of rates, so the number compares two columns.
      if (!context.empty() && !IsKnown(rates, context) && over.name != n.name) {
        conventions.push_back(MakeRatioOfColumns(over, n, base));
      }
      for (const RateFormula& formula : RateFormulas(base.devices)) {
        conventions.push_back(MakeRateSpeedup(formula, over, n, base, document.BatchIsTotal()));
        MarkOtherColumn(rates, n, context, conventions.back());
      }
    }
  }
  return conventions;
}

std::vector<Convention> RateConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                        absl::string_view context) {
  const bool per_device = quantity == proto::ITEMS_PER_SECOND_PER_DEVICE;
  std::set<proto::PublishedQuantity> kinds = {proto::ITERATION_SECONDS, proto::EPOCH_SECONDS, proto::STEP_SECONDS};
  kinds.insert(per_device ? proto::ITEMS_PER_SECOND : proto::ITEMS_PER_SECOND_PER_DEVICE);
  const Sources sources = document.SourcesFor(kinds, table, context);
  std::vector<Convention> conventions;
  for (const Source& source : sources) {
    // Avoids a cycle: total rates are computed from rates per device only if these were read off.
    if (source.quantity != proto::ITEMS_PER_SECOND_PER_DEVICE || source.read_off) {
      const bool is_time = source.quantity == proto::EPOCH_SECONDS || source.quantity == proto::STEP_SECONDS;
      for (const Counted counted : {Counted::kAll, Counted::kOfWholeSteps}) {
        if (counted == Counted::kAll || is_time) {
          conventions.push_back(MakeRate(document, source, per_device, counted));
          MarkOtherColumn(sources, source, context, conventions.back());
        }
      }
    }
  }
  const auto plain = std::find_if(conventions.begin(), conventions.end(),
                                  [](const Convention& convention) { return convention.flags.empty(); });
  if (!per_device && plain != conventions.end()) {
    const std::vector<Convention> products = RatesOfSpeedups(document, table, *plain, context);
    conventions.insert(conventions.end(), products.begin(), products.end());
  }
  return conventions;
}

}  // namespace lockstep
