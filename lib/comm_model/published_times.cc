#include <cstdint>

#include "absl/strings/str_cat.h"
#include "lib/comm_model/model_records.h"
#include "lib/prediction/epoch_parts.h"
#include "lib/prediction/scaling_times.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

// Returns the mean of a run's epochs with its uncertainty, or one number without uncertainty.
Estimate SecondsOf(const ScalingTime& time) {
  return time.epochs > 1 ? time.epoch_seconds : Known(time.epoch_seconds.value);
}

// Returns a / b, with the uncertainty to first order.
Estimate Quotient(const Estimate& a, const Estimate& b) {
  const double ratio = a.value / b.value;
  return (1 / b.value) * a - (ratio / b.value) * b + Known(ratio);
}

// Returns the speed-up over one device at `base_batch`.
proto::Quantity SpeedupOver(const ScalingTimes& times, uint64_t base_batch, const ScalingTime& time, double confidence,
                            const char* method) {
  const ScalingTime* const base =
      base_batch <= UINT32_MAX ? FindTime(times, 1, static_cast<uint32_t>(base_batch)) : nullptr;
  if (base == nullptr) {
    return Absent(absl::StrCat("no time of one device at batch ", base_batch));
  }
  proto::Quantity speedup = Modelled(Quotient(SecondsOf(*base), SecondsOf(time)), confidence, method);
  speedup.set_provenance(proto::DERIVED);
  return speedup;
}

proto::PublishedTime Describe(const ScalingTimes& times, const ScalingTime& time, double confidence) {
  proto::PublishedTime published;
  published.set_source(times.source);
  published.set_ranks(time.ranks);
  published.set_batch_per_device(time.batch);
  published.set_epochs(time.epochs);
  *published.mutable_epoch_seconds() =
      Modelled(SecondsOf(time), confidence,
               time.epochs > 1 ? "mean of the run's epochs after the first" : "as printed, or computed from a rate");
  published.mutable_epoch_seconds()->set_provenance(proto::PUBLISHED);
  *published.mutable_epoch_speedup() = SpeedupOver(times, time.batch, time, confidence, "E_1(B) / E_N(B)");
  *published.mutable_strong_speedup() =
      SpeedupOver(times, uint64_t{time.ranks} * time.batch, time, confidence, "E_1(N*B) / E_N(B)");
  return published;
}

}  // namespace

std::vector<proto::PublishedTime> DescribePublishedTimes(const std::vector<ScalingTimes>& all, double confidence) {
  std::vector<proto::PublishedTime> published;
  for (const ScalingTimes& times : all) {
    for (const ScalingTime& time : times.times) {
      if (times.provenance == proto::PUBLISHED) {
        published.push_back(Describe(times, time, confidence));
      }
    }
  }
  return published;
}

}  // namespace lockstep
