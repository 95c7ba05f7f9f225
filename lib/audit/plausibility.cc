#include "lib/audit/plausibility.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/audit/flags.h"
#include "lib/audit/phase_rows.h"
#include "lib/audit/quantity_kinds.h"
#include "lib/audit/verdict.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/published/printed_value.h"

namespace lockstep {
namespace {

// Returns the epoch time in `cells` that is nearest to `sum`; of equally near ones, the first of `table`. Null: no such
// time.
const Cell* NearestTotal(const std::vector<const Cell*>& cells, double sum, int table) {
  const Cell* nearest = nullptr;
  const auto distance = [&](const Cell& total) {
    return std::make_pair(std::abs(total.printed.value - sum), total.table != table);
  };
  for (const Cell* total : cells) {
    const proto::PublishedQuantity quantity = total->value->quantity();
    if ((quantity == proto::EPOCH_SECONDS || quantity == proto::STEP_SECONDS) && total->value->epoch() == 0 &&
        (nearest == nullptr || distance(*total) < distance(*nearest))) {
      nearest = total;
    }
  }
  return nearest;
}

// Flags a communication time if computation + communication agrees with no total that the document prints.
void CheckParts(const Document& document, const Cell& communication, proto::AuditedValue& audited) {
  const std::vector<const Cell*>& here = document.CellsAt(communication.value->devices(), communication.value->batch());
  for (const Cell* compute : here) {
    if (compute->value->quantity() != proto::COMPUTE_SECONDS || compute->value->epoch() != 0 ||
        compute->table != communication.table) {
      continue;
    }
    const double sum = compute->printed.value + communication.printed.value;
    const Cell* nearest = NearestTotal(here, sum, communication.table);
    // Each of the three may be off by half a unit of its last digit.
    const double rounding =
        nearest == nullptr ? 0 : 0.5 * (compute->printed.unit + communication.printed.unit + nearest->printed.unit);
    if (nearest == nullptr || std::abs(nearest->printed.value - sum) <= rounding * (1 + 1e-9)) {
      continue;
    }
    const std::string sentence = absl::StrCat(
        "computation ", PrintedText(*compute->value), " + communication ", PrintedText(*communication.value), " = ",
        Digits(sum), ", but ", document.TableName(*nearest), " prints a total of ", PrintedText(*nearest->value), ".");
    if (audited.finding() == proto::GIVEN && sum < nearest->printed.value) {
      absl::StrAppend(audited.mutable_sentence(), " The rest of the time was not measured: ", sentence);
    } else {
      Remark(audited, kPartsDoNotSum, sentence);
    }
  }
}

// Flags a utilisation that forgot the iterations if it would exceed 100 % with them.
void CheckPeak(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  const double images = document.ImagesPerEpoch();
  const auto& flags = audited.flag();
  if (cell.value->quantity() != proto::UTILIZATION_PERCENT || images == 0 ||
      std::find(flags.begin(), flags.end(), kIterationsForgotten) == flags.end()) {
    return;
  }
  const double devices = document.BatchIsTotal() ? 1 : cell.value->devices();
  const double iterations = images / (devices * static_cast<double>(cell.value->batch()));
  if (cell.printed.value * iterations > 100) {
    Remark(
        audited, kOverPeakWithIterations,
        absl::StrFormat("with the %.6g iterations of an epoch it would be %.0f %% of the stated peak: the peak, or the "
                        "communication time, is wrong as well.",
                        iterations, cell.printed.value * iterations));
  }
}

}  // namespace

absl::Status RemarkOnPlausibility(const Document& document, std::vector<proto::AuditedValue>& audited) {
  for (size_t i = 0; i < audited.size(); ++i) {
    RETURN_IF_ERROR(CheckNotStopped());
    const Cell& cell = document.cells()[i];
    const bool is_clock_time = IsTotalTime(cell.value->quantity()) && !cell.value->restated();
    if (audited[i].finding() == proto::GIVEN || is_clock_time) {
      RemarkOnGiven(document, cell, audited[i]);
    } else if (audited[i].finding() == proto::NOT_REPRODUCIBLE && !cell.value->restated()) {
      RemarkOnSecondValues(document, cell, audited[i]);
    }
    if (cell.value->quantity() == proto::COMMUNICATION_SECONDS && !cell.value->restated()) {
      if (cell.printed.value < 0) {
        Remark(audited[i], kNegativeCommunication,
               "a time below 0: the one-device time is not the compute time of N devices.");
      }
      CheckParts(document, cell, audited[i]);
    }
    if (audited[i].finding() == proto::NOT_REPRODUCIBLE && IsSumOfPhases(document, cell) && is_clock_time) {
      Remark(audited[i], kPartsDoNotSum, "the document says that its phases add up to this time.");
    }
    CheckPeak(document, cell, audited[i]);
    RemarkOnLimits(document, cell, audited[i]);
  }
  return absl::OkStatus();
}

}  // namespace lockstep
