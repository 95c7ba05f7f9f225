// Communication times of the steps of a point: kept by each rank, and compared step by step over the ranks. Does not
// depend on LibTorch.
#ifndef LOCKSTEP_LIB_SCALE_RUN_STEP_FIGURES_H_
#define LOCKSTEP_LIB_SCALE_RUN_STEP_FIGURES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/proto/scale.pb.h"
#include "lib/reducer/overlap_timing.h"

namespace lockstep {

// Returns count, mean, deviation and percentiles; sets absent_reason to `reason` if `seconds` is empty.
proto::StepSpread SpreadOfSteps(std::vector<double> seconds, const std::string& reason);

// Appends the steps to a trace.
void AddToTrace(const std::vector<StepSummary>& steps, AllReduces all_reduces, proto::StepTrace& trace);

// Returns the steps of a trace; exposed and busy are 0 if nothing was sent.
std::vector<StepSummary> StepsOf(const proto::StepTrace& trace);

// Returns the means of a trace. The caller must set the means that a trace lacks (step, forward, update, wait).
proto::StepMeans MeansOf(const proto::StepTrace& trace);

// Compares the ranks' traces. points[r] must be the answer of rank r, with one RankFacts and a step_trace. `merged`
// must be their merged point, with the ranks' facts in order. Sets its step_figures (source and perturbation stay rank
// 0's), collective_wait_seconds, and for each rank its wait and how often it came last. Sets none of these for a point
// without traces. Internal: traces of different lengths, or of an incomplete epoch.
absl::Status MergeSteps(const std::vector<proto::ScalePoint>& points, proto::ScalePoint& merged);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_STEP_FIGURES_H_
