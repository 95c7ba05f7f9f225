#include <string>

#include "absl/strings/str_cat.h"
#include "lib/comm_model/model_records.h"
#include "lib/prediction/epoch_parts.h"
#include "lib/prediction/predict.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

proto::StepTimeModel Describe(const ScalingTimes& times, const proto::ModelSpec& spec) {
  proto::StepTimeModel model;
  model.set_source(times.source);
  const absl::StatusOr<StepCurve> curve = MakeStepCurve(times, spec.step_time());
  if (!curve.ok()) {
    model.set_why_rejected(std::string(curve.status().message()));
    return model;
  }
  for (const auto& [batch, seconds] : curve->steps()) {
    proto::StepTimePoint& point = *model.add_point();
    point.set_batch(static_cast<uint32_t>(batch));
    *point.mutable_step_seconds() = Modelled(seconds, spec.confidence(), "epoch without its tail / whole steps");
    point.mutable_step_seconds()->set_provenance(proto::DERIVED);
    if (const std::optional<double> left_out = curve->LeftOutSeconds(batch)) {
      point.set_left_out_step_seconds(*left_out);
    }
  }
  *model.mutable_score() = curve->score();
  model.set_why_rejected(curve->rejected());
  model.set_accepted(model.why_rejected().empty());
  return model;
}

proto::Quantity ModelledExposed(const ScalingTimes& times, const AllReduceTime& all_reduce, double confidence,
                                const proto::ScalingRow& row) {
  const ScalingTime* const time = FindTime(times, row.ranks(), row.batch_per_device());
  if (time == nullptr || time->buckets.empty()) {
    return Absent("no buckets were measured");
  }
  if (const auto seconds = all_reduce.Seconds(row.ranks(), time->buckets.back().size_bytes); !seconds.ok()) {
    return Absent(seconds.status().message());
  }
  const PartsBasis basis = {&times, nullptr, &all_reduce, time, std::nullopt};
  return Modelled(row.steps_per_epoch().value() * ExposedPerStep(basis, row.ranks(), 1), confidence,
                  absl::StrCat("finish_k = max(ready_k, finish_{k-1}) + t(S_k), t by ", all_reduce.Basis(row.ranks())));
}

}  // namespace

std::vector<proto::StepTimeModel> DescribeStepTimes(const std::vector<ScalingTimes>& all,
                                                    const proto::ModelSpec& spec) {
  std::vector<proto::StepTimeModel> models;
  for (const ScalingTimes& times : all) {
    models.push_back(Describe(times, spec));
  }
  return models;
}

void FillModelledExposed(const ScalingTimes& times, const std::vector<AllReduceCurve>& curves, double confidence,
                         std::vector<proto::ScalingRow>& rows) {
  const AllReduceTime all_reduce(CurvesFor(times, curves), times.probes, "no all-reduce was timed", SendingOf(times));
  for (proto::ScalingRow& row : rows) {
    *row.mutable_modelled_exposed_seconds() = row.ranks() == 1 ? Absent("the base case: one device sends nothing")
                                                               : ModelledExposed(times, all_reduce, confidence, row);
  }
}

}  // namespace lockstep
