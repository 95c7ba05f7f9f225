// Compares earlier predictions with a run (--score).
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/comm_model/model_records.h"
#include "lib/prediction/exchange_cost.h"
#include "lib/prediction/predict.h"
#include "lib/prediction/what_if.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

// Returns a time of one step as a time of an epoch of `steps` steps.
proto::Quantity PerEpoch(const proto::Quantity& step, double steps) {
  if (!step.has_value()) {
    return Absent(step.absent_reason().empty() ? "made by an earlier version" : step.absent_reason());
  }
  const double low = steps * step.low(), high = steps * step.high(), value = steps * step.value();
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(value)) {
    return Absent("the row's epoch is no number of its steps");
  }
  proto::Quantity epoch = step;
  epoch.set_value(value);
  epoch.set_method(absl::StrCat(step.method(), "; times the steps of the epoch"));
  if (step.has_low()) {
    epoch.set_low(low);
  }
  if (step.has_high()) {
    epoch.set_high(high);
  }
  return epoch;
}

// Returns T_1/N, where T_1 is modelled like the row's own epoch.
proto::Quantity NullSeconds(const proto::WhatIfRow& row, double confidence) {
  if (!row.epoch_seconds().has_value() || !row.speedup().has_value()) {
    return Absent("the row has no epoch or no speed-up");
  }
  return Modelled(Known(row.epoch_seconds().value() * row.speedup().value() / row.devices()), confidence,
                  "the null model: T_1/N, T_1 modelled as whole steps");
}

// Returns a row of --what_if as the prediction of an epoch.
proto::Prediction PredictionOf(const proto::WhatIfRow& row, const std::string& source, double confidence) {
  proto::Prediction prediction;
  prediction.set_source(source);
  prediction.set_ranks(row.devices());
  prediction.set_batch_per_device(row.batch_per_device());
  prediction.set_hosts(row.hosts());
  prediction.set_exchange(row.exchange());
  *prediction.mutable_epoch_seconds() = row.epoch_seconds();
  *prediction.mutable_epoch_speedup() = row.speedup();
  *prediction.mutable_null_epoch_seconds() = NullSeconds(row, confidence);
  const double steps = row.epoch_seconds().value() / row.step_seconds().value();
  *prediction.mutable_compute_seconds() = PerEpoch(row.device_step_seconds(), steps);
  *prediction.mutable_overhead_seconds() = PerEpoch(row.overhead_seconds(), steps);
  *prediction.mutable_exposed_seconds() = PerEpoch(row.exposed_seconds(), steps);
  *prediction.mutable_straggler_seconds() = PerEpoch(row.straggler_seconds(), steps);
  *prediction.mutable_nccl_exposed_seconds() = Absent("NCCL's static model has no link as given to --what_if");
  return prediction;
}

bool IsAnsweredBy(const proto::Prediction& prediction, const ScalingTime& time) {
  if (time.ranks != prediction.ranks() || time.batch != prediction.batch_per_device()) {
    return false;
  }
  if (prediction.hosts() == 0) {
    return true;  // a prediction of --predict_ranks, which knows no hosts
  }
  return time.hosts == prediction.hosts() && (time.hosts == 1 || prediction.exchange() == ExchangeName(time.exchange));
}

// Returns "4 devices of 2 hosts, flat, batch 32" or, for a prediction of --predict_ranks, "4 devices, batch 32".
std::string PointText(uint32_t devices, const std::string& hosts_and_exchange, uint32_t batch) {
  return absl::StrCat(devices, devices == 1 ? " device" : " devices", hosts_and_exchange, ", batch ", batch);
}

std::string PointText(const proto::Prediction& prediction) {
  const uint32_t hosts = prediction.hosts();
  return PointText(prediction.ranks(),
                   hosts == 0   ? ""
                   : hosts == 1 ? " of one host"
                                : absl::StrCat(" of ", hosts, " hosts, ",
                                               prediction.exchange().empty() ? "exchange not stored (earlier version)"
                                                                             : prediction.exchange()),
                   prediction.batch_per_device());
}

std::string PointText(const ScalingTime& time) {
  return PointText(time.ranks,
                   time.hosts == 0   ? " of unequal or unknown hosts"
                   : time.hosts == 1 ? " of one host"
                                     : absl::StrCat(" of ", time.hosts, " hosts, ", ExchangeName(time.exchange)),
                   time.batch);
}

// Returns the texts of different points, at most 8 of them.
template <typename Point>
std::string PointsText(const std::vector<Point>& points) {
  constexpr size_t kMaxShown = 8;
  std::vector<std::string> texts;
  for (const Point& point : points) {
    if (std::string text = PointText(point); std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(std::move(text));
    }
  }
  const size_t shown = std::min(texts.size(), kMaxShown), more = texts.size() - shown;
  return absl::StrCat(texts.empty() ? "nothing" : absl::StrJoin(texts.begin(), texts.begin() + shown, "; "),
                      more == 0 ? "" : absl::StrCat("; and ", more, " more"));
}

// Returns the predictions of the earlier record that have not been compared with a run. Of --what_if, these are the
// rows of the cluster as given: a run is made with the buckets and gradients of the record, not with those of a
// variant.
std::vector<proto::Prediction> Comparable(const RecordFile<proto::CommModelRecord>& earlier, double confidence) {
  const int inputs = earlier.header.input_size();
  const std::string source = inputs == 0 ? earlier.input.path()
                                         : absl::StrCat(earlier.header.input(0).path(),
                                                        inputs > 1 ? absl::StrCat(" and ", inputs - 1, " more") : "");
  std::vector<proto::Prediction> predictions;
  for (const proto::CommModelRecord& record : earlier.records) {
    if (record.has_prediction() && !record.prediction().measured_epoch_seconds().has_value()) {
      predictions.push_back(record.prediction());
    }
    if (record.has_what_if() && record.what_if().variant() == Variant().name && record.what_if().hosts() > 0) {
      predictions.push_back(PredictionOf(record.what_if(), source, confidence));
    }
  }
  return predictions;
}

// Returns true if the run's record names the earlier record by its digest, which proves that the prediction came first.
bool NamedByRun(const CommModelInputs& inputs) {
  const auto& named = inputs.scale->header.input();
  return std::any_of(named.begin(), named.end(), [&](const proto::Input& input) {
    return !input.sha256().empty() && input.sha256() == inputs.scored->input.sha256();
  });
}

}  // namespace

absl::StatusOr<std::vector<proto::Prediction>> ScoreEarlier(const CommModelInputs& inputs,
                                                            const std::vector<ScalingTimes>& all) {
  std::vector<proto::Prediction> scores;
  if (!inputs.scored.has_value()) {
    return scores;
  }
  const ScalingTimes& run = all[0];
  const bool before = NamedByRun(inputs);
  const std::vector<proto::Prediction> predictions = Comparable(*inputs.scored, inputs.model_spec.confidence());
  for (const proto::Prediction& prediction : predictions) {
    for (const ScalingTime& time : run.times) {
      if (IsAnsweredBy(prediction, time)) {
        proto::Prediction& score = scores.emplace_back(prediction);
        score.set_made_before_run(before);
        ScorePrediction(time.epoch_seconds, run.provenance, score);
      }
    }
  }
  if (scores.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("--score=", inputs.scored->input.path(), ": expected a prediction for a point of ", run.source,
                     " (", PointsText(run.times), "), found ", PointsText(predictions),
                     "; predict such a point by --predict_ranks, or by --what_if if there are several hosts"));
  }
  return scores;
}

}  // namespace lockstep
