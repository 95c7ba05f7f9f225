#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/comm_model/model_records.h"
#include "lib/scaling/scaling_laws.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

// Groups the points by batch. If there are several batches, key 0 holds all their points.
std::map<uint32_t, std::vector<ScalingPoint>> PointsOf(const ScalingTimes& times) {
  std::map<uint32_t, std::vector<ScalingPoint>> points;
  std::vector<ScalingPoint> all;
  for (const ScalingTime& time : times.times) {
    const double images = static_cast<double>(time.images_per_rank) * time.ranks;
    const double throughput = images / time.epoch_seconds.value;
    if (throughput > 0 && std::isfinite(throughput)) {
      all.push_back({time.ranks, time.batch, {throughput}});
      points[time.batch].push_back(all.back());
    }
  }
  // A batch measured on one number of devices alone gives no information on scaling.
  for (auto batch = points.begin(); batch != points.end();) {
    batch = batch->second.size() < 2 ? points.erase(batch) : std::next(batch);
  }
  if (points.size() > 1) {
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& point) { return points.count(point.batch) == 0; }),
              all.end());
    points[0] = std::move(all);
  }
  return points;
}

proto::Quantity ParameterQuantity(const FittedParameter& parameter, double confidence) {
  return Modelled(parameter.value, parameter.interval, confidence, "least squares in logarithms, at least 0");
}

void AddParameter(const std::string& name, const FittedParameter& parameter, double confidence,
                  proto::ScalingLawFit& record) {
  proto::NamedQuantity& named = *record.add_parameter();
  named.set_name(name);
  *named.mutable_quantity() = ParameterQuantity(parameter, confidence);
}

proto::LeaveOneOut ScoreOf(const ScalingLawFit& fit) {
  proto::LeaveOneOut score;
  score.set_points(static_cast<uint32_t>(fit.left_out.size()));
  score.set_median_error(fit.median_relative_error.value_or(0));
  score.set_worst_error(fit.worst_relative_error.value_or(0));
  for (const LeftOutPoint& point : fit.left_out) {
    if (std::abs(point.relative_error) >= score.worst_error()) {
      score.set_worst_point(absl::StrCat(point.ranks, " devices at batch ", point.batch));
    }
  }
  return score;
}

proto::ScalingLawFit LawRecord(const ScalingLawFit& fit, size_t points) {
  proto::ScalingLawFit record;
  record.set_law(std::string(ScalingLawName(fit.law)));
  record.set_points(static_cast<uint32_t>(points));
  record.set_degrees_of_freedom(fit.degrees_of_freedom);
  *record.mutable_score() = ScoreOf(fit);
  for (const auto& [batch, one_device] : fit.one_device) {
    AddParameter(absl::StrCat("images/s of one device at batch ", batch), one_device, fit.confidence, record);
  }
  AddParameter("serial fraction a", fit.serial, fit.confidence, record);
  if (ShapeCount(fit.law) > 1) {
    AddParameter("coherency b", fit.coherency, fit.confidence, record);
  }
  *record.mutable_peak_devices() =
      fit.peak_ranks.has_value()
          ? ParameterQuantity(*fit.peak_ranks, fit.confidence)
          : Absent(ShapeCount(fit.law) > 1 ? "b is 0: the law has no peak" : "the law has no peak");
  if (fit.degrees_of_freedom == 0) {
    record.set_refused("0 degrees of freedom: as many parameters as points, so the error is not known");
  }
  return record;
}

void Append(const std::vector<ScalingPoint>& points, uint32_t batch, const std::string& source, double confidence,
            std::vector<proto::ScalingLawFit>& records) {
  const absl::StatusOr<ScalingLawComparison> comparison = CompareScalingLaws(points, confidence);
  if (!comparison.ok()) {
    return;  // an invalid time; the row of the point itself reports it
  }
  for (const ScalingLawFit& fit : comparison->fits) {
    records.push_back(LawRecord(fit, points.size()));
    records.back().set_batch_per_device(batch);
    records.back().set_source(source);
  }
  for (const std::string& missing : comparison->missing) {
    proto::ScalingLawFit& record = records.emplace_back();
    const size_t colon = missing.find(':');
    record.set_law(missing.substr(0, colon));
    record.set_batch_per_device(batch);
    record.set_source(source);
    record.set_points(static_cast<uint32_t>(points.size()));
    record.set_refused(colon == std::string::npos ? missing : missing.substr(colon + 2));
    *record.mutable_peak_devices() = Absent("not fitted");
  }
}

}  // namespace

absl::StatusOr<std::vector<proto::ScalingLawFit>> FitLaws(const std::vector<ScalingTimes>& all, double confidence) {
  std::vector<proto::ScalingLawFit> records;
  for (const ScalingTimes& times : all) {
    for (const auto& [batch, points] : PointsOf(times)) {
      Append(points, batch, times.source, confidence, records);
    }
  }
  return records;
}

}  // namespace lockstep
