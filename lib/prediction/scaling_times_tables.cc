// Makes ScalingTimes from published tables.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/prediction/scaling_times.h"
#include "lib/published/printed_value.h"

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

// Returns true if the value gives the time of an epoch: not a line of a log, and not repeated from elsewhere.
bool GivesEpochTime(const proto::PublishedValue& value) {
  switch (value.quantity()) {
    case proto::EPOCH_SECONDS:
    case proto::STEP_SECONDS:
    case proto::ITERATION_SECONDS:
    case proto::ITEMS_PER_SECOND:
    case proto::ITEMS_PER_SECOND_PER_DEVICE:
      return value.epoch() == 0 && !value.restated() && value.devices() > 0 && value.batch() > 0;
    default:
      return false;
  }
}

uint64_t BatchPerDevice(const proto::PublishedTables& tables, const proto::PublishedValue& value) {
  return tables.claims().batch() == "total" ? value.batch() / value.devices() : value.batch();
}

// Returns the images of an epoch for a document that states none: the smallest number with whole steps at every batch
// of the table, so that a time per iteration or a rate has an epoch. If it would be large, a thousand of the largest
// steps.
uint64_t NominalImages(const proto::PublishedTables& tables, const proto::PublishedTable& table) {
  constexpr uint64_t kLimit = 1'000'000'000, kManySteps = 1000;
  uint64_t images = 1, largest = 1;
  for (const proto::PublishedValue& value : table.value()) {
    if (GivesEpochTime(value)) {
      const uint64_t step = std::max<uint64_t>(BatchPerDevice(tables, value) * value.devices(), 1);
      largest = std::max(largest, step);
      images = images > kLimit ? images : std::lcm(images, std::min(step, kLimit));
    }
  }
  return images > kLimit ? largest * kManySteps : images;
}

// Returns the factor by which a printed number x gives the seconds of an epoch: factor * x, or factor / x for a rate.
double EpochFactor(const proto::PublishedTables& tables, const proto::PublishedValue& value, uint64_t images,
                   uint64_t batch) {
  const auto devices = static_cast<double>(value.devices());
  const double items =
      static_cast<double>(images) * static_cast<double>(std::max<uint64_t>(tables.claims().items_per_sample(), 1));
  switch (value.quantity()) {
    case proto::ITERATION_SECONDS:
      return std::ceil(static_cast<double>(images) / (static_cast<double>(batch) * devices));
    case proto::ITEMS_PER_SECOND:
      return items;
    case proto::ITEMS_PER_SECOND_PER_DEVICE:
      return items / devices;
    default:
      return 1;
  }
}

// Returns nullopt if a device has no whole batch per epoch, or if the time is not positive and finite.
absl::StatusOr<std::optional<ScalingTime>> TimeOf(const proto::PublishedTables& tables,
                                                  const proto::PublishedValue& value, uint64_t images,
                                                  double run_to_run_fraction) {
  ASSIGN_OR_RETURN(const PrintedNumber printed, PrintedNumberOf(value));
  const uint64_t batch = BatchPerDevice(tables, value);
  ScalingTime time;
  time.ranks = value.devices();
  time.images_per_rank = (images + time.ranks - 1) / time.ranks;
  if (!(printed.value > 0) || !std::isfinite(printed.value) || batch == 0 || batch > time.images_per_rank ||
      batch > std::numeric_limits<uint32_t>::max()) {
    return std::nullopt;
  }
  time.batch = static_cast<uint32_t>(batch);
  const double factor = EpochFactor(tables, value, images, batch);
  const bool is_rate =
      value.quantity() == proto::ITEMS_PER_SECOND || value.quantity() == proto::ITEMS_PER_SECOND_PER_DEVICE;
  const double seconds = is_rate ? factor / printed.value : factor * printed.value;
  // A quotient has the relative error of its divisor.
  const double rounding = VarianceOfRange(printed.unit * seconds / printed.value);
  const double run_to_run = run_to_run_fraction * seconds;
  time.step_seconds = Known(seconds, rounding + run_to_run * run_to_run);
  time.epoch_seconds = time.step_seconds;
  return time;
}

// Returns true if the two values are epochs of one run.
bool IsSameRun(const proto::PublishedValue& a, const proto::PublishedValue& b) {
  return a.quantity() == b.quantity() && a.devices() == b.devices() && a.batch() == b.batch() &&
         a.context() == b.context();
}

