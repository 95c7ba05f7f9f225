// Speed-ups, and the split of an epoch into computing and communicating: everything made of times alone.
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

const std::set<proto::PublishedQuantity>& TimeQuantities() {
  static const auto* times = new std::set<proto::PublishedQuantity>({proto::EPOCH_SECONDS, proto::STEP_SECONDS});
  return *times;
}

// "T_1 of Q1, T_N of Q2", or "times of Q2" when both are the same.
std::string SourceText(const std::string& base, const std::string& base_name, const std::string& n,
                       const std::string& n_name) {
  return base_name == n_name ? absl::StrCat("times of ", base_name)
                             : absl::StrCat(base, " of ", base_name, ", ", n, " of ", n_name);
}

// A quotient of two times, each at a place that it chooses.
struct SpeedupFormula {
  std::string text;
  int departures;
  std::vector<std::string> flags;
  std::string note;
  Place (*base_place)(const Place& place, const BaseCase& base);
  double (*value)(double base, double n, uint32_t devices);
};

// Which kind of scaling a quotient shows, beside the word that the document has for it.
std::string ScalingNote(absl::string_view kind, const proto::Claims& claims) {
  return absl::StrCat("This is ", kind,
                      claims.scaling().empty() ? "" : absl::StrCat("; the document calls it ", claims.scaling()), ".");
}

