#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/comm_model/model_records.h"
#include "lib/prediction/predict.h"
#include "lib/scaling/scale_parts.h"

namespace lockstep {
namespace {

std::set<uint32_t> BatchesOf(const ScalingTimes& times) {
  std::set<uint32_t> batches;
  for (const ScalingTime& time : times.times) {
    batches.insert(time.batch);
  }
  return batches;
}

constexpr uint32_t kMicroBenchmarkRanks = 2;

std::vector<AllReduceCurve> CurvesUpTo(std::vector<AllReduceCurve> curves, uint32_t max_ranks) {
  curves.erase(std::remove_if(curves.begin(), curves.end(),
                              [&](const AllReduceCurve& curve) { return curve.ranks > max_ranks; }),
               curves.end());
  return curves;
}

// Returns why no all-reduce of a run of `times` is known, if none is.
std::string WhyNoCurve(const CommModelInputs& inputs, const ScalingTimes& times,
                       const std::vector<AllReduceCurve>& curves) {
  if (inputs.all_reduces.empty()) {
    return "no all-reduce was timed";
  }
  // Fits of other all-reduces were accepted, so this one names those of the run.
  const std::string like_the_run = curves.empty() ? ""
                                                  : absl::StrCat(times.gpu_path == GpuPath::kNccl ? " over NCCL" : "",
                                                                 RanOverHosts(times) ? "" : " on one host");
  return absl::StrCat("no fit to the timed all-reduces", like_the_run, " was accepted (--model_spec sets the limits)");
}

// Models of one input.
class Predictor {
 public:
  Predictor(const ScalingTimes& all, uint32_t fit_ranks, const std::vector<AllReduceCurve>& curves,
            const std::string& why_no_curve, const proto::ModelSpec& spec)
      : times_(UpTo(all, fit_ranks)), curve_(MakeStepCurve(times_, spec.step_time())),
        all_reduce_(CurvesUpTo(CurvesFor(all, curves), std::max(fit_ranks, kMicroBenchmarkRanks)),
                    UpTo(all, std::max(fit_ranks, kMicroBenchmarkRanks)).probes, why_no_curve, SendingOf(all)),
        spec_(spec) {}

  proto::Prediction At(uint32_t ranks, uint32_t batch) const {
    if (!curve_.ok()) {
      return RefusePrediction(times_, ranks, batch, std::string(curve_.status().message()));
    }
    return Predict(times_, *curve_, all_reduce_, spec_, ranks, batch);
  }

 private:
  const ScalingTimes times_;
  const absl::StatusOr<StepCurve> curve_;
  const AllReduceTime all_reduce_;
  const proto::ModelSpec& spec_;
};

void PredictHidden(const ScalingTimes& all, uint32_t fit_ranks, const Predictor& predictor,
                   std::vector<proto::Prediction>& predictions) {
  for (const ScalingTime& time : all.times) {
    if (time.ranks > fit_ranks) {
      predictions.push_back(predictor.At(time.ranks, time.batch));
      ScorePrediction(time.epoch_seconds, all.provenance, predictions.back());
    }
  }
}

void PredictAsked(const CommModelOptions& options, const ScalingTimes& all, const Predictor& predictor,
                  std::vector<proto::Prediction>& predictions) {
  const std::set<uint32_t> batches =
      options.predict_batches.empty()
          ? BatchesOf(all)
          : std::set<uint32_t>(options.predict_batches.begin(), options.predict_batches.end());
  for (const uint32_t ranks : options.predict_ranks) {
    for (const uint32_t batch : batches) {
      predictions.push_back(predictor.At(ranks, batch));
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<ScalingTimes>> AllTimes(const CommModelInputs& inputs) {
  const double run_to_run = inputs.model_spec.run_to_run_fraction();
  std::vector<ScalingTimes> all;
  if (inputs.scale.has_value()) {
    ASSIGN_OR_RETURN(const std::vector<ScaleRecords> parts, SplitScaleRecords(*inputs.scale));
    for (const ScaleRecords& part : parts) {
      if (FindSpec(part)->mode() == proto::DP) {
        continue;  // these models predict an all-reduce
      }
      ASSIGN_OR_RETURN(ScalingTimes times,
                       TimesOfRecords(part, inputs.sweep.has_value() ? &*inputs.sweep : nullptr, run_to_run));
      all.push_back(std::move(times));
    }
  }
  for (const PublishedFile& file : inputs.times) {
    ASSIGN_OR_RETURN(std::vector<ScalingTimes> tables, TimesOfTables(file.tables, run_to_run));
    all.insert(all.end(), tables.begin(), tables.end());
  }
  return all;
}

std::vector<proto::Prediction> MakePredictions(const CommModelOptions& options, const CommModelInputs& inputs,
                                               const std::vector<ScalingTimes>& all,
                                               const std::vector<AllReduceCurve>& curves) {
  std::vector<proto::Prediction> predictions;
  const uint32_t shown = options.fit_ranks > 0 ? options.fit_ranks : std::numeric_limits<uint32_t>::max();
  for (const ScalingTimes& times : all) {
    const Predictor predictor(times, shown, curves, WhyNoCurve(inputs, times, curves), inputs.model_spec);
    PredictHidden(times, shown, predictor, predictions);
    PredictAsked(options, times, predictor, predictions);
  }
  return predictions;
}

}  // namespace lockstep
