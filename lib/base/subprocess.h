// Child processes that are started with a pipe for their result, monitored, and ended together.
//
// The tools measure each point in a separate process, so that running out of memory is an outcome of that point and
// does not end the run.
#ifndef LOCKSTEP_LIB_BASE_SUBPROCESS_H_
#define LOCKSTEP_LIB_BASE_SUBPROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace lockstep {

// Descriptor of the result pipe in a child.
inline constexpr int kResultFd = 3;

// Default limit on a child's result: half of the size of the largest message that protobuf parses. Meant for this
// program's own children, whose results are messages. Callers that start other programs should set a lower limit.
inline constexpr uint64_t kMaxResultBytes = uint64_t{1} << 30;

struct ChildOptions {
  std::vector<std::string> argv;  // arguments; argv[0] is the program's path, SelfPath() for this program
  std::vector<std::pair<std::string, std::string>> environment;  // variables added to this process's environment
  uint64_t data_limit_bytes = 0;  // RLIMIT_DATA of the child: heap and private mappings; 0: no limit
  // Function that returns true if a complete result reports a failure. The child then counts as failed at once,
  // although its process may take long to end. If null, only the child's exit counts.
  std::function<bool(const std::string& result)> reports_failure = nullptr;
  uint64_t max_result_bytes = kMaxResultBytes;  // limit; a child that exceeds it is ended, RunChildren returns an error
  // If true, the child leads its own session and process group, without a terminal. Processes that it leaves in that
  // group are killed when it ends. Meant for third-party programs, which may leave processes running.
  bool own_session = false;
  // Time between SIGTERM and SIGKILL; the longest one of all children counts. A child that has children of its own
  // needs more, because it ends them first.
  absl::Duration stop_grace = absl::Seconds(2);
};

// Time that the kernel may take to end a process after SIGKILL; a driver must free the process's memory first.
inline constexpr absl::Duration kKillTimeout = absl::Seconds(10);

// Outcome of a child.
struct ChildExit {
  int index = -1;  // index in the list given to RunChildren
  bool signalled = false;
  int code = 0;                  // exit status, or the signal's number when `signalled`
  bool timed_out = false;        // true if RunChildren ended the child at the timeout
  bool ended_by_parent = false;  // true if RunChildren ended the child for any reason
  std::string result;            // bytes that the child wrote to kResultFd
  bool out_of_memory = false;    // true if the kernel killed the child for memory, judged by its counter (oom_kills.h)
  bool unkillable = false;       // true if the child still existed kKillTimeout after SIGKILL and was left
};

// Starts all children, waits until each has ended, and returns their outcomes in the order of `children`. Ends all
// children that still run
//     - 2 s after a child failed (exit status not 0, a signal, or `reports_failure`). The 2 s let the others end by
//       themselves. Does not wait if only stopped children run: they cannot end by themselves, and the children that
//       lost their connection to them fail first;
//     - at `timeout`, or at a stop signal (stop_signal.h);
//     - once `must_end` returns true; if not null, it is called every 20 ms while a child runs;
//     - `after_first` after the first child that ended or closed its result pipe;
//     - if a child could not be started, or another error occurs.
// A child is ended by SIGTERM and, `stop_grace` later, SIGKILL; a stopped child gets SIGKILL at once. A child that does
// not end kKillTimeout after SIGKILL is left, because a driver holds it. If `first_failed` is not null, sets it to the
// index of the first child that failed by itself, or to -1. Standard output of the children is redirected to this
// process's stderr, so that a library that prints cannot corrupt a record on stdout.
//
// Returns these errors after all children have ended:
//     - the error of SystemCallError if a child could not be started;
//     - ResourceExhaustedError if a child wrote more than its `max_result_bytes`;
//     - UnavailableError if the kernel discarded the exit status of a child. That happens if this process ignores
//       SIGCHLD (inherited_signals.h), or if other code in this process waits for all children.
absl::StatusOr<std::vector<ChildExit>> RunChildren(const std::vector<ChildOptions>& children, absl::Duration timeout,
                                                   int* first_failed = nullptr,
                                                   const std::function<bool()>& must_end = nullptr,
                                                   absl::Duration after_first = absl::InfiniteDuration());

// Writes all of `bytes` to kResultFd and closes it. Must be called in a child.
absl::Status WriteResult(const std::string& bytes);

// Returns the path of this executable. Returns UnavailableError if /proc is not mounted.
absl::StatusOr<std::string> SelfPath();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_SUBPROCESS_H_
