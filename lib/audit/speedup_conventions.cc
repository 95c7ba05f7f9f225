// Speed-ups: quotients of two times, and the ways to express them in percent.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/audit/cell_formula.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

// Quotient of two times. `base_place` selects the place of the base time.
struct SpeedupFormula {
  std::string text;
  int departures;
  std::vector<std::string> flags;
  std::string note;
  TablePlace (*base_place)(const TablePlace& place, const DeclaredBase& base);
  double (*value)(double base, double n, uint32_t devices);
};

// Returns a note with the kind of scaling that a quotient shows, and with the document's word for it.
std::string ScalingNote(absl::string_view kind, const proto::Claims& claims) {
  return absl::StrCat("This is ", kind,
                      claims.scaling().empty() ? "" : absl::StrCat("; the document calls it ", claims.scaling()), ".");
}

std::vector<SpeedupFormula> SpeedupFormulas(const DeclaredBase& base_case, const Document& document) {
  const proto::Claims& claims = document.tables().claims();
  const bool total = document.BatchIsTotal();
  const std::string same_b =
      ScalingNote(total ? "strong scaling: the total batch stays"
                        : "weak in the batch (each device keeps its own), strong in the data set",
                  claims);
  const std::string same_total = ScalingNote("strong scaling: the global batch is the same on both sides", claims);
  const auto at_base = [](const TablePlace& p, const DeclaredBase& base) {
    return TablePlace{base.devices, base.batch > 0 ? base.batch : p.batch};
  };
  const auto at_one = [](const TablePlace& p, const DeclaredBase&) { return TablePlace{1, p.batch}; };
  const auto at_two = [](const TablePlace& p, const DeclaredBase&) { return TablePlace{2, p.batch}; };
  const auto at_one_with_global_batch = [](const TablePlace& p, const DeclaredBase&) {
    return TablePlace{1, p.batch * p.devices};
  };
  const auto quotient = [](double base, double n, uint32_t) { return base / n; };
  std::vector<SpeedupFormula> formulas;
  if (base_case.batch > 0) {
    return {{absl::StrCat("T_", base_case.devices, "(", base_case.batch, ")/T_N"), 0,
             base_case.devices > 1 ? std::vector<std::string>{kBaseIsNotOneDevice} : std::vector<std::string>{}, "",
             at_base, quotient}};
  }
  if (base_case.devices == 1) {
    formulas.push_back({"T_1/T_N", 0, {}, same_b, at_one, quotient});
    formulas.push_back({"T_2/T_N", 2, {kBaseIsNotOneDevice}, same_b, at_two, quotient});
  } else {
    formulas.push_back(
        {absl::StrCat("T_", base_case.devices, "/T_N"), 0, {kBaseIsNotOneDevice}, same_b, at_base, quotient});
    formulas.push_back({"T_1/T_N", 1, {}, same_b, at_one, quotient});
  }
  formulas.push_back({"T_1(N*B)/T_N(B)", 1, {}, same_total, at_one_with_global_batch, quotient});
  formulas.push_back({"N*T_1/T_N", 2, {kCountsNTwice}, "", at_one, [](double base, double n, uint32_t devices) {
                        return devices * base / n;
                      }});
  formulas.push_back(
      {"T_N/T_1", 3, {kInvertedSpeedup}, "", at_one, [](double base, double n, uint32_t) { return n / base; }});
  return formulas;
}

Convention MakeSpeedup(const SpeedupFormula& formula, const Source& base, const Source& n,
                       const DeclaredBase& base_case) {
  Convention convention;
  convention.text = absl::StrCat(formula.text, ", ", SourceText("base", base.name, "T_N", n.name));
  convention.departures = formula.departures;
  convention.flags = formula.flags;
  convention.note = formula.note;
  if (base.quantity != n.quantity) {
    convention.departures += 1;
    convention.flags.push_back(kMixedLoading);
  }
  convention.evaluate = [base_place = formula.base_place, value_of = formula.value, &base, &n,
                         base_case](const TablePlace& place) -> std::optional<Recomputed> {
    const TablePlace at = base_place(place, base_case);
    const Cell* t_base = base.At(at.devices, at.batch);
    const Cell* t_n = n.At(place.devices, place.batch);
    if (t_base == nullptr || t_n == nullptr || t_base->IsSameAs(*t_n) || t_base->Exact() <= 0 || t_n->Exact() <= 0) {
      return std::nullopt;
    }
    const double value = value_of(t_base->Exact(), t_n->Exact(), place.devices);
    // The relative error of a quotient is the sum of the relative errors of its two times.
    const double slack = value * (t_base->Slack() / t_base->Exact() + t_n->Slack() / t_n->Exact());
    return Recomputed{value, value, {t_base, t_n}, slack};
  };
  return convention;
}

