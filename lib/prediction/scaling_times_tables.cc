// Makes ScalingTimes from published tables.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/prediction/scaling_times.h"
#include "lib/published/printed_number.h"

namespace lockstep {
namespace {

uint64_t ImagesPerEpoch(const proto::PublishedTables& tables) {
  const uint64_t claimed = tables.claims().images_per_epoch();
  return claimed > 0 ? claimed : tables.facts().images_per_epoch();
}

uint64_t GradientBytes(const proto::PublishedTables& tables) {
  const proto::Claims& claims = tables.claims();
  return claims.gradient_bytes() > 0 ? claims.gradient_bytes() : 4 * claims.parameter_count();
}

// Returns true if the value is the time of an epoch: not a line of a log, and not repeated from elsewhere.
bool IsEpochTime(const proto::PublishedValue& value) {
  return (value.quantity() == proto::EPOCH_SECONDS || value.quantity() == proto::STEP_SECONDS) && value.epoch() == 0 &&
         !value.restated() && value.devices() > 0 && value.batch() > 0;
}

uint64_t BatchPerDevice(const proto::PublishedTables& tables, const proto::PublishedValue& value) {
  return tables.claims().batch() == "total" ? value.batch() / value.devices() : value.batch();
}

// Returns nullopt if a device has no whole batch per epoch, or if the time is not positive and finite.
absl::StatusOr<std::optional<ScalingTime>> TimeOf(const proto::PublishedTables& tables,
                                                  const proto::PublishedValue& value, double run_to_run_fraction) {
  ASSIGN_OR_RETURN(const PrintedNumber printed, ParsePrintedNumber(value.as_printed()));
  const double run_to_run = run_to_run_fraction * printed.value;
  const uint64_t batch = BatchPerDevice(tables, value);
  ScalingTime time;
  time.ranks = value.devices();
  time.images_per_rank = (ImagesPerEpoch(tables) + time.ranks - 1) / time.ranks;
  if (!(printed.value > 0) || !std::isfinite(printed.value) || batch == 0 || batch > time.images_per_rank ||
      batch > std::numeric_limits<uint32_t>::max()) {
    return std::nullopt;
  }
  time.batch = static_cast<uint32_t>(batch);
  time.step_seconds = Known(printed.value, VarianceOfRange(printed.unit) + run_to_run * run_to_run);
  time.epoch_seconds = time.step_seconds;
  return time;
}

absl::StatusOr<ScalingTimes> TimesOfTable(const proto::PublishedTables& tables, const proto::PublishedTable& table,
                                          double run_to_run_fraction) {
  ScalingTimes times;
  times.source = absl::StrCat(tables.source(), ", ", table.name());
  times.training_images = ImagesPerEpoch(tables);
  times.gradient_bytes = GradientBytes(tables);
  times.tail = Tail::kUnknown;
  times.provenance = proto::PUBLISHED;
  for (const proto::PublishedValue& value : table.value()) {
    if (!IsEpochTime(value)) {
      continue;
    }
    ASSIGN_OR_RETURN(const std::optional<ScalingTime> time, TimeOf(tables, value, run_to_run_fraction));
    const bool known = time.has_value() && std::any_of(times.times.begin(), times.times.end(), [&](const auto& other) {
                         return other.ranks == time->ranks && other.batch == time->batch;
                       });
    if (time.has_value() && !known) {
      times.times.push_back(*time);
    }
  }
  return times;
}

}  // namespace

absl::StatusOr<std::vector<ScalingTimes>> TimesOfTables(const proto::PublishedTables& tables,
                                                        double run_to_run_fraction) {
  if (ImagesPerEpoch(tables) == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(tables.source(),
                     ": the images of an epoch are not known; state them: in a CSV file by the line "
                     "'# images_per_epoch = 50000' above the columns"));
  }
  std::vector<ScalingTimes> result;
  for (const proto::PublishedTable& table : tables.table()) {
    ASSIGN_OR_RETURN(ScalingTimes times, TimesOfTable(tables, table, run_to_run_fraction));
    const auto has = [&](auto&& wanted) { return std::any_of(times.times.begin(), times.times.end(), wanted); };
    if (has([](const ScalingTime& time) { return time.ranks == 1; }) &&
        has([](const ScalingTime& time) { return time.ranks > 1; })) {
      result.push_back(std::move(times));
    }
  }
  if (result.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(tables.source(), ": expected a table with epoch times of one device and of several, found none"));
  }
  return result;
}

}  // namespace lockstep
