// Split of an epoch into computation and communication.
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

// Returns the convention T_1/N (or T_1 if not `divided`) from one source.
Convention MakeCompute(const Source& base, bool divided) {
  Convention convention;
  convention.text = absl::StrCat(divided ? "T_1/N" : "T_1", ", T_1 of ", base.name);
  if (!divided) {
    convention.departures = 2;
    convention.flags.push_back(kComputeNotDividedByN);
  }
  convention.evaluate = [&base, divided](const TablePlace& place) -> std::optional<Recomputed> {
    const Cell* t_1 = base.At(1, place.batch);
    if (t_1 == nullptr) {
      return std::nullopt;
    }
    const double parts = divided ? place.devices : 1;
    return Recomputed{t_1->Exact() / parts, t_1->Exact() / parts, {t_1}, t_1->Slack() / parts};
  };
  return convention;
}

// Returns the convention T_N, as if an epoch had no communication.
Convention MakeWholeTime(const Source& total) {
  Convention convention;
  convention.text = absl::StrCat("T_N, T_N of ", total.name);
  convention.departures = 3;
  convention.flags.push_back(kComputeIsWholeTime);
  convention.evaluate = [&total](const TablePlace& place) -> std::optional<Recomputed> {
    const Cell* t_n = total.At(place.devices, place.batch);
    if (t_n == nullptr || place.devices == 1) {
      return std::nullopt;  // one device has no communication
    }
    return Recomputed{t_n->Exact(), t_n->printed.value, {t_n}, t_n->Slack()};
  };
  return convention;
}

// Returns `exact` as the document prints it in a compute column; `exact` itself if no column has these digits. A column
// that was computed from another one-device time is not a rounded `exact`.
double AsPrinted(double exact, const Sources& computes, const TablePlace& place) {
  for (const Source& compute : computes) {
    const Cell* cell = compute.At(place.devices, place.batch);
    if (cell != nullptr && !compute.read_off && RoundsTo(exact, cell->printed)) {
      return cell->printed.value;
    }
  }
  return exact;
}

// Returns the convention minuend - T_1/N: the rest of the time of N devices.
Convention MakeCommunication(const Source& minuend, const Source& base, bool divided, const Sources& computes) {
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
  convention.evaluate = [&minuend, &base, divided, computes](const TablePlace& place) -> std::optional<Recomputed> {
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

// Returns the convention T_N - T_1/M, which subtracts the share of M instead of N devices.
Convention MakeCommunicationOfShare(const Source& total, const Source& base, uint32_t devices) {
  Convention convention;
  convention.text = absl::StrCat("T_N - T_1/", devices, ", ", SourceText("T_1", base.name, "T_N", total.name));
  convention.departures = kOfOtherDevicesDepartures + (total.quantity != base.quantity ? 1 : 0);
  if (total.quantity != base.quantity) {
    convention.flags.push_back(kMixedLoading);
  }
  convention.evaluate = [&total, &base, devices](const TablePlace& place) -> std::optional<Recomputed> {
    const Cell *t_n = total.At(place.devices, place.batch), *t_1 = base.At(1, place.batch);
    if (t_n == nullptr || t_1 == nullptr) {
      return std::nullopt;
    }
    const double value = t_n->Exact() - t_1->Exact() / devices;
    Recomputed recomputed = {value, value, {t_n, t_1}, t_n->Slack() + t_1->Slack() / devices};
    MarkOtherDevices(devices, place, recomputed);
    return recomputed;
  };
  return convention;
}

// Returns the convention T_N - the document's compute time, however that time was obtained.
Convention MakeRemainder(const Source& total, const Source& compute) {
  Convention convention;
  convention.departures = compute.read_off ? 0 : 1;
  convention.text = absl::StrCat("T_N - computation_N, ", SourceText("computation_N", compute.name, "T_N", total.name));
  convention.evaluate = [&total, &compute](const TablePlace& place) -> std::optional<Recomputed> {
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
  const Sources times = document.Times(table);
  const Sources computes = document.SourcesFor({proto::COMPUTE_SECONDS}, table);
  Sources minuends = times;
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
  for (const uint32_t devices : document.SeveralDevices()) {
    for (const Source& total : times) {
      for (const Source& base : times) {
        conventions.push_back(MakeCommunicationOfShare(total, base, devices));
      }
    }
  }
  return conventions;
}

}  // namespace

std::vector<Convention> SplitConventions(const Document& document, proto::PublishedQuantity quantity, int table) {
  if (quantity == proto::COMMUNICATION_SECONDS) {
    return CommunicationConventions(document, table);
  }
  std::vector<Convention> conventions;
  const Sources times = document.Times(table);
  for (bool divided : {true, false}) {
    for (const Source& base : times) {
      conventions.push_back(MakeCompute(base, divided));
    }
  }
  for (const Source& total : times) {
    conventions.push_back(MakeWholeTime(total));
  }
  return conventions;
}

}  // namespace lockstep
