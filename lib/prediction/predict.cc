#include "lib/prediction/predict.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/prediction/epoch_parts.h"
#include "lib/prediction/order_statistics.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

// Adds to the parts of `ranks` devices the anchor's time beyond its model.
void TakeAlong(const PartsBasis& basis, const EpochParts& anchor_parts, uint32_t ranks, EpochParts& parts) {
  if (basis.anchor->ranks == 1) {
    const double unseen = ranks > 1 ? kUnseenRest * parts.compute.value : 0;
    parts.rest = Known(0, unseen * unseen);
    return;
  }
  const double per_step = parts.steps / anchor_parts.steps;
  const double growth = ExpectedMaximum(ranks) / ExpectedMaximum(basis.anchor->ranks);
  parts.straggler = Known(growth * per_step * anchor_parts.straggler.value);
  const Estimate& rest = anchor_parts.rest;
  const double width = growth * per_step * std::sqrt(rest.value * rest.value + rest.variance);
  parts.rest = Known(per_step * rest.value, VarianceOfRange(width));
}

// Returns the steps of the epoch. If the anchor has the same batch, its own uncertainty replaces that of compute and
// rest together, because a whole step's time is in both with opposite signs. The uncertainty of the tail, which the
// anchor does not have, is added.
Estimate StepsSeconds(const PartsBasis& basis, uint32_t batch, const EpochParts& anchor_parts,
                      const EpochParts& parts) {
  Estimate sum = parts.compute + parts.reducer + parts.exposed + parts.straggler + parts.rest;
  if (batch != basis.anchor->batch) {
    return sum;
  }
  const double per_step = parts.steps / anchor_parts.steps;
  const Estimate anchored = per_step * basis.anchor->step_seconds +
                            Known(0, parts.rest.variance + parts.exposed.variance + parts.tail_variance);
  sum.variance = anchored.variance;
  sum.variance_squared_over_freedom = anchored.variance_squared_over_freedom;
  return sum;
}

Estimate Ratio(const Estimate& a, const Estimate& b) {
  const double value = a.value / b.value;
  const double relative = a.variance / (a.value * a.value) + b.variance / (b.value * b.value);
  return Known(value, value * value * relative);
}

std::string AnchorText(const ScalingTime& anchor) {
  return absl::StrCat(anchor.ranks, anchor.ranks == 1 ? " device" : " devices", " at batch ", anchor.batch);
}

proto::Prediction Refuse(proto::Prediction prediction, const std::string& reason) {
  prediction.set_refused(reason);
  for (proto::Quantity* quantity :
       {prediction.mutable_epoch_seconds(), prediction.mutable_epoch_speedup(), prediction.mutable_compute_seconds(),
        prediction.mutable_overhead_seconds(), prediction.mutable_exposed_seconds(),
        prediction.mutable_straggler_seconds(), prediction.mutable_nccl_exposed_seconds()}) {
    *quantity = Absent(reason);
  }
  return prediction;
}

// Fills the exposed communication by NCCL's model, for comparison with our own.
void FillNccl(const PartsBasis& basis, double steps, double confidence, proto::Prediction& prediction) {
  const absl::StatusOr<double> slower = SlowerThanAnchor(basis, prediction.batch_per_device());
  const absl::StatusOr<double> exposed =
      slower.ok() ? NcclExposedPerStep(basis, prediction.ranks(), *slower) : slower.status();
  if (!exposed.ok()) {
    *prediction.mutable_nccl_exposed_seconds() = Absent(exposed.status().message());
    return;
  }
  *prediction.mutable_nccl_exposed_seconds() =
      Modelled(Known(steps * *exposed), confidence,
               "the same buckets by NCCL's static model (src/graph/tuning.cc), one node of NVLink");
}

void FillNull(const ScalingTime* single, proto::Prediction& prediction) {
  if (single == nullptr) {
    *prediction.mutable_null_epoch_seconds() = Absent("one device was not timed at this batch");
    return;
  }
  proto::Quantity& null = *prediction.mutable_null_epoch_seconds();
  null.set_value(single->epoch_seconds.value / prediction.ranks());
  null.set_provenance(proto::DERIVED);
  null.set_method("the null model: T_1/N");
}

