#include "lib/audit/plausibility.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/audit/flags.h"
#include "lib/audit/verdict.h"

namespace lockstep {
namespace {

bool IsTime(proto::PublishedQuantity quantity) {
  return quantity == proto::EPOCH_SECONDS || quantity == proto::STEP_SECONDS;
}

bool SamePlace(const Cell& a, const Cell& b) {
  return a.value->devices() == b.value->devices() && a.value->batch() == b.value->batch();
}

bool SameQuantity(const Cell& a, const Cell& b) {
  return SamePlace(a, b) && a.value->quantity() == b.value->quantity() && a.value->epoch() == b.value->epoch() &&
         a.value->base_devices() == b.value->base_devices() && a.value->context() == b.value->context();
}

// FLOP/s that a time of an epoch needs, against the peak of its devices.
void CheckClock(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  const proto::Facts& facts = document.tables().facts();
  const double peak = facts.peak_flops_per_second() * cell.value->devices();
  const double work = facts.training_flops_per_image() * document.ImagesPerEpoch();
  const bool given_time = IsTime(cell.value->quantity()) || cell.value->read_off();
  if (!given_time || peak == 0 || work == 0 || cell.printed.value <= 0 || work / cell.printed.value <= peak) {
    return;
  }
  Remark(audited, kClocks,
         absl::StrFormat(
             "an epoch in %s s needs %.1f TFLOP/s, and the peak of %d device%s is %.1f: the clock was most likely "
             "read before the work was done.",
             cell.value->as_printed(), work / cell.printed.value / 1e12, cell.value->devices(),
             cell.value->devices() == 1 ? "" : "s", peak / 1e12));
}

void CheckTwice(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  for (const Cell& other : document.cells()) {
    if (&other == &cell || other.value->restated() || !SameQuantity(cell, other) ||
        RoundsTo(cell.printed.value, other.printed) || RoundsTo(other.printed.value, cell.printed)) {
      continue;
    }
    Remark(audited, kTwoValuesOfOneQuantity,
           absl::StrCat(document.TableName(other), " prints ", other.value->as_printed(),
                        " for the same quantity: two runs, or two things under one name."));
  }
}

void CheckLoading(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  if (cell.value->quantity() != proto::EPOCH_SECONDS || cell.value->epoch() != 0) {
    return;
  }
  double smallest = INFINITY;
  for (const Cell& other : document.cells()) {
    if (other.value->quantity() == proto::STEP_SECONDS && other.value->epoch() == 0 && SamePlace(cell, other)) {
      smallest = std::min(smallest, other.printed.value);
    }
  }
  if (std::isfinite(smallest) && cell.printed.value < smallest) {
    Remark(audited, kLoadingFasterThanWithout,
           absl::StrCat("with data loading ", cell.value->as_printed(), " s, without it ", Digits(smallest), " s."));
  }
}

// computation + communication against every total that the document prints; one that agrees is enough.
void CheckParts(const Document& document, const Cell& communication, proto::AuditedValue& audited) {
  for (const Source& computes : document.Sources({proto::COMPUTE_SECONDS}, communication.table)) {
    const Cell* compute = computes.At(communication.value->devices(), communication.value->batch());
    if (compute == nullptr || computes.table != communication.table) {
      continue;
    }
    const double sum = compute->printed.value + communication.printed.value;
    const Cell* nearest = nullptr;
    for (const Source& totals : document.Sources({proto::EPOCH_SECONDS, proto::STEP_SECONDS}, communication.table)) {
      const Cell* total = totals.At(communication.value->devices(), communication.value->batch());
      if (total != nullptr &&
          (nearest == nullptr || std::abs(total->printed.value - sum) < std::abs(nearest->printed.value - sum))) {
        nearest = total;
      }
    }
    // Each of the three may be off by half a unit of its last digit.
    const double rounding =
        nearest == nullptr ? 0 : 0.5 * (compute->printed.unit + communication.printed.unit + nearest->printed.unit);
    if (nearest != nullptr && std::abs(nearest->printed.value - sum) > rounding * (1 + 1e-9)) {
      Remark(audited, kPartsDoNotSum,
             absl::StrCat("computation ", compute->value->as_printed(), " + communication ",
                          communication.value->as_printed(), " = ", Digits(sum), ", but ", document.TableName(*nearest),
                          " prints a total of ", nearest->value->as_printed(), "."));
    }
  }
}

// A utilisation that forgot the iterations: what would it be with them?
void CheckPeak(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  const double images = document.ImagesPerEpoch();
  const auto& flags = audited.flag();
  if (cell.value->quantity() != proto::UTILIZATION_PERCENT || images == 0 ||
      std::find(flags.begin(), flags.end(), kIterationsForgotten) == flags.end()) {
    return;
  }
  const double devices = document.tables().claims().batch() == "total" ? 1 : cell.value->devices();
  const double iterations = images / (devices * cell.value->batch());
  if (cell.printed.value * iterations > 100) {
    Remark(
        audited, kOverPeakWithIterations,
        absl::StrFormat("with the %.6g iterations of an epoch it would be %.0f %% of the stated peak: the peak, or the "
                        "communication time, is wrong as well.",
                        iterations, cell.printed.value * iterations));
  }
}

}  // namespace

void RemarkOnPlausibility(const Document& document, std::vector<proto::AuditedValue>& audited) {
  for (size_t i = 0; i < audited.size(); ++i) {
    const Cell& cell = document.cells()[i];
    if (audited[i].finding() == proto::GIVEN) {
      CheckClock(document, cell, audited[i]);
      CheckTwice(document, cell, audited[i]);
      CheckLoading(document, cell, audited[i]);
    }
    if (cell.value->quantity() == proto::COMMUNICATION_SECONDS && !cell.value->restated()) {
      if (cell.printed.value < 0) {
        Remark(audited[i], kNegativeCommunication,
               "a time below 0: the one-device time is not the compute time of N devices.");
      }
      CheckParts(document, cell, audited[i]);
    }
    CheckPeak(document, cell, audited[i]);
  }
}

}  // namespace lockstep
