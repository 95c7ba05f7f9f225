// How long an all-reduce takes on N devices, from what was measured on these or on fewer.
#ifndef LOCKSTEP_LIB_PREDICTION_ALL_REDUCE_TIME_H_
#define LOCKSTEP_LIB_PREDICTION_ALL_REDUCE_TIME_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/prediction/estimate.h"
#include "lib/prediction/scaling_times.h"

namespace lockstep {

// An accepted fit: seconds over bytes, an error where it does not reach.
struct AllReduceCurve {
  uint32_t ranks = 0;
  std::function<absl::StatusOr<Estimate>(double size_bytes)> seconds;
};

// How the ranks of a run send their gradients. What is measured is an all-reduce whose ranks send as those of a ring do.
enum class Sending {
  kRing,         // 2(N-1)/N of the bytes by each rank
  kWholeCopies,  // N-1 times the bytes: all of them to every other rank
};

inline Sending SendingOf(const ScalingTimes& times) {
  return times.whole_copies ? Sending::kWholeCopies : Sending::kRing;
}

// Fits and single measurements of one kind of device, and the rules that join them:
//     1. An accepted fit of these very ranks is taken;
//     2. else a measured time of these ranks at one size, its share by bytes for another size;
//     3. else the nearest fewer ranks that have either, times the ring's ratio: 2(N-1) messages of S/N bytes against
//        2(M-1) of S/M. What such a step adds to the uncertainty is the range from no change to that ratio;
//     4. else, where whole copies are sent, that, times what they are of the bytes of a ring.
class AllReduceTime {
 public:
  // why_none: what a refused prediction says of there being neither.
  AllReduceTime(std::vector<AllReduceCurve> curves, std::vector<ProbeTime> probes,
                std::string why_none = "no all-reduce was timed", Sending sending = Sending::kRing);

  // Nothing was measured: every time is unknown.
  bool empty() const { return curves_.empty() && probes_.empty(); }
  const std::string& why_none() const { return why_none_; }

  // Seconds of one all-reduce of `size_bytes` on `ranks` devices; 0 on one. NotFound: no measurement of 2 to `ranks`
  // ranks.
  absl::StatusOr<Estimate> Seconds(uint32_t ranks, double size_bytes) const;

  // What `Seconds` is made from: "a fit of 2 ranks", for the method of a number.
  std::string Basis(uint32_t ranks) const;

 private:
  std::vector<AllReduceCurve> curves_;  // in order of ranks
  std::vector<ProbeTime> probes_;       // in order of ranks
  std::string why_none_;
  Sending sending_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_ALL_REDUCE_TIME_H_
