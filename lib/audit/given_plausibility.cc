#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/audit/flags.h"
#include "lib/audit/plausibility.h"
#include "lib/audit/verdict.h"
#include "lib/published/printed_value.h"
#include "lib/published/published_unit.h"

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
         a.value->base_devices() == b.value->base_devices() && a.value->base_batch() == b.value->base_batch() &&
         a.value->context() == b.value->context();
}

// Flags a time of an epoch that needs more FLOP/s than the peak of its devices.
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
             PrintedText(*cell.value), work / cell.printed.value / 1e12, cell.value->devices(),
             cell.value->devices() == 1 ? "" : "s", peak / 1e12));
}

// Flags two times of one place whose tables state different numbers of loader processes.
void CheckLoaders(const Document& document, const Cell& cell, const Cell& other, proto::AuditedValue& audited) {
  const proto::PublishedTable &here = document.tables().table(cell.table),
                              &there = document.tables().table(other.table);
  if (IsTime(cell.value->quantity()) && here.has_loader_workers() && there.has_loader_workers() &&
      here.loader_workers() != there.loader_workers()) {
    Remark(audited, kLoaderWorkersDiffer,
           absl::StrCat(here.name(), " loads data with ", here.loader_workers(), " workers, ", there.name(), " with ",
                        there.loader_workers(), "."));
  }
}

void CheckLoading(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  if (cell.value->quantity() != proto::EPOCH_SECONDS || cell.value->epoch() != 0) {
    return;
  }
  double smallest = INFINITY;
  for (const Cell* other : document.CellsAt(cell.value->devices(), cell.value->batch())) {
    if (other->value->quantity() == proto::STEP_SECONDS && other->value->epoch() == 0) {
      smallest = std::min(smallest, other->printed.value);
    }
  }
  if (std::isfinite(smallest) && cell.printed.value < smallest) {
    Remark(audited, kLoadingFasterThanWithout,
           absl::StrCat("with data loading ",
                        cell.value->unit_seconds() > 0 ? Digits(cell.printed.value) : cell.value->as_printed(),
                        " s, without it ", Digits(smallest), " s."));
  }
}

// Flags a step's batch that is larger than the whole data set.
void CheckBatch(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  const double images = document.ImagesPerEpoch();
  const double devices = document.BatchIsTotal() ? 1 : cell.value->devices();
  if (IsTime(cell.value->quantity()) && images > 0 && devices * static_cast<double>(cell.value->batch()) > images) {
    Remark(audited, kBatchBeyondTheData,
           absl::StrFormat("a step of %.0f images of %.0f: the loader gives what there is, so this is one step on the "
                           "whole data set, and no larger batch can ever run out of memory.",
                           devices * static_cast<double>(cell.value->batch()), images));
  }
}

void CheckLabel(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  const std::string &claimed = document.tables().claims().batch(), &shown = document.tables().facts().batch();
  if (IsTime(cell.value->quantity()) && cell.value->devices() > 1 && !claimed.empty() && !shown.empty() &&
      claimed != shown) {
    Remark(audited, kBatchNotAsLabelled,
           absl::StrCat("the document says that batch ", cell.value->batch(), " is ", claimed, ", and it is ", shown,
                        "."));
  }
}

bool IsWhole(const Cell& cell) { return cell.printed.value == std::floor(cell.printed.value); }

// Flags tables in which every time is a whole number of seconds. With k decimals, chance makes one time whole in 10^-k
// of cases.
void CheckResolution(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  constexpr int kEnough = 4;
  if (!IsTime(cell.value->quantity())) {
    return;
  }
  int whole = 0, all = 0;
  for (const Cell* other : document.CellsOf(cell.table)) {
    if (IsTime(other->value->quantity()) && !other->value->restated()) {
      ++all;
      whole += IsWhole(*other);
    }
  }
  if (whole == all && all >= kEnough && cell.printed.value > 0) {
    Remark(audited, kWholeSecondClock,
           absl::StrFormat("all %d times of this table are whole seconds, so this one may be off by %.1f %%.", all,
                           100 / cell.printed.value));
  }
}

