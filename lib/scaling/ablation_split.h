// Where the time goes that a run without all-reduces saves. That saving is one measure of exposed communication; the
// other is by events, from backward's end to the last all-reduce's. They differ by what all-reduces cost elsewhere: above
// all backward is longer beside them, because of launches, of multiprocessors and memory that they share, and of those
// that the hand-written step leaves free for them.
#ifndef LOCKSTEP_LIB_SCALING_ABLATION_SPLIT_H_
#define LOCKSTEP_LIB_SCALING_ABLATION_SPLIT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Seconds a step, means over steps and ranks:
//   ablation = exposed + contention + forward + update + rest
struct AblationSplit {
  double ablation_seconds = 0;    // a step is shorter by so much without all-reduces
  double exposed_seconds = 0;     // by events; ScalePoint.exposed_seconds is of the rank with the most
  double contention_seconds = 0;  // of backward, without all-reduces
  double forward_seconds = 0;     // likewise, as the next
  double update_seconds = 0;
  double rest_seconds = 0;  // of what none of these names: see StepMeans
  // The part of contention that one device with the reducer has, too, which sends nothing. By medians of steps, since its epoch has
  // another share of shorter last steps.
  std::optional<double> alone_seconds;
};

// `reduced` and `ablated`: the same point with all-reduces and without. `alone`: one device through the same reducer at
// the same batch per device; null: there is none, or none with step_figures. NotFound: a point without step_means of
// every rank.
absl::StatusOr<AblationSplit> SplitAblation(const proto::ScalePoint& reduced, const proto::ScalePoint& ablated,
                                            const proto::ScalePoint* alone);

// "without all-reduces a step is 182.3 us shorter: 68.4 exposed (by events, mean of the ranks), 111.0 of backward (58.2 on
// one rank, too), ...".
std::string AblationText(const AblationSplit& split);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_ABLATION_SPLIT_H_
