#include "lib/base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/inherited_signals.h"
#include "lib/base/kernel_file.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/oom_kills.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/system_call_error.h"

namespace lockstep {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(20);
// Time after a failure in which the other children may end by themselves.
constexpr absl::Duration kFailureGrace = absl::Seconds(2);

// Reads of one child (4 MiB) between two checks of the clock and of the other children. A child may write without end.
constexpr int kMaxReadsPerPoll = 64;

struct Running {
  pid_t pid = -1;
  int result_fd = -1;  // -1 once closed
  bool ended = false;
  bool all_read = false;  // true once all write ends of the pipe are closed
  bool failed = false;    // true if its exit, or its result while the process still ends, reports a failure
};

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& s : strings) {
    pointers.push_back(const_cast<char*>(s.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Sets up the child between fork and exec. Must call async-signal-safe functions only.
[[noreturn]] void ExecChild(const ChildOptions& options, int result_fd, char** argv, char** envp, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the kernel kills the child when its parent ends
  if (getppid() != parent) {
    _exit(127);
  }
  ResetInheritedSignals();
  if (options.own_session) {
    setsid();
  }
  dup2(STDERR_FILENO, STDOUT_FILENO);
  if (result_fd == kResultFd) {
    fcntl(kResultFd, F_SETFD, 0);
  } else {
    dup2(result_fd, kResultFd);
  }
  if (options.data_limit_bytes > 0) {
    const rlimit limit{options.data_limit_bytes, options.data_limit_bytes};
    setrlimit(RLIMIT_DATA, &limit);
  }
  execve(argv[0], argv, envp);
  _exit(127);
}

absl::StatusOr<Running> Start(const ChildOptions& options) {
  std::vector<std::string> environment;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string entry = *e;
    bool overridden = false;
    for (const auto& [name, value] : options.environment) {
      overridden = overridden || entry.rfind(name + "=", 0) == 0;
    }
    if (!overridden) {
      environment.push_back(entry);
    }
  }
  for (const auto& [name, value] : options.environment) {
    environment.push_back(absl::StrCat(name, "=", value));
  }
  std::vector<char*> argv = Pointers(options.argv);
  std::vector<char*> envp = Pointers(environment);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return SystemCallError(absl::StrCat("cannot create a pipe for ", options.argv[0]), errno);
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    ExecChild(options, ends[1], argv.data(), envp.data(), parent);
  }
  const int fork_error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return SystemCallError(absl::StrCat("cannot start a process for ", options.argv[0]), fork_error);
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Running{pid, ends[0]};
}

void CloseResult(Running& child) {
  if (child.result_fd >= 0) {
    close(std::exchange(child.result_fd, -1));
  }
}

// Reads the available bytes, at most 4 MiB. Returns ResourceExhaustedError, and closes the pipe, if the result is too
// long.
absl::Status Drain(const ChildOptions& options, Running& child, std::string& result) {
  char buffer[65536];
  for (int reads = 0; reads < kMaxReadsPerPoll && child.result_fd >= 0; ++reads) {
    const ssize_t n = read(child.result_fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      child.all_read = n == 0;
      break;
    }
    result.append(buffer, static_cast<size_t>(n));
    if (result.size() > options.max_result_bytes) {
      CloseResult(child);
      return absl::ResourceExhaustedError(absl::StrCat(options.argv[0], " wrote more than ", options.max_result_bytes,
                                                       " bytes, the limit of its result, and was killed"));
    }
  }
  return absl::OkStatus();
}

// Waits until a child has written something, at most kPollInterval. A fixed sleep would be slow: a pipe holds 64 KiB,
// and a child that has filled it waits.
void WaitForResults(const std::vector<Running>& children) {
  std::vector<pollfd> pipes;
  for (const Running& child : children) {
    if (!child.ended && !child.all_read) {
      pipes.push_back({child.result_fd, POLLIN, 0});
    }
  }
  poll(pipes.data(), pipes.size(), static_cast<int>(absl::ToInt64Milliseconds(kPollInterval)));
}

// Returns true, and waitpid(2)'s `status`, if the child has ended. Kills the rest of its process group first, before
// the kernel can give the child's process id to another process.
absl::StatusOr<bool> HasEnded(const ChildOptions& options, const Running& child, int& status) {
  siginfo_t ended = {};
  if (options.own_session && waitid(P_PID, static_cast<id_t>(child.pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0) {
    if (ended.si_pid == 0) {
      return false;
    }
    kill(-child.pid, SIGKILL);
  }
  pid_t waited = 0;
  do {
    waited = waitpid(child.pid, &status, WNOHANG);
  } while (waited < 0 && errno == EINTR);
  if (waited < 0) {
    return absl::UnavailableError(absl::StrCat("cannot get the exit status of ", options.argv[0], " (process ",
                                               child.pid, "): waitpid: ", std::strerror(errno),
                                               "; this process must not ignore SIGCHLD"));
  }
  return waited == child.pid;
}

// Checks without waiting if the child has ended, and fills `exit`. `oom_kills` must be the count from before the child
// started. Errors are those of RunChildren that one child causes.
absl::Status Reap(const ChildOptions& options, Running& child, uint64_t oom_kills, ChildExit& exit) {
  absl::Status drained = Drain(options, child, exit.result);
  if (child.ended) {
    return drained;
  }
  int status = 0;
  const absl::StatusOr<bool> ended = HasEnded(options, child, status);
  if (ended.ok() && !*ended) {
    return drained;
  }
  child.ended = true;
  drained.Update(Drain(options, child, exit.result));
  CloseResult(child);
  RETURN_IF_ERROR(ended.status());
  exit.signalled = WIFSIGNALED(status);
  exit.code = exit.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  exit.out_of_memory = exit.signalled && exit.code == SIGKILL && !exit.ended_by_parent && CountOomKills() > oom_kills;
  return drained;
}

// Returns true if SIGSTOP or a debugger has stopped the process. /proc/PID/stat is "PID (NAME) STATE ...", and the name
// may hold any characters.
bool IsStopped(pid_t pid) {
  const std::string text = KernelFileText(absl::StrCat("/proc/", pid, "/stat"));
  const size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && (text[name_end + 2] == 'T' || text[name_end + 2] == 't');
}

// Sends the signal to the child's process group, or only to the child if it does not lead a group (yet).
void Signal(const ChildOptions& options, pid_t pid, int signal_number) {
  if (!options.own_session || kill(-pid, signal_number) != 0) {
    kill(pid, signal_number);
  }
}

// Signals all children that still run. A stopped child does not react to SIGTERM and gets SIGKILL instead. A child
// whose result reports a failure is ending already and gets no SIGTERM.
void SignalAll(const std::vector<ChildOptions>& options, const std::vector<Running>& children,
               std::vector<ChildExit>& exits, int signal_number) {
  for (size_t i = 0; i < children.size(); ++i) {
    if (!children[i].ended && !(children[i].failed && signal_number == SIGTERM)) {
      exits[i].ended_by_parent = true;
      Signal(options[i], children[i].pid, IsStopped(children[i].pid) ? SIGKILL : signal_number);
    }
  }
}

bool OnlyStoppedOnesRun(const std::vector<Running>& children) {
  return std::all_of(children.begin(), children.end(),
                     [](const Running& child) { return child.ended || child.failed || IsStopped(child.pid); });
}

// Returns true if the child's exit, or its complete result, reports a failure. The result counts before the exit,
// because the process may wait for a stopped one while it ends: the driver frees memory that both share.
bool Failed(const Running& child, const ChildExit& exit, const ChildOptions& options) {
  return child.ended ? exit.signalled || exit.code != 0
                     : child.all_read && options.reports_failure != nullptr && options.reports_failure(exit.result);
}

void Leave(std::vector<Running>& children, std::vector<ChildExit>& exits) {
  for (size_t i = 0; i < children.size(); ++i) {
    if (!children[i].ended) {
      exits[i].unkillable = true;
      CloseResult(children[i]);
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<ChildExit>> RunChildren(const std::vector<ChildOptions>& options, absl::Duration timeout,
                                                   int* first_failed, const std::function<bool()>& must_end,
                                                   absl::Duration after_first) {
  const uint64_t oom_kills = CountOomKills();
  std::vector<Running> children;
  std::vector<ChildExit> exits(options.size());
  absl::Status trouble;  // error because of which all children are ended
  for (const ChildOptions& child : options) {
    absl::StatusOr<Running> started = Start(child);
    if (!started.ok()) {
      trouble = started.status();
      break;
    }
    exits[children.size()].index = static_cast<int>(children.size());
    children.push_back(*started);
  }
  exits.resize(children.size());

  const MonotonicTime deadline = MonotonicTime::Now() + timeout;
  MonotonicTime kill_at = MonotonicTime::InfiniteFuture();
  MonotonicTime settled_at = MonotonicTime::InfiniteFuture();
  MonotonicTime together_until = MonotonicTime::InfiniteFuture();
  int failed = -1;
  size_t running = children.size();
  while (running > 0) {
    running = 0;
    for (size_t i = 0; i < children.size(); ++i) {
      trouble.Update(Reap(options[i], children[i], oom_kills, exits[i]));
      running += children[i].ended ? 0 : 1;
      if ((children[i].ended || children[i].all_read) && together_until == MonotonicTime::InfiniteFuture()) {
        together_until = MonotonicTime::Now() + after_first;
      }
      children[i].failed = !exits[i].ended_by_parent && Failed(children[i], exits[i], options[i]);
      if (failed < 0 && children[i].failed) {
        failed = static_cast<int>(i);
        settled_at = MonotonicTime::Now() + kFailureGrace;
      }
    }
    const bool timed_out = MonotonicTime::Now() > deadline;
    const bool settled = MonotonicTime::Now() > settled_at || MonotonicTime::Now() > together_until ||
                         (failed >= 0 && OnlyStoppedOnesRun(children));
    const bool asked = running > 0 && must_end != nullptr && must_end();
    if (kill_at == MonotonicTime::InfiniteFuture() &&
        (settled || timed_out || asked || StopRequested() || !trouble.ok())) {
      for (size_t i = 0; i < children.size(); ++i) {
        exits[i].timed_out = timed_out && !children[i].ended && failed < 0;
      }
      SignalAll(options, children, exits, SIGTERM);
      kill_at =
          MonotonicTime::Now() + std::max_element(options.begin(), options.end(), [](const auto& a, const auto& b) {
                                   return a.stop_grace < b.stop_grace;
                                 })->stop_grace;
    }
    if (MonotonicTime::Now() > kill_at) {
      SignalAll(options, children, exits, SIGKILL);
    }
    if (running > 0 && MonotonicTime::Now() > kill_at + kKillTimeout) {
      Leave(children, exits);
      break;
    }
    if (running > 0) {
      WaitForResults(children);
    }
  }
  if (first_failed != nullptr) {
    *first_failed = failed;
  }
  RETURN_IF_ERROR(trouble);
  return exits;
}

absl::Status WriteResult(const std::string& bytes) {
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = write(kResultFd, bytes.data() + written, bytes.size() - written);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return absl::InternalError(absl::StrCat("writing the result to the parent: ", std::strerror(errno)));
    }
    written += static_cast<size_t>(n);
  }
  close(kResultFd);
  return absl::OkStatus();
}

absl::StatusOr<std::string> SelfPath() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (n <= 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot read /proc/self/exe: ", std::strerror(errno), "; mount /proc (mount -t proc proc /proc)"));
  }
  return std::string(path, static_cast<size_t>(n));
}

}  // namespace lockstep
