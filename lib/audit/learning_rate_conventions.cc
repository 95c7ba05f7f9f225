// Learning rates that are scaled with the total batch or the devices (Goyal et al. 2017; square root: Krizhevsky 2014).
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/cell_formula.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

// Images of one step: the batch over all devices. A table without batches has the same batch everywhere.
double TotalBatch(const TablePlace& place, bool batch_is_total) {
  return static_cast<double>(std::max<uint64_t>(place.batch, 1)) * (batch_is_total ? 1 : place.devices);
}

// Rule by which a learning rate grows.
struct Rule {
  const char* text;
  const char* claim;  // the document's word for the rule
  int departures;
  const char* flag;                                                    // empty: a right rule
  double (*factor)(double total_batch, double devices, double batch);  // quotients of the number and its base
};

constexpr Rule kRules[] = {
    {"lr * batch/base batch", "linear", 0, "", [](double total, double, double) { return total; }},
    {"lr * N/base N", "linear", 1, "", [](double, double devices, double) { return devices; }},
    {"lr * sqrt(batch/base batch)", "square_root", 1, "",
     [](double total, double, double) { return std::sqrt(total); }},
    {"lr * B/base B", "", 2, kDevicesLeftOut, [](double, double, double batch) { return batch; }}};

// Adds the departures of a rule that is not the one that the document states.
void CompareWithClaim(const Rule& rule, const std::string& claimed, Convention& convention) {
  if (claimed == rule.claim && rule.departures > 0 && claimed == "square_root") {
    convention.departures -= rule.departures;
  } else if (!claimed.empty() && claimed != rule.claim && rule.flag[0] == '\0') {
    convention.departures += 2;
    convention.contradictions += 1;
    convention.flags.emplace_back(kOtherScalingRule);
  }
}

// Returns the convention that scales the learning rate printed at `base`. It gives nothing at the base itself.
Convention FromPrinted(const Document& document, const Source& source, const Rule& rule, const DeclaredBase& base) {
  const bool total = document.BatchIsTotal();
  const auto base_of = [base](const TablePlace& place) {
    return TablePlace{base.devices, base.batch > 0 ? base.batch : place.batch};
  };
  CellFormula formula;
  formula.text = absl::StrCat(rule.text, ", lr of N = ", base.devices,
                              base.batch > 0 ? absl::StrCat(", B = ", base.batch) : "", " of ", source.name);
  formula.departures = rule.departures;
  formula.flags = ListOfFlag(rule.flag);
  formula.inputs = [&source, base_of](const TablePlace& place) {
    const TablePlace at = base_of(place);
    const bool is_base = at.devices == place.devices && at.batch == place.batch;
    const bool comparable = (at.batch == 0) == (place.batch == 0);
    return std::vector<const Cell*>{is_base || !comparable ? nullptr : source.At(at.devices, at.batch)};
  };
  formula.value = [base_of, total, factor = rule.factor](const std::vector<double>& rate, const TablePlace& place) {
    const TablePlace at = base_of(place);
    const double batch =
        static_cast<double>(std::max<uint64_t>(place.batch, 1)) / static_cast<double>(std::max<uint64_t>(at.batch, 1));
    return rate[0] * factor(TotalBatch(place, total) / TotalBatch(at, total),
                            static_cast<double>(place.devices) / at.devices, batch);
  };
  return MakeConvention(formula);
}

// Returns the convention that scales the stated learning rate: from the stated batch, or from one device.
Convention FromStated(const Document& document, const Rule& rule) {
  const proto::Claims& claims = document.tables().claims();
  const bool total = document.BatchIsTotal();
  const double rate = claims.base_learning_rate(), base = static_cast<double>(claims.base_learning_rate_batch());
  CellFormula formula;
  formula.text =
      absl::StrCat(rule.text, ", lr = ", rate, base > 0 ? absl::StrCat(" at batch ", base) : "", " as stated");
  formula.departures = rule.departures;
  formula.flags = ListOfFlag(rule.flag);
  formula.inputs = [](const TablePlace&) { return std::vector<const Cell*>(); };
  formula.value = [rate, base, total, factor = rule.factor](const std::vector<double>&, const TablePlace& place) {
    const double devices = place.devices, batch = static_cast<double>(place.batch);
    return rate *
           (base > 0 ? factor(TotalBatch(place, total) / base, devices, batch / base) : factor(devices, devices, NAN));
  };
  Convention convention = MakeConvention(formula);
  convention.evaluate = [evaluate = convention.evaluate, base](const TablePlace& place) {
    return base > 0 && place.batch == 0 ? std::nullopt : evaluate(place);
  };
  return convention;
}

// Returns the base cases that are tried: the declared one, and the place with the smallest total batch.
std::vector<DeclaredBase> BasesOf(const Document& document, const Source& source, const DeclaredBase& declared) {
  std::vector<DeclaredBase> bases = {declared};
  const bool total = document.BatchIsTotal();
  const auto smallest = std::min_element(source.cells.begin(), source.cells.end(), [&](const auto& a, const auto& b) {
    return TotalBatch(a.first, total) < TotalBatch(b.first, total);
  });
  if (smallest != source.cells.end() && smallest->first.batch > 0) {
    bases.push_back({smallest->first.devices, smallest->first.batch});
  }
  return bases;
}

}  // namespace

std::vector<Convention> LearningRateConventions(const Document& document, int table, const DeclaredBase& base,
                                                absl::string_view context) {
  const proto::Claims& claims = document.tables().claims();
  std::vector<Convention> conventions;
  for (const Rule& rule : kRules) {
    if (claims.base_learning_rate() > 0) {
      conventions.push_back(FromStated(document, rule));
      CompareWithClaim(rule, claims.learning_rate_scaling(), conventions.back());
    }
    for (const Source& source : document.SourcesFor({proto::LEARNING_RATE}, table, context)) {
      if (source.context != context) {
        continue;  // such as the rate at the start of a warm-up
      }
      for (const DeclaredBase& from : BasesOf(document, source, base)) {
        conventions.push_back(FromPrinted(document, source, rule, from));
        CompareWithClaim(rule, claims.learning_rate_scaling(), conventions.back());
      }
    }
  }
  return conventions;
}

}  // namespace lockstep