std::vector<SpeedupFormula> SpeedupFormulas(const BaseCase& base_case, const Document& document) {
  const proto::Claims& claims = document.tables().claims();
  const bool total = document.BatchIsTotal();
  const std::string same_b =
      ScalingNote(total ? "strong scaling: the total batch stays"
                        : "weak in the batch (each device keeps its own), strong in the data set",
                  claims);
  const std::string same_total = ScalingNote("strong scaling: the global batch is the same on both sides", claims);
  const auto at_base = [](const Place& p, const BaseCase& base) {
    return Place{base.devices, base.batch > 0 ? base.batch : p.batch};
  };
  const auto at_one = [](const Place& p, const BaseCase&) { return Place{1, p.batch}; };
  const auto at_two = [](const Place& p, const BaseCase&) { return Place{2, p.batch}; };
  const auto at_one_with_global_batch = [](const Place& p, const BaseCase&) { return Place{1, p.batch * p.devices}; };
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

Convention MakeSpeedup(const SpeedupFormula& formula, const Source& base, const Source& n, const BaseCase& base_case) {
  Convention convention;
  convention.text = absl::StrCat(formula.text, ", ", SourceText("base", base.name, "T_N", n.name));
  convention.departures = formula.departures;
  convention.flags = formula.flags;
  convention.note = formula.note;
  if (base.quantity != n.quantity) {
    convention.departures += 1;
    convention.flags.push_back(kMixedLoading);
  }
  convention.evaluate = [formula, base, n, base_case](const Place& place) -> std::optional<Recomputed> {
    const Place at = formula.base_place(place, base_case);
    const Cell* t_base = base.At(at.devices, at.batch);
    const Cell* t_n = n.At(place.devices, place.batch);
    if (t_base == nullptr || t_n == nullptr || t_base->Exact() <= 0 || t_n->Exact() <= 0) {
      return std::nullopt;
    }
    const double value = formula.value(t_base->Exact(), t_n->Exact(), place.devices);
    // A quotient is off by as much, relative, as its two times together.
    const double slack = value * (t_base->Slack() / t_base->Exact() + t_n->Slack() / t_n->Exact());
    return Recomputed{value, value, {t_base, t_n}, slack};
  };
  return convention;
}

// How a speed-up S is said in percent.
struct PercentForm {
  const char* text;
  int departures;
  const char* flag;  // empty: nothing wrong with it
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
  convention.evaluate = [evaluate = speedup.evaluate, form](const Place& place) {
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

// T_1/N (or T_1 whole) out of one source.
Convention MakeCompute(const Source& base, bool divided) {
  Convention convention;
  convention.text = absl::StrCat(divided ? "T_1/N" : "T_1", ", T_1 of ", base.name);
  if (!divided) {
    convention.departures = 2;
    convention.flags.push_back(kComputeNotDividedByN);
  }
  convention.evaluate = [base, divided](const Place& place) -> std::optional<Recomputed> {
    const Cell* t_1 = base.At(1, place.batch);
    if (t_1 == nullptr) {
      return std::nullopt;
    }
    const double parts = divided ? place.devices : 1;
    return Recomputed{t_1->Exact() / parts, t_1->Exact() / parts, {t_1}, t_1->Slack() / parts};
  };
  return convention;
}

// `exact` as the document prints it in a compute column of its own; itself when it does not. A column made of another
// one-device time is not this one rounded.
double AsPrinted(double exact, const std::vector<Source>& computes, const Place& place) {
  for (const Source& compute : computes) {
    const Cell* cell = compute.At(place.devices, place.batch);
    if (cell != nullptr && !compute.read_off && RoundsTo(exact, cell->printed)) {
      return cell->printed.value;
    }
  }
  return exact;
}

// minuend - T_1/N: what is left of the time of N devices.
Convention MakeCommunication(const Source& minuend, const Source& base, bool divided,
                             const std::vector<Source>& computes) {
  Convention convention;
  const bool from_computation = minuend.quantity == proto::COMPUTE_SECONDS;
  const std::string left = from_computation ? "computation_N" : "T_N";
  convention.text =
      absl::StrCat(left, divided ? " - T_1/N, " : " - T_1, ", SourceText("T_1", base.name, left, minuend.name));
  if (from_computation) {
    convention.departures += 1;
    convention.flags.push_back(kComputationHoldsCommunication);
  }
  if (!divided) {
    convention.departures += 2;
    convention.flags.push_back(kComputeNotDividedByN);
  }
  if (!from_computation && minuend.quantity != base.quantity) {
    convention.departures += 1;
    convention.flags.push_back(kMixedLoading);
  }
  convention.evaluate = [minuend, base, divided, computes](const Place& place) -> std::optional<Recomputed> {
    const Cell* t_n = minuend.At(place.devices, place.batch);
    const Cell* t_1 = base.At(1, place.batch);
    if (t_n == nullptr || t_1 == nullptr) {
      return std::nullopt;
    }
    const double parts = divided ? place.devices : 1, compute = t_1->Exact() / parts;
    return Recomputed{t_n->Exact() - compute,
                      t_n->printed.value - AsPrinted(compute, computes, place),
                      {t_n, t_1},
                      t_n->Slack() + t_1->Slack() / parts};
  };
  return convention;
}

// T_N - the document's own compute time, however that came about.
Convention MakeRemainder(const Source& total, const Source& compute) {
  Convention convention;
  convention.departures = compute.read_off ? 0 : 1;
  convention.text = absl::StrCat("T_N - computation_N, ", SourceText("computation_N", compute.name, "T_N", total.name));
  convention.evaluate = [total, compute](const Place& place) -> std::optional<Recomputed> {
    const Cell* t_n = total.At(place.devices, place.batch);
    const Cell* part = compute.At(place.devices, place.batch);
    if (t_n == nullptr || part == nullptr) {
      return std::nullopt;
    }
    return Recomputed{t_n->Exact() - part->Exact(),
                      t_n->printed.value - part->printed.value,
                      {t_n, part},
                      t_n->Slack() + part->Slack()};
  };
  return convention;
}

std::vector<Convention> CommunicationConventions(const Document& document, int table) {
  const std::vector<Source> times = document.Sources(TimeQuantities(), table);
  const std::vector<Source> computes = document.Sources({proto::COMPUTE_SECONDS}, table);
  std::vector<Source> minuends = times;
  std::vector<Convention> conventions;
  for (const Source& compute : computes) {
    if (compute.read_off) {
      minuends.push_back(compute);
    }
    for (const Source& total : times) {
      conventions.push_back(MakeRemainder(total, compute));
    }
  }
  for (bool divided : {true, false}) {
    for (const Source& minuend : minuends) {
      for (const Source& base : times) {
        conventions.push_back(MakeCommunication(minuend, base, divided, computes));
      }
    }
  }
  return conventions;
}

}  // namespace

std::vector<Convention> SpeedupConventions(const Document& document, proto::PublishedQuantity quantity, int table,
                                           const BaseCase& base_case) {
  const std::vector<Source> times = document.Sources(TimeQuantities(), table);
  std::vector<Convention> conventions;
  for (const SpeedupFormula& formula : SpeedupFormulas(base_case, document)) {
    for (const Source& base : times) {
      for (const Source& n : times) {
        const Convention speedup = MakeSpeedup(formula, base, n, base_case);
        if (quantity == proto::SPEEDUP) {
          conventions.push_back(speedup);
          continue;
        }
        for (const PercentForm& form : kPercentForms) {
          conventions.push_back(InPercent(speedup, form));
        }
      }
    }
  }
  return conventions;
}

std::vector<Convention> SplitConventions(const Document& document, proto::PublishedQuantity quantity, int table) {
  if (quantity == proto::COMMUNICATION_SECONDS) {
    return CommunicationConventions(document, table);
  }
  std::vector<Convention> conventions;
  for (bool divided : {true, false}) {
    for (const Source& base : document.Sources(TimeQuantities(), table)) {
      conventions.push_back(MakeCompute(base, divided));
    }
  }
  return conventions;
}

}  // namespace lockstep