// Returns the convention: time of the devices in column `over` / time of the same devices in column `n`.
Convention MakeRatioOfTimes(const Source& over, const Source& n, const DeclaredBase& base) {
  CellFormula formula;
  formula.text = absl::StrCat("T_N of ", over.name, " / T_N of ", n.name);
  formula.inputs = [&over, &n, base](const TablePlace& place) {
    return std::vector<const Cell*>{over.At(place.devices, base.batch > 0 ? base.batch : place.batch),
                                    n.At(place.devices, place.batch)};
  };
  formula.value = [](const std::vector<double>& in, const TablePlace&) { return in[0] / in[1]; };
  Convention convention = MakeConvention(formula);
  convention.meaning = convention.text;  // names of columns may have commas
  return convention;
}

// Returns quotients of two columns of `table`, for numbers whose context is none of its columns: "FP32 to mixed
// precision".
std::vector<Convention> RatiosOfColumns(const Sources& times, int table, const DeclaredBase& base,
                                        absl::string_view context) {
  std::vector<Convention> conventions;
  const auto is_label = [&](const Source& source) { return source.table == table && source.context == context; };
  if (context.empty() || std::any_of(times.begin(), times.end(), is_label)) {
    return conventions;
  }
  for (const Source& over : times) {
    for (const Source& n : times) {
      const bool are_columns = over.table == table && n.table == table && over.context != n.context;
      if (are_columns && over.quantity == n.quantity && over.is_converted == n.is_converted) {
        conventions.push_back(MakeRatioOfTimes(over, n, base));
      }
    }
  }
  return conventions;
}

// Way to express a speed-up S in percent.
struct PercentForm {
  const char* text;
  int departures;
  const char* flag;  // empty: a right formula
  double (*value)(double speedup);
};

const PercentForm kPercentForms[] = {
    {"(S - 1) * 100", 0, "", [](double s) { return (s - 1) * 100; }},
    {"(1 - 1/S) * 100", 1, "", [](double s) { return (1 - 1 / s) * 100; }},
    {"S * 100", 1, "", [](double s) { return s * 100; }},
    {"S", 2, kRatioCalledPercent, [](double s) { return s; }},
};

Convention InPercent(const Convention& speedup, const PercentForm& form) {
  Convention convention = speedup;
  convention.text = absl::StrCat(form.text, ", S = ", speedup.text);
  convention.departures += form.departures;
  if (form.flag[0] != '\0') {
    convention.flags.push_back(form.flag);
  }
  convention.evaluate = [evaluate = speedup.evaluate, form](const TablePlace& place) {
    std::optional<Recomputed> recomputed = evaluate(place);
    if (recomputed.has_value()) {
      const double s = recomputed->exact;
      recomputed->slack = std::abs(form.value(s + recomputed->slack) - form.value(s));
      recomputed->exact = recomputed->from_printed = form.value(s);
    }
    return recomputed;
  };
  return convention;
}

}  // namespace

std::vector<Convention> SpeedupConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                           const DeclaredBase& base_case, absl::string_view context) {
  const Sources times = document.Times(table, context);
  std::vector<Convention> speedups = RateSpeedups(document, table, base_case, context);
  for (const Sources& kind : {times, document.RunTimes(table, context)}) {
    const std::vector<Convention> ratios = RatiosOfColumns(kind, table, base_case, context);
    speedups.insert(speedups.end(), ratios.begin(), ratios.end());
  }
  for (const SpeedupFormula& formula : SpeedupFormulas(base_case, document)) {
    for (const Sources& kind : {times, document.RunTimes(table, context)}) {  // no run over an epoch
      for (const Source& base : kind) {
        for (const Source& n : kind) {
          speedups.push_back(MakeSpeedup(formula, base, n, base_case));
        }
      }
    }
  }
  if (quantity == proto::SPEEDUP) {
    return speedups;
  }
  std::vector<Convention> conventions;
  for (const Convention& speedup : speedups) {
    for (const PercentForm& form : kPercentForms) {
      conventions.push_back(InPercent(speedup, form));
    }
  }
  return conventions;
}

}  // namespace lockstep
