// Speed-ups and serial fractions of one row.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "lib/scaling/karp_flatt.h"
#include "lib/scaling/point_run.h"
#include "lib/scaling/scaling.h"
#include "lib/scaling/scaling_row.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

const char kNotPositive[] = "a time or a number of steps is not positive";
// Confidence of intervals if the spec, like that of an older record, has none.
constexpr double kConfidence = 0.95;
const char kOneDevice[] = "the base case: one device has no serial fraction";

// Returns the serial fraction; without an interval if a time was measured only once.
proto::Quantity SerialFractionOf(const RowInputs& in, const BaseCase& base, const std::string& speedup) {
  const auto& repeats = in.point.epoch_seconds().value();
  const double stated = in.spec.model_spec().confidence();
  const double confidence = stated > 0 ? stated : kConfidence;
  const absl::StatusOr<SerialFraction> fraction =
      KarpFlattFraction(in.point.ranks(), base.epoch_repeats, {repeats.begin(), repeats.end()}, confidence);
  if (!fraction.ok()) {
    return Absent(kNotPositive);
  }
  const std::string method = absl::StrCat("(1/S - 1/N)/(1 - 1/N), S = ", speedup, ", N = ", in.point.ranks());
  if (!fraction->interval.has_value()) {
    return Derived(Exactly(fraction->value), absl::StrCat(method, "; a side was measured once: no interval"));
  }
  if (!std::isfinite(fraction->interval->low) || !std::isfinite(fraction->interval->high)) {
    return Derived(Exactly(fraction->value), absl::StrCat(method, "; the repeats differ too much for an interval"));
  }
  proto::Quantity quantity = Derived(Exactly(fraction->value), method);
  quantity.set_low(fraction->interval->low);
  quantity.set_high(fraction->interval->high);
  quantity.set_method(absl::StrCat(quantity.method(), "; interval: ", 100 * confidence, " %, Student's t of ln S"));
  return quantity;
}

void FillRunStart(const RowInputs& in, const BaseCase& base, proto::ScalingRow& row) {
  if (row.ranks() > 1 && row.run_start().empty() && AreTwoRuns(base.run_start, in.run_start)) {
    row.add_run_start(base.run_start);
    row.add_run_start(in.run_start);
  }
}

void FillStrong(const RowInputs& in, const Spread& epoch, proto::ScalingRow& row) {
  const uint32_t n = row.ranks(), b = row.batch_per_device();
  const absl::StatusOr<BaseCase> base = in.bases.At(n * b);
  if (!base.ok()) {
    *row.mutable_strong_speedup() = Absent(NotThere("E_1", n * b, base.status()));
    *row.mutable_karp_flatt() = Absent("needs the strong speed-up");
    return;
  }
  const std::string formula = absl::StrCat("E_1(", n * b, ")/E_", n, "(", b, ")");
  FillRunStart(in, *base, row);
  const std::optional<Spread> speedup = StrongSpeedup(base->epoch_seconds, epoch);
  *row.mutable_strong_speedup() = DerivedOr(speedup, WithBase(formula, n * b, *base), kNotPositive);
  *row.mutable_karp_flatt() = n == 1 ? Absent(kOneDevice) : SerialFractionOf(in, *base, formula);
}

void FillWeak(const RowInputs& in, const BaseCase& base, const Spread& step, proto::ScalingRow& row) {
  const uint32_t n = row.ranks(), b = row.batch_per_device(), k_1 = base.steps_per_epoch,
                 k_n = in.point.steps_per_epoch();
  const uint64_t i_1 = base.images_per_epoch, i_n = in.point.images_per_epoch();
  // With the formula by steps, a smaller last step would count as much as a whole one, and more so on more ranks.
  const bool whole = i_1 == static_cast<uint64_t>(k_1) * b && i_n == static_cast<uint64_t>(k_n) * n * b;
  const bool by_images = i_1 > 0 && i_n > 0 && !whole;
  const std::string formula =
      by_images
          ? absl::StrCat("(s_1(", b, ")/I_1)/(s_", n, "(", b, ")/I_", n, "), images per epoch I_1 = ", i_1, ", I_", n,
                         " = ", i_n, " (the last step is smaller than ", b, ")")
          : absl::StrCat("N*(s_1(", b, ")/k_1)/(s_", n, "(", b, ")/k_", n, "), k_1 = ", k_1, ", k_", n, " = ", k_n);
  const std::optional<Spread> speedup = by_images ? WeakSpeedupByImages(base.step_seconds, i_1, step, i_n)
                                                  : WeakSpeedup(n, base.step_seconds, k_1, step, k_n);
  *row.mutable_weak_speedup() = DerivedOr(speedup, WithBase(formula, b, base), kNotPositive);
  *row.mutable_gustafson_serial_fraction() =
      n == 1
          ? Absent(kOneDevice)
          : DerivedOr(speedup.has_value() ? std::optional<Spread>(GustafsonSerialFraction(n, *speedup)) : std::nullopt,
                      absl::StrCat("(N - S)/(N - 1), S the weak speed-up, N = ", n), kNotPositive);
}

}  // namespace

void FillSpeedups(const RowInputs& in, const Spread& epoch, const Spread& step, proto::ScalingRow& row) {
  const uint32_t n = row.ranks(), b = row.batch_per_device();
  FillStrong(in, epoch, row);
  const absl::StatusOr<BaseCase> base = in.bases.At(b);
  if (!base.ok()) {
    *row.mutable_weak_speedup() = Absent(NotThere("s_1", b, base.status()));
    *row.mutable_epoch_speedup() = Absent(NotThere("E_1", b, base.status()));
    *row.mutable_gustafson_serial_fraction() = Absent("needs the weak speed-up");
    return;
  }
  FillRunStart(in, *base, row);
  FillWeak(in, *base, step, row);
  *row.mutable_epoch_speedup() =
      DerivedOr(EpochSpeedup(base->epoch_seconds, epoch),
                WithBase(absl::StrCat("E_1(", b, ")/E_", n, "(", b, ")"), b, *base), kNotPositive);
}

std::string NotThere(absl::string_view symbol, uint32_t batch, const absl::Status& why) {
  return absl::StrCat(symbol, "(", batch, ") is missing: ", why.message());
}

std::string WithBase(absl::string_view formula, uint32_t batch, const BaseCase& base) {
  return absl::StrCat(formula, ", base case: plain training on 1 device at batch ", batch, " (", base.origin, ")");
}

}  // namespace lockstep
