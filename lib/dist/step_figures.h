// What the steps of a point spent on communication: kept by each rank, and compared step by step over the ranks. Knows
// nothing of LibTorch.
#ifndef LOCKSTEP_LIB_DIST_STEP_FIGURES_H_
#define LOCKSTEP_LIB_DIST_STEP_FIGURES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/dist/overlap_timing.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Count, mean, deviation and percentiles; `reason` when there is none.
proto::StepSpread SpreadOfSteps(std::vector<double> seconds, const std::string& reason);

// `sent`: as SummaryOf.
void AddToTrace(const std::vector<StepSummary>& steps, bool sent, proto::StepTrace& trace);

// And back: nothing exposed or busy where nothing was sent.
std::vector<StepSummary> StepsOf(const proto::StepTrace& trace);

// The means of a trace; what it does not know (step, forward, update, wait) is left to the caller.
proto::StepMeans MeansOf(const proto::StepTrace& trace);

// Compares the ranks' traces: points[r] is rank r's answer, with one RankFacts and a step_trace. `merged` is their
// merged point, with the ranks' facts in order, and gets step_figures (source and perturbation stay rank 0's),
// collective_wait_seconds, and each rank's wait and how often it came last. A point without traces has none of them.
// Internal: traces of different lengths, or that are not whole epochs.
absl::Status MergeSteps(const std::vector<proto::ScalePoint>& points, proto::ScalePoint& merged);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_STEP_FIGURES_H_
