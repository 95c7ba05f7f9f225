// Predicts epochs that were not run, from those that were: lib/proto/comm_model.proto, Prediction.
//
// The steps of an epoch of N devices at batch B take
//   compute:   the one-device step-time curve (step_curve.h) over the rank's images, including the tail
//   reducer:   the cost of the reducer on one device, if it was measured
//   exposed:   the communication that backward does not hide (overlap.h)
//   straggler: E[max of N] * sigma per step (order_statistics.h); sigma from the time that ranks wait in collectives
//   the rest:  the anchor's time beyond these four, carried over step by step
// The anchor is the run of the most devices, M <= N, at batch B or, if several devices never ran it, at the nearest
// batch. The rest's cause is not known: it may vanish with more devices or grow like a straggler's time, so its
// interval is that of a range from 0 to E[max of N]/E[max of M] times itself. Data loading keeps its time per step. A
// prediction from one device alone is made only if the reducer's cost was measured on it, and not on a CPU, which ranks
// share; the rest is then 0, with kUnseenRest as its uncertainty.
#ifndef LOCKSTEP_LIB_PREDICTION_PREDICT_H_
#define LOCKSTEP_LIB_PREDICTION_PREDICT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/prediction/all_reduce_time.h"
#include "lib/prediction/scaling_times.h"
#include "lib/prediction/step_curve.h"
#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Time that several devices add to a step beyond reducer and exposed communication, as a fraction of the step, if no
// run of several devices shows it: one standard deviation. On two H200s it is 0.5, 1.9 and 0.4 % at batch 32, 128 and
// 512 (benchmarks/results/2026-11-21-h200x4-fp32).
inline constexpr double kUnseenRest = 0.02;

// Makes a curve of the one-device points of `times`, judged by `acceptance`. InvalidArgument: there are no such points,
// or they contradict each other.
absl::StatusOr<StepCurve> MakeStepCurve(const ScalingTimes& times, const proto::Acceptance& acceptance);

// Predicts one epoch. A prediction that cannot be made has `refused` set and its quantities absent, with the reason.
proto::Prediction Predict(const ScalingTimes& times, const StepCurve& curve, const AllReduceTime& all_reduce,
                          const proto::ModelSpec& spec, uint32_t ranks, uint32_t batch);

// Returns the reason why times of up to `measured_ranks` ranks on one CPU do not predict `ranks_per_host` ranks on it:
// more ranks than cores, or several ranks after runs of one. Empty if they do, or if the ranks do not share a CPU.
std::string WhySharedCpuDecidesNothing(const ScalingTimes& times, uint32_t measured_ranks, uint32_t ranks_per_host);

// Returns the times from which a model of hosts with `ranks_per_host` ranks starts. If ranks share a CPU, these are the
// times of runs with at most so many ranks, because each further rank slows the others down. Otherwise all times.
ScalingTimes TimesForHosts(const ScalingTimes& times, uint32_t ranks_per_host);

// Returns InvalidArgumentError if up to `max_devices` devices of --what_if, `devices_per_host` on each host, would
// share a CPU in a way that TimesForHosts does not show, by the rule above. A host with one device is never refused.
absl::Status CheckSharedCpu(const ScalingTimes& times, uint32_t devices_per_host, uint32_t max_devices);

// Returns a refused prediction, for times without a curve.
proto::Prediction RefusePrediction(const ScalingTimes& times, uint32_t ranks, uint32_t batch,
                                   const std::string& reason);

// Returns the points of `times` with at most `max_ranks` devices: the others are held out.
ScalingTimes UpTo(const ScalingTimes& times, uint32_t max_ranks);

// Adds the measured or published time to a prediction, and whether the interval contains that time.
void ScorePrediction(const Estimate& measured_epoch_seconds, proto::Provenance provenance,
                     proto::Prediction& prediction);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_PREDICT_H_