// Flags a run that is shorter than the shortest epochs printed for its place. States how much longer another run is.
void CheckRun(const Document& document, const Cell& run, proto::AuditedValue& audited) {
  const proto::PublishedValue& value = *run.value;
  if (value.quantity() != proto::RUN_SECONDS || value.epoch() != 0) {
    return;
  }
  const double epochs = document.EpochsOfRun(run.table, {value.devices(), value.batch()}, value.context());
  const Cell* shortest = nullptr;
  for (const Cell* cell : document.CellsAt(value.devices(), value.batch())) {
    if (IsTime(cell->value->quantity()) && cell->value->epoch() == 0 && cell->value->context() == value.context() &&
        (shortest == nullptr || cell->printed.value < shortest->printed.value)) {
      shortest = cell;
    }
  }
  if (epochs <= 0 || shortest == nullptr) {
    return;
  }
  const double seconds = epochs * shortest->printed.value;
  const std::string product =
      absl::StrFormat("%s epochs of %s (%s) take %s s", Digits(epochs), PrintedText(*shortest->value),
                      document.TableName(*shortest), Digits(seconds));
  const double rounding = 0.5 * (run.printed.unit + epochs * shortest->printed.unit);
  if (run.printed.value < seconds - rounding) {
    Remark(audited, kRunShorterThanEpochs, absl::StrCat(product, ", more than the whole run."));
  } else if (run.printed.value > seconds + rounding) {
    absl::StrAppendFormat(audited.mutable_sentence(), " %s, and the run takes %.3g %% longer.", product,
                          100 * (run.printed.value / seconds - 1));
  }
}

bool HasTime(const std::vector<const Cell*>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const Cell* cell) { return IsTime(cell->value->quantity()) && cell->value->epoch() == 0; });
}

// Flags a time of several devices if the document prints no one-device time at its batch, but prints one elsewhere.
void CheckBase(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  const proto::PublishedValue& value = *cell.value;
  if (!IsTime(value.quantity()) || value.devices() < 2 || value.epoch() != 0) {
    return;
  }
  const bool same_batch = HasTime(document.CellsAt(1, value.batch())) ||
                          (!document.BatchIsTotal() && HasTime(document.CellsAt(1, value.batch() * value.devices())));
  if (document.TimesOneDevice() && !same_batch) {
    Remark(audited, kNoOneDeviceTime,
           absl::StrCat("no time of one device at batch ", value.batch(), " is printed, so no speed-up can be made."));
  }
}

}  // namespace

void RemarkOnSecondValues(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  if (IsRate(cell.value->quantity()) || cell.value->quantity() == proto::ITERATION_SECONDS) {
    return;
  }
  constexpr int kMaxNamed = 10;
  int others = 0;
  for (const Cell* at_this_place : document.CellsAt(cell.value->devices(), cell.value->batch())) {
    const Cell& other = *at_this_place;
    if (&other == &cell || other.value->restated() || !SameQuantity(cell, other) ||
        RoundsTo(cell.printed.value, other.printed) || RoundsTo(other.printed.value, cell.printed)) {
      continue;
    }
    if (++others > kMaxNamed) {
      continue;
    }
    Remark(audited, kTwoValuesOfOneQuantity,
           absl::StrCat(document.TableName(other), " prints ", PrintedText(*other.value),
                        " for the same quantity: two runs, or two things under one name."));
    CheckLoaders(document, cell, other, audited);
  }
  if (others > kMaxNamed) {
    Remark(audited, kTwoValuesOfOneQuantity, absl::StrCat("and ", others - kMaxNamed, " more."));
  }
}

void RemarkOnGiven(const Document& document, const Cell& cell, proto::AuditedValue& audited) {
  CheckClock(document, cell, audited);
  CheckResolution(document, cell, audited);
  RemarkOnSecondValues(document, cell, audited);
  CheckLoading(document, cell, audited);
  CheckBatch(document, cell, audited);
  CheckLabel(document, cell, audited);
  CheckBase(document, cell, audited);
  CheckRun(document, cell, audited);
}

}  // namespace lockstep
