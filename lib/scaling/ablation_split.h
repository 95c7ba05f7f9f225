// Breakdown of the time that a run without all-reduces saves (ablation). That saving is one measure of exposed
// communication. The other is by events: from the end of backward to the end of the last all-reduce. They differ by the
// cost of all-reduces elsewhere. Above all, backward takes longer while all-reduces run, for three reasons: launches,
// multiprocessors and memory that both share, and the multiprocessors that the fused step reserves for
// all-reduces.
#ifndef LOCKSTEP_LIB_SCALING_ABLATION_SPLIT_H_
#define LOCKSTEP_LIB_SCALING_ABLATION_SPLIT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Seconds per step, means over steps and ranks:
//   ablation = exposed + contention + forward + update + rest
struct AblationSplit {
  double ablation_seconds = 0;  // time by which a step is shorter without all-reduces
  double exposed_seconds = 0;   // exposed time by events; ScalePoint.exposed_seconds is that of the rank with the most
  double contention_seconds = 0;  // time by which backward is shorter without all-reduces
  double forward_seconds = 0;     // time by which forward is shorter; update_seconds: the same for the update
  double update_seconds = 0;
  double rest_seconds = 0;  // all other time of a step: see StepMeans
  // Part of the contention that one device with the reducer, which sends nothing, has too. Computed from medians of
  // steps, because an epoch on one device has another share of shorter last steps.
  std::optional<double> alone_seconds;
};

// Splits the saving into its parts. `reduced` and `ablated` must be the same point with and without all-reduces.
// `alone` must be one device with the same reducer at the same batch per device; null if there is no such point with
// step_figures. NotFound: a point without step_means of every rank.
absl::StatusOr<AblationSplit> SplitAblation(const proto::ScalePoint& reduced, const proto::ScalePoint& ablated,
                                            const proto::ScalePoint* alone);

// Returns for example "without all-reduces a step is 182.3 us shorter: 68.4 exposed (by events, mean of the ranks),
// 111.0 backward (58.2 on one rank, too), ...".
std::string AblationText(const AblationSplit& split);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_ABLATION_SPLIT_H_