// Fills all fields except those that FillNull fills.
absl::Status Fill(const PartsBasis& basis, const ScalingTime* single, const proto::ModelSpec& spec,
                  proto::Prediction& prediction) {
  const uint32_t ranks = prediction.ranks(), batch = prediction.batch_per_device();
  const ScalingTime& anchor = *basis.anchor;
  ASSIGN_OR_RETURN(const EpochParts anchor_parts, AnchorParts(basis));
  ASSIGN_OR_RETURN(EpochParts parts, ModelParts(basis, ranks, ImagesPerRank(*basis.times, ranks), batch));
  TakeAlong(basis, anchor_parts, ranks, parts);
  FillNccl(basis, parts.steps, spec.confidence(), prediction);
  Estimate epoch = StepsSeconds(basis, batch, anchor_parts, parts);
  epoch.value += (parts.steps / anchor_parts.steps) * (anchor.epoch_seconds.value - anchor.step_seconds.value);
  const double run_to_run = spec.run_to_run_fraction() * epoch.value;
  epoch = epoch + Known(0, run_to_run * run_to_run);

  const double confidence = spec.confidence();
  const std::string from = absl::StrCat("from ", AnchorText(anchor));
  *prediction.mutable_epoch_seconds() =
      Modelled(epoch, confidence, absl::StrCat("compute + reducer + exposed + straggler + rest, ", from));
  *prediction.mutable_compute_seconds() = Modelled(parts.compute, confidence, "the step-time curve of one device");
  *prediction.mutable_overhead_seconds() =
      Modelled(parts.reducer + parts.rest, confidence, absl::StrCat("reducer and the rest ", from));
  *prediction.mutable_exposed_seconds() =
      anchor.buckets.empty() || basis.all_reduce->empty()
          ? Absent("no buckets or no all-reduce was measured: communication is in the overhead")
          : Modelled(
                parts.exposed, confidence,
                absl::StrCat("finish_k = max(ready_k, finish_{k-1}) + t(S_k), t by ", basis.all_reduce->Basis(ranks)));
  *prediction.mutable_straggler_seconds() =
      anchor.wait_seconds.has_value()
          ? Modelled(parts.straggler, confidence, absl::StrCat("E[max of N] * sigma a step, sigma ", from))
          : Absent("the waits between the anchor's ranks were not measured: they are in the overhead");
  *prediction.mutable_epoch_speedup() = single == nullptr
                                            ? Absent("one device was not timed at this batch")
                                            : Modelled(Ratio(single->epoch_seconds, epoch), confidence,
                                                       absl::StrCat("E_1(", batch, ")/E_", ranks, "(", batch, ")"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StepCurve> MakeStepCurve(const ScalingTimes& times, const proto::Acceptance& acceptance) {
  std::vector<OneDeviceEpoch> epochs;
  for (const ScalingTime& time : times.times) {
    if (time.ranks == 1) {
      epochs.push_back({time.batch, time.images_per_rank, time.step_seconds});
    }
  }
  return StepCurve::Make(epochs, times.tail, acceptance);
}

std::string WhySharedCpuDecidesNothing(const ScalingTimes& times, uint32_t measured_ranks, uint32_t ranks_per_host) {
  if (!times.ranks_share_a_host_cpu) {
    return "";
  }
  if (times.cpu_cores > 0 && ranks_per_host > times.cpu_cores) {
    return absl::StrCat(ranks_per_host, " ranks would share ", times.cpu_cores,
                        " cores, which runs with fewer ranks do not show; measure with at most as many ranks as cores");
  }
  return measured_ranks == 1 && ranks_per_host > 1
             ? "ranks on a CPU compete for memory and caches, so one does not predict several; run 2"
             : "";
}

ScalingTimes TimesForHosts(const ScalingTimes& times, uint32_t ranks_per_host) {
  return times.ranks_share_a_host_cpu ? UpTo(times, ranks_per_host) : times;
}

absl::Status CheckSharedCpu(const ScalingTimes& times, uint32_t devices_per_host, uint32_t max_devices) {
  const uint32_t ranks_per_host = std::min(devices_per_host, max_devices);
  uint32_t measured = 1;
  for (const ScalingTime& time : TimesForHosts(times, ranks_per_host).times) {
    measured = std::max(measured, time.ranks);
  }
  const std::string why = WhySharedCpuDecidesNothing(times, measured, ranks_per_host);
  return why.empty() ? absl::OkStatus()
                     : absl::InvalidArgumentError(absl::StrCat("--devices_per_host=", devices_per_host, ": ", why,
                                                               "; or give --devices_per_host=1, a CPU per rank"));
}

proto::Prediction RefusePrediction(const ScalingTimes& times, uint32_t ranks, uint32_t batch,
                                   const std::string& reason) {
  proto::Prediction prediction;
  prediction.set_source(times.source);
  prediction.set_ranks(ranks);
  prediction.set_batch_per_device(batch);
  FillNull(FindTime(times, 1, batch), prediction);
  return Refuse(prediction, reason);
}

proto::Prediction Predict(const ScalingTimes& times, const StepCurve& curve, const AllReduceTime& all_reduce,
                          const proto::ModelSpec& spec, uint32_t ranks, uint32_t batch) {
  proto::Prediction prediction;
  prediction.set_source(times.source);
  prediction.set_ranks(ranks);
  prediction.set_batch_per_device(batch);
  const ScalingTime* const single = FindTime(times, 1, batch);
  FillNull(single, prediction);
  const ScalingTime* const anchor = FindAnchor(times, ranks, batch);
  if (anchor == nullptr) {
    return Refuse(prediction, absl::StrCat("no run of ", ranks, " or fewer devices to start from"));
  }
  if (const std::string why = WhySharedCpuDecidesNothing(times, anchor->ranks, ranks); !why.empty()) {
    return Refuse(prediction, absl::StrCat(why, "; a CPU per rank is modelled by --what_if=", ranks,
                                           " --devices_per_host=1 with a link between hosts"));
  }
  const PartsBasis basis = {&times, &curve, &all_reduce, anchor, ReducerPerStep(times, anchor->batch)};
  if (anchor->ranks == 1 && ranks > 1 && (!basis.reducer_per_step.has_value() || all_reduce.empty())) {
    return Refuse(prediction,
                  absl::StrCat("only one device was run, and ",
                               basis.reducer_per_step.has_value() ? all_reduce.why_none() : "not through the reducer",
                               ": the added cost of several devices is not known; run 2"));
  }
  if (const absl::Status filled = Fill(basis, single, spec, prediction); !filled.ok()) {
    return Refuse(prediction, std::string(filled.message()));
  }
  return prediction;
}

ScalingTimes UpTo(const ScalingTimes& times, uint32_t max_ranks) {
  ScalingTimes kept = times;
  const auto above = [&](const auto& one) { return one.ranks > max_ranks; };
  kept.times.erase(std::remove_if(kept.times.begin(), kept.times.end(), above), kept.times.end());
  kept.probes.erase(std::remove_if(kept.probes.begin(), kept.probes.end(), above), kept.probes.end());
  return kept;
}

void ScorePrediction(const Estimate& measured, proto::Provenance provenance, proto::Prediction& prediction) {
  proto::Quantity& quantity = *prediction.mutable_measured_epoch_seconds();
  quantity.set_value(measured.value);
  quantity.set_provenance(provenance);
  quantity.set_method(provenance == proto::PUBLISHED ? "as published"
                                                     : "mean over timed epochs, data loading included");
  if (prediction.null_epoch_seconds().has_value()) {
    prediction.set_null_relative_error(prediction.null_epoch_seconds().value() / measured.value - 1);
  }
  const proto::Quantity& predicted = prediction.epoch_seconds();
  if (predicted.has_value()) {
    prediction.set_relative_error(predicted.value() / measured.value - 1);
    if (!predicted.has_low()) {
      return;
    }
    prediction.set_inside_interval(predicted.low() <= measured.value && measured.value <= predicted.high());
  }
}

}  // namespace lockstep
