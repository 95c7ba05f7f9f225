// Time of an all-reduce on N devices, from measurements on N or fewer devices.
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

// Accepted fit: returns the seconds for a size, or an error outside its range.
struct AllReduceCurve {
  uint32_t ranks = 0;
  std::function<absl::StatusOr<Estimate>(double size_bytes)> seconds;
  bool by_peers = false;    // through the memory of a host's GPUs, not over NCCL, Gloo or shared memory
  bool over_hosts = false;  // the ranks were on several hosts
};

// Returns the curve of each number of ranks, sorted, that a run like those of `times` would get: a curve over hosts
// only if they ran over hosts, and one through peer memory only if their GPUs use it. Where there is no such curve, a
// run over hosts gets that of one host, and a run through peer memory that of NCCL.
std::vector<AllReduceCurve> CurvesFor(const ScalingTimes& times, const std::vector<AllReduceCurve>& curves);

// Pattern in which the ranks of a run send their gradients. The measured all-reduces send like a ring.
enum class Sending {
  kRing,         // 2(N-1)/N of the gradient's bytes per rank
  kWholeCopies,  // N-1 times the gradient's bytes: all of them to every other rank
};

inline Sending SendingOf(const ScalingTimes& times) {
  return times.whole_copies ? Sending::kWholeCopies : Sending::kRing;
}

// Combines fits and single measurements of one kind of device by these rules:
//     1. An accepted fit of the same number of ranks is used.
//     2. Otherwise a measured time of the same number of ranks is used; for another size, it is scaled by the bytes.
//     3. Otherwise the nearest fewer ranks with either are used, times the ring's ratio: 2(N-1) messages of S/N bytes
//        to 2(M-1) messages of S/M bytes. The uncertainty grows by the range from no change to that ratio.
//     4. If whole copies are sent, the result is multiplied by the ratio of their bytes to the bytes of a ring.
class AllReduceTime {
 public:
  // `why_none` is the reason in refused predictions if there are neither curves nor probes.
  AllReduceTime(std::vector<AllReduceCurve> curves, std::vector<ProbeTime> probes,
                std::string why_none = "no all-reduce was timed", Sending sending = Sending::kRing);

  // Returns true if nothing was measured: every time is unknown.
  bool empty() const { return curves_.empty() && probes_.empty(); }
  const std::string& why_none() const { return why_none_; }

  // Returns the seconds of one all-reduce of `size_bytes` on `ranks` devices; 0 on one device. NotFound: no measurement
  // of 2 to `ranks` ranks.
  absl::StatusOr<Estimate> Seconds(uint32_t ranks, double size_bytes) const;

  // Returns the source of `Seconds`, such as "a fit of 2 ranks", for the method of a quantity.
  std::string Basis(uint32_t ranks) const;

 private:
  std::vector<AllReduceCurve> curves_;  // sorted by ranks
  std::vector<ProbeTime> probes_;       // sorted by ranks
  std::string why_none_;
  Sending sending_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_ALL_REDUCE_TIME_H_
