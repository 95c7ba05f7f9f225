// What else the machine did while a process computed: how often its threads were sent from a core, and what other processes
// took of the cores that it may use. Source: proc(5), /proc/stat and /proc/loadavg; getrusage(2).
#ifndef LOCKSTEP_LIB_TRAIN_NEIGHBOUR_WATCH_H_
#define LOCKSTEP_LIB_TRAIN_NEIGHBOUR_WATCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/monotonic_time.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Seconds that all processes and the kernel computed on `cores`, since the machine started; what a hypervisor took away
// counts too. `stat` is the text of /proc/stat. None: a core is not listed.
std::optional<double> BusySeconds(absl::string_view stat, const std::vector<int>& cores, double ticks_per_second);

// Not thread-safe. What lies between Begin and End is added up over all pairs of them.
class NeighbourWatch {
 public:
  NeighbourWatch();

  void Begin();
  void End();  // nothing when not begun

  // So far, with the load as it is now.
  proto::Neighbours Summary(const absl::StatusOr<uint32_t>& gpu_processes) const;

 private:
  // What has been counted since some beginning.
  struct Counts {
    MonotonicTime time = MonotonicTime::InfinitePast();
    uint64_t forced_switches = 0;
    double own_seconds = 0;
    std::optional<double> busy_seconds;
  };
  Counts Read() const;

  const std::vector<int> cores_;  // that this process may use
  std::optional<Counts> begin_;
  proto::Neighbours sums_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_NEIGHBOUR_WATCH_H_
