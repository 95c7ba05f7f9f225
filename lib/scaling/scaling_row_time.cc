// Breakdown of the time of one row: computing, communication that was not hidden, the rest.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/scaling/scaling_row.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

const char kOneDevice[] = "the base case: one device sends nothing";

// Returns 1 - exposed/busy, epoch by epoch: both were measured in the same epochs.
std::optional<Spread> OverlapFraction(const proto::ScalePoint& point) {
  proto::Samples fractions;
  const int epochs = std::min(point.exposed_seconds().value_size(), point.collective_busy_seconds().value_size());
  for (int i = 0; i < epochs; ++i) {
    if (point.collective_busy_seconds().value(i) <= 0) {
      return std::nullopt;
    }
    fractions.add_value(1 - point.exposed_seconds().value(i) / point.collective_busy_seconds().value(i));
  }
  return SpreadOf(fractions);
}

std::string ReasonOf(const proto::Samples& samples) {
  return samples.absent_reason().empty() ? "not measured" : samples.absent_reason();
}

proto::Quantity MeasuredOr(const proto::Samples& samples, absl::string_view method) {
  const std::optional<Spread> spread = SpreadOf(samples);
  return spread.has_value() ? Measured(*spread, method) : Absent(ReasonOf(samples));
}

}  // namespace

void FillBaseCase(const RowInputs& in, const Spread& step, proto::ScalingRow& row) {
  for (proto::Quantity* quantity :
       {row.mutable_communication_seconds(), row.mutable_exposed_event_seconds(),
        row.mutable_exposed_ablation_seconds(), row.mutable_collective_busy_seconds(),
        row.mutable_collective_wait_seconds(), row.mutable_overlap_fraction(), row.mutable_other_seconds(),
        row.mutable_bytes_per_step(), row.mutable_bandwidth_bytes_per_second(),
        row.mutable_measured_link_bytes_per_second(), row.mutable_utilization_of_measured(),
        row.mutable_utilization_of_nominal(), row.mutable_busy_bandwidth_bytes_per_second(),
        row.mutable_busy_utilization_of_measured()}) {
    *quantity = Absent(kOneDevice);
  }
  *row.mutable_compute_seconds() = Derived(step, absl::StrCat("T_comp = s_1(", row.batch_per_device(), ")/1"));
  const std::optional<Spread> reduced =
      in.reduced != nullptr ? SpreadOf(in.reduced->step_seconds()) : std::optional<Spread>();
  *row.mutable_reducer_seconds() =
      DerivedOr(reduced.has_value() ? std::optional<Spread>(*reduced - step) : std::nullopt,
                in.reduced != nullptr && in.reduced->reduction() == proto::STAR ? "s_1 by DataParallel - s_1 plain"
                                                                                : "s_1 through the reducer - s_1 plain",
                "one device through the reducer is not in the record");
}

void FillExposed(const RowInputs& in, const Spread& step, proto::ScalingRow& row) {
  const proto::ScalePoint& point = in.point;
  const std::string& source = point.step_figures().source();  // empty in older records
  const std::string per_epoch =
      absl::StrCat(", summed over the steps of an epoch (", point.timing_method(), "), the rank with the largest sum, ",
                   source.empty() || source == "timed epochs" ? "mean over timed epochs" : absl::StrCat("of ", source));
  *row.mutable_exposed_event_seconds() =
      MeasuredOr(point.exposed_seconds(), absl::StrCat("last all-reduce's end minus backward's end", per_epoch));
  *row.mutable_collective_busy_seconds() =
      MeasuredOr(point.collective_busy_seconds(), absl::StrCat("time in which an all-reduce ran", per_epoch));
  *row.mutable_collective_wait_seconds() =
      MeasuredOr(point.collective_wait_seconds(), absl::StrCat("busy minus the smallest busy of any rank", per_epoch));
  *row.mutable_overlap_fraction() = DerivedOr(OverlapFraction(point), "1 - exposed/busy, by events, epoch by epoch",
                                              "needs the exposed time by events and a busy time above 0");
  const std::optional<Spread> ablated =
      in.ablated != nullptr ? SpreadOf(in.ablated->step_seconds()) : std::optional<Spread>();
  *row.mutable_exposed_ablation_seconds() = DerivedOr(
      ablated.has_value() ? std::optional<Spread>(step - *ablated) : std::nullopt,
      absl::StrCat("s_", point.ranks(), " - s_", point.ranks(), " without all-reduce, of timed epochs"),
      in.ablated == nullptr ? "the run without all-reduce is not in the record" : ReasonOf(in.ablated->step_seconds()));
}

std::optional<Spread> FillSplit(const RowInputs& in, const Spread& step, proto::ScalingRow& row) {
  const uint32_t n = row.ranks(), b = row.batch_per_device();
  const absl::StatusOr<BaseCase> base = in.bases.At(b);
  if (!base.ok()) {
    const std::string reason = NotThere("s_1", b, base.status());
    *row.mutable_compute_seconds() = Absent(reason);
    *row.mutable_communication_seconds() = Absent(reason);
    *row.mutable_other_seconds() = Absent(reason);
    return std::nullopt;
  }
  const Spread compute = (1.0 / n) * base->step_seconds;
  const Spread communication = step - compute;
  *row.mutable_compute_seconds() = Derived(compute, WithBase(absl::StrCat("T_comp = s_1(", b, ")/", n), b, *base));
  *row.mutable_communication_seconds() =
      Derived(communication, absl::StrCat("T_comm = s_", n, "(", b, ") - s_1(", b, ")/", n));
  const proto::Quantity& ablation = row.exposed_ablation_seconds();
  if (!ablation.has_value()) {
    *row.mutable_other_seconds() = Absent("needs the exposed time by ablation");
    return communication;
  }
  // s_N cancels: T_comm - (s_N - s_N without) = s_N without - T_comp.
  const Spread without = *SpreadOf(in.ablated->step_seconds());
  *row.mutable_other_seconds() =
      Derived(without - compute, absl::StrCat("T_comm - exposed by ablation = s_", n, " without all-reduce - s_1/", n));
  return communication;
}

}  // namespace lockstep
