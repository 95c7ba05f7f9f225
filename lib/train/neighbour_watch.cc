#include "lib/train/neighbour_watch.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/kernel_file.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

// Columns of a /proc/stat line that count as busy: user, nice, system, irq, softirq, steal. Not counted: idle (4),
// iowait (5).
constexpr size_t kBusyColumns[] = {1, 2, 3, 6, 7, 8};

std::vector<int> AllowedCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) {
        cores.push_back(core);
      }
    }
  }
  return cores;
}

double ToSeconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + kMicroseconds.size * static_cast<double>(time.tv_usec);
}

}  // namespace

std::optional<double> BusySeconds(absl::string_view stat, const std::vector<int>& cores, double ticks_per_second) {
  double ticks = 0;
  std::set<int> missing(cores.begin(), cores.end());
  for (const absl::string_view line : absl::StrSplit(stat, '\n')) {
    const std::vector<absl::string_view> columns = absl::StrSplit(line, ' ', absl::SkipEmpty());
    int core = 0;
    if (columns.empty() || !absl::SimpleAtoi(absl::StripPrefix(columns[0], "cpu"), &core) || missing.erase(core) == 0) {
      continue;
    }
    for (const size_t column : kBusyColumns) {
      double value = 0;
      if (column < columns.size() && absl::SimpleAtod(columns[column], &value)) {
        ticks += value;
      }
    }
  }
  return missing.empty() && !cores.empty() ? std::optional(ticks / ticks_per_second) : std::nullopt;
}

NeighbourWatch::NeighbourWatch() : cores_(AllowedCores()) { sums_.set_cores(static_cast<uint32_t>(cores_.size())); }

NeighbourWatch::Counts NeighbourWatch::Read() const {
  Counts counts;
  counts.time = MonotonicTime::Now();
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  counts.forced_switches = static_cast<uint64_t>(usage.ru_nivcsw);
  counts.own_seconds = ToSeconds(usage.ru_utime) + ToSeconds(usage.ru_stime);
  counts.busy_seconds = BusySeconds(KernelFileText("/proc/stat"), cores_, static_cast<double>(sysconf(_SC_CLK_TCK)));
  return counts;
}

void NeighbourWatch::Begin() { begin_ = Read(); }

void NeighbourWatch::End() {
  if (!begin_.has_value()) {
    return;
  }
  const Counts end = Read();
  const double own = end.own_seconds - begin_->own_seconds;
  sums_.set_watched_seconds(sums_.watched_seconds() + absl::ToDoubleSeconds(end.time - begin_->time));
  sums_.set_forced_switches(sums_.forced_switches() + end.forced_switches - begin_->forced_switches);
  sums_.set_own_cpu_seconds(sums_.own_cpu_seconds() + own);
  if (end.busy_seconds.has_value() && begin_->busy_seconds.has_value()) {
    // The two times have different granularity, so the difference may be slightly negative.
    const double others = std::max(0.0, *end.busy_seconds - *begin_->busy_seconds - own);
    sums_.set_others_cpu_seconds(sums_.others_cpu_seconds() + others);
  } else {
    sums_.set_cpu_absent_reason("/proc/stat does not list the cores of this process");
  }
  begin_.reset();
}

proto::Neighbours NeighbourWatch::Summary(const absl::StatusOr<uint32_t>& gpu_processes) const {
  proto::Neighbours neighbours = sums_;
  neighbours.set_load_average(std::atof(KernelFileText("/proc/loadavg").c_str()));
  if (!neighbours.cpu_absent_reason().empty()) {
    neighbours.clear_others_cpu_seconds();
  }
  if (gpu_processes.ok()) {
    neighbours.set_gpu_processes(*gpu_processes);
  } else {
    neighbours.set_gpu_absent_reason(std::string(gpu_processes.status().message()));
  }
  return neighbours;
}

}  // namespace lockstep
