// Predicts epochs that were not run, from those that were: lib/proto/comm_model.proto, Prediction.
//
// The steps of an epoch of N devices at batch B take
//   compute:   the one-device step-time curve (step_curve.h) over the rank's images, tail and all
//   reducer:   what the reducer costs on one device, where that was measured
//   exposed:   what the overlap of buckets with backward leaves (overlap.h)
//   straggler: E[max of N] * sigma a step (order_statistics.h); sigma from the time that ranks wait in collectives
//   the rest:  what the anchor took beyond these four, taken along step by step
// The anchor is the run of the most devices, M <= N, at batch B or, where several devices never ran it, at the batch
// nearest to it. The rest's cause is not known: it may vanish with more devices or grow like a straggler's, so that its
// interval is that of a range from 0 to E[max of N]/E[max of M] times itself. Data loading keeps its time per step.
// From one device alone a prediction is made only where the reducer's cost was measured on it, and not on a CPU, which
// ranks share; the rest is then 0, with kUnseenRest for its interval.
#ifndef LOCKSTEP_LIB_PREDICTION_PREDICT_H_
#define LOCKSTEP_LIB_PREDICTION_PREDICT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "lib/prediction/all_reduce_time.h"
#include "lib/prediction/scaling_times.h"
#include "lib/prediction/step_curve.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// What several devices add to a step beyond reducer and exposed communication, as a fraction of it, where no run of
// several has shown it: one standard deviation. On two H200 it is 0.5, 1.9 and 0.4 % at batch 32, 128 and 512
// (benchmarks/results/2026-11-21-h200x4-fp32).
inline constexpr double kUnseenRest = 0.02;

// The one-device points of `times` as a curve, judged by `acceptance`. InvalidArgument: there are none, or they
// contradict each other.
absl::StatusOr<StepCurve> MakeStepCurve(const ScalingTimes& times, const proto::Acceptance& acceptance);

// One epoch. A prediction that can not be made has `refused` set and its quantities absent, with the reason.
proto::Prediction Predict(const ScalingTimes& times, const StepCurve& curve, const AllReduceTime& all_reduce,
                          const proto::ModelSpec& spec, uint32_t ranks, uint32_t batch);

// The refusal by itself, for times that have no curve.
proto::Prediction RefusePrediction(const ScalingTimes& times, uint32_t ranks, uint32_t batch,
                                   const std::string& reason);

// The points of `times` with at most `most_ranks` devices: the others are held out.
ScalingTimes UpTo(const ScalingTimes& times, uint32_t most_ranks);

// Sets what was measured, by us or by a document, beside what was predicted, and whether the interval held it.
void ScorePrediction(const Estimate& measured_epoch_seconds, proto::Provenance provenance,
                     proto::Prediction& prediction);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_PREDICT_H_