// Returns the time of a run from its epochs, the last of which is `last`: their mean without the first one, which warms
// up. The variance is that of the epochs, of their digits and of the difference between runs.
absl::StatusOr<std::optional<ScalingTime>> TimeOfRun(const proto::PublishedTables& tables,
                                                     const proto::PublishedTable& table,
                                                     const proto::PublishedValue& last, uint64_t images,
                                                     double run_to_run_fraction) {
  ASSIGN_OR_RETURN(std::optional<ScalingTime> time, TimeOf(tables, last, images, run_to_run_fraction));
  proto::Samples seconds;
  double rounding = 0;
  bool is_warmup = true;
  for (const proto::PublishedValue& value : table.value()) {
    if (!IsSameRun(value, last) || std::exchange(is_warmup, false)) {
      continue;
    }
    ASSIGN_OR_RETURN(const std::optional<ScalingTime> epoch, TimeOf(tables, value, images, 0));
    if (epoch.has_value()) {
      seconds.add_value(epoch->step_seconds.value);
      rounding = std::max(rounding, epoch->step_seconds.variance);
    }
  }
  if (time.has_value() && seconds.value_size() > 1) {
    time->step_seconds = *EstimateOf(seconds, run_to_run_fraction) + Known(0, rounding);
    time->epoch_seconds = time->step_seconds;
    time->epochs = static_cast<uint32_t>(seconds.value_size());
  }
  return time;
}

absl::StatusOr<ScalingTimes> TimesOfTable(const proto::PublishedTables& tables, const proto::PublishedTable& table,
                                          double run_to_run_fraction) {
  ScalingTimes times;
  const uint64_t stated = ImagesPerEpoch(tables);
  const uint64_t images = stated > 0 ? stated : NominalImages(tables, table);
  times.source = absl::StrCat(tables.source(), ", ", table.name());
  if (stated == 0) {
    absl::StrAppend(&times.source, " (an epoch here has ", images, " samples: the document states none)");
  }
  times.training_images = images;
  times.gradient_bytes = GradientBytes(tables);
  times.tail = Tail::kUnknown;
  times.cpu_cores = static_cast<uint32_t>(
      std::min<uint64_t>(tables.claims().shared_cpu_cores(), std::numeric_limits<uint32_t>::max()));
  times.ranks_share_a_host_cpu = times.cpu_cores > 0;
  times.provenance = proto::PUBLISHED;
  for (const proto::PublishedValue& value : table.value()) {
    if (!GivesEpochTime(value)) {
      continue;
    }
    ASSIGN_OR_RETURN(const std::optional<ScalingTime> time,
                     table.epochs_of_runs() ? TimeOfRun(tables, table, value, images, run_to_run_fraction)
                                            : TimeOf(tables, value, images, run_to_run_fraction));
    const bool known = time.has_value() && std::any_of(times.times.begin(), times.times.end(), [&](const auto& other) {
                         return other.ranks == time->ranks && other.batch == time->batch;
                       });
    if (time.has_value() && !known) {
      times.times.push_back(*time);
    }
  }
  return times;
}

// Returns true if a time is that of an epoch, which means nothing without the number of its images.
bool HasTimesOfEpochs(const proto::PublishedTables& tables) {
  return std::any_of(tables.table().begin(), tables.table().end(), [](const proto::PublishedTable& table) {
    return std::any_of(table.value().begin(), table.value().end(), [](const proto::PublishedValue& value) {
      return GivesEpochTime(value) &&
             (value.quantity() == proto::EPOCH_SECONDS || value.quantity() == proto::STEP_SECONDS);
    });
  });
}

}  // namespace

absl::StatusOr<std::vector<ScalingTimes>> TimesOfTables(const proto::PublishedTables& tables,
                                                        double run_to_run_fraction) {
  if (ImagesPerEpoch(tables) == 0 && HasTimesOfEpochs(tables)) {
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
    return absl::FailedPreconditionError(absl::StrCat(
        tables.source(),
        ": expected a table with times of an epoch or an iteration, or with rates, of one device and of several, "
        "each with its batch; found none"));
  }
  return result;
}

}  // namespace lockstep
