// Load of the machine while a process computes: how often its threads are preempted, and how much time other processes
// take on the cores that it may use. Sources: proc(5), /proc/stat and /proc/loadavg; getrusage(2).
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

// Returns the seconds for which `cores` have been busy since the machine started: all processes, the kernel, and time
// that a hypervisor took away. `stat` is the text of /proc/stat. Returns nullopt if a core is not listed.
std::optional<double> BusySeconds(absl::string_view stat, const std::vector<int>& cores, double ticks_per_second);

// Sums the load over all pairs of Begin() and End(). Not thread-safe.
class NeighbourWatch {
 public:
  NeighbourWatch();

  void Begin();
  void End();  // does nothing without a Begin()

  // Returns the sums so far, with the current load average.
  proto::Neighbours Summary(const absl::StatusOr<uint32_t>& gpu_processes) const;

 private:
  // Counters since a fixed point in the past.
  struct Counts {
    MonotonicTime time = MonotonicTime::InfinitePast();
    uint64_t forced_switches = 0;
    double own_seconds = 0;
    std::optional<double> busy_seconds;
  };
  Counts Read() const;

  const std::vector<int> cores_;  // cores that this process may use
  std::optional<Counts> begin_;
  proto::Neighbours sums_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_NEIGHBOUR_WATCH_H_
