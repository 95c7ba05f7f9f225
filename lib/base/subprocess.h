// Children of this process: started with a pipe for their result, watched, and ended together.
//
// The tools measure each point in a process of its own, so that running out of memory is an outcome of that point and
// not the end of the run.
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

// The descriptor on which a child finds its result pipe.
inline constexpr int kResultFd = 3;

// Default limit on a child's result: half of the largest message that protobuf parses. For this program's own children,
// whose results are messages. Callers that start other programs give a lower limit.
inline constexpr uint64_t kMaxResultBytes = uint64_t{1} << 30;

struct ChildOptions {
  std::vector<std::string> argv;  // argv[0] is the program's path; SelfPath() for this one
  std::vector<std::pair<std::string, std::string>> environment;  // set in addition to this process's own
  uint64_t data_limit_bytes = 0;  // RLIMIT_DATA of the child: heap and private mappings; 0: no limit
  // Whether a result that has come whole says that the child failed. It then counts as failed, although its process may
  // take long to end. Null: its exit alone says it.
  std::function<bool(const std::string& result)> tells_failure = nullptr;
  uint64_t max_result_bytes = kMaxResultBytes;  // a child that writes more is ended, and RunChildren returns an error
  // If true, the child leads a session and a process group of its own, without a terminal. Processes that it leaves in
  // that group are killed when it ends. For programs of other people, which may leave processes behind.
  bool own_session = false;
};

// How long the kernel may take to end a process that was sent SIGKILL: a driver has its memory to free first.
inline constexpr absl::Duration kGiveUp = absl::Seconds(10);

// How a child ended.
struct ChildExit {
  int index = -1;  // in the list given to RunChildren
  bool signalled = false;
  int code = 0;                // exit status, or the signal's number when `signalled`
  bool timed_out = false;      // ended by us after the timeout
  bool ended_by_us = false;    // ended because another child failed, at a stop signal, or at the timeout
  std::string result;          // all that it wrote to kResultFd
  bool out_of_memory = false;  // killed by the kernel for memory, as far as its counter tells (oom_kills.h)
  bool does_not_end = false;   // still there kGiveUp after SIGKILL, as a driver can hold it; it was left there
};

// Starts all children and waits until each has ended. When one fails (exit status not 0, or a signal) or `timeout` has
// passed or a stop signal came, the others are sent SIGTERM and, 2 s later or when they are stopped, SIGKILL; after a
// failure they have 2 s first to end by themselves, unless all that run are stopped: one that another process stopped is
// outrun by those that lost their connection to it. One that does not end after SIGKILL is left. Returns their exits in
// the order of `children`; the first that failed by itself is at `*first_failed` (-1: none) when that is not null. The
// children's standard output becomes this process's stderr, so that a library that prints cannot spoil a record on
// stdout.
//
// Returns these errors after all children have ended:
//     - SystemCallError's, if a child could not be started;
//     - ResourceExhausted, if a child wrote more than its `max_result_bytes`;
//     - Unavailable, if the kernel discarded the exit status of a child. That happens if this process ignores SIGCHLD
//       (inherited_signals.h), or if another part of it waits for all children.
//
// `must_end`, where there is one, is asked every 20 ms while a child runs; once it is true all are ended as at a stop. So
// they are when one still runs `after_first` after the first that ended, or closed its pipe behind its result.
absl::StatusOr<std::vector<ChildExit>> RunChildren(const std::vector<ChildOptions>& children, absl::Duration timeout,
                                                   int* first_failed = nullptr,
                                                   const std::function<bool()>& must_end = nullptr,
                                                   absl::Duration after_first = absl::InfiniteDuration());

// Writes all of `bytes` to kResultFd and closes it. For a child.
absl::Status WriteResult(const std::string& bytes);

// The path of this executable. Unavailable: /proc is not mounted.
absl::StatusOr<std::string> SelfPath();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_SUBPROCESS_H_
