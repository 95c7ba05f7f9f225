#include "lib/base/subprocess.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/monotonic_time.h"
#include "lib/testing/emulation.h"
#include "lib/testing/matchers.h"

// Seconds by which the system's clock appears to be set forward in this process. The function below replaces libc's for
// every library in this process.
std::atomic<int> g_clock_shift_seconds{0};

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int failed = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (failed == 0 && clock == CLOCK_REALTIME) {
    time->tv_sec += g_clock_shift_seconds;
  }
  return failed;
}

namespace lockstep {
namespace {

using ::lockstep::testing::IsEmulated;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

ChildOptions Shell(const std::string& script) { return {{"/bin/sh", "-c", script}, {}, 0}; }

TEST(RunChildrenTest, NoChildrenNoExits) { EXPECT_TRUE(RunChildren({}, absl::Seconds(5))->empty()); }

TEST(RunChildrenTest, CollectsEachResultAndExitCode) {
  int failed = 0;
  const auto exits = RunChildren({Shell("printf one >&3"), Shell("printf two >&3")}, absl::Seconds(20), &failed);
  ASSERT_TRUE(exits.ok());
  EXPECT_EQ((*exits)[0].result, "one");
  EXPECT_EQ((*exits)[1].result, "two");
  EXPECT_EQ((*exits)[0].code, 0);
  EXPECT_EQ(failed, -1);
}

TEST(RunChildrenTest, AResultLargerThanAPipeComesWhole) {
  const auto exits = RunChildren({Shell("head -c 1000000 /dev/zero >&3")}, absl::Seconds(20));
  EXPECT_EQ((*exits)[0].result.size(), 1000000u);
}

// 64 MiB fill a pipe a thousand times: 20 s if a full pipe were read only every 20 ms.
TEST(RunChildrenTest, AFullPipeIsReadAtOnce) {
  const auto exits = RunChildren({Shell("head -c 67108864 /dev/zero >&3")}, absl::Seconds(10));
  EXPECT_FALSE((*exits)[0].timed_out);
  EXPECT_EQ((*exits)[0].result.size(), 67108864u);
}

// The child closes its pipe and continues.
TEST(RunChildrenTest, AChildThatIsSilentAfterItsResultIsWaitedFor) {
  const auto exits = RunChildren({Shell("printf one >&3; exec 3>&-; sleep 0.3; exit 5")}, absl::Seconds(20));
  EXPECT_EQ((*exits)[0].result, "one");
  EXPECT_EQ((*exits)[0].code, 5);
}

TEST(RunChildrenTest, OneFailureEndsTheOthersAndIsNamed) {
  int failed = -1;
  const auto exits = RunChildren({Shell("exec sleep 60"), Shell("exit 7")}, absl::Seconds(50), &failed);
  ASSERT_TRUE(exits.ok());
  EXPECT_EQ(failed, 1);
  EXPECT_EQ((*exits)[1].code, 7);
  EXPECT_FALSE((*exits)[1].ended_by_parent);
  EXPECT_TRUE((*exits)[0].ended_by_parent);
}

TEST(RunChildrenTest, AKilledChildIsSignalled) {
  int failed = -1;
  const auto exits = RunChildren({Shell("kill -9 $$")}, absl::Seconds(20), &failed);
  EXPECT_TRUE((*exits)[0].signalled);
  EXPECT_EQ((*exits)[0].code, SIGKILL);
  EXPECT_EQ(failed, 0);
}

TEST(RunChildrenTest, ASilentChildIsEndedAtTheTimeout) {
  const auto exits = RunChildren({Shell("exec sleep 60")}, absl::Milliseconds(200));
  EXPECT_TRUE((*exits)[0].timed_out);
}

// The child would react to SIGTERM only when it is continued 2 s later.
TEST(RunChildrenTest, AStoppedChildIsKilledAtOnce) {
  const auto exits = RunChildren(
      {Shell("trap 'exit 3' TERM; (sleep 2; kill -CONT $$) >/dev/null 2>&1 & kill -STOP $$")}, absl::Milliseconds(500));
  EXPECT_TRUE((*exits)[0].signalled);
  EXPECT_EQ((*exits)[0].code, SIGKILL);
}

TEST(RunChildrenTest, AChildThatRunsMayAnswer) {
  const auto exits = RunChildren({Shell("trap 'exit 3' TERM; while :; do sleep 0.05; done")}, absl::Milliseconds(500));
  EXPECT_FALSE((*exits)[0].signalled);
  EXPECT_EQ((*exits)[0].code, 3);
}

// The default, 2 s, would end the child by SIGKILL.
TEST(RunChildrenTest, AChildMayTakeItsTimeToStop) {
  ChildOptions child = Shell("trap 'sleep 2.5; exit 3' TERM; while :; do sleep 0.05; done");
  child.stop_grace = absl::Seconds(20);
  const auto exits = RunChildren({child}, absl::Milliseconds(200));
  EXPECT_TRUE((*exits)[0].timed_out);
  EXPECT_FALSE((*exits)[0].signalled);
  EXPECT_EQ((*exits)[0].code, 3);
}

TEST(RunChildrenTest, OneThatOutlivesTheFirstTooLongIsEnded) {
  int failed = 0;
  const auto exits = RunChildren({Shell("exec sleep 60"), Shell("exit 0")}, absl::Seconds(50), &failed, nullptr,
                                 absl::Milliseconds(300));
  EXPECT_TRUE((*exits)[0].ended_by_parent);
  EXPECT_FALSE((*exits)[0].timed_out);
  EXPECT_EQ((*exits)[1].code, 0);
  EXPECT_EQ(failed, -1);
}

// --- Children that report a failure and do not end ---

ChildOptions ReportsFailure(const std::string& script) {
  ChildOptions child = Shell(script);
  child.reports_failure = [](const std::string& result) { return result == "failed"; };
  return child;
}

// The process of the failed child would run for a minute; the other child would never end.
TEST(RunChildrenTest, OneThatReportsItsFailureHasFailedBeforeItsProcessEnds) {
  int failed = -1;
  const MonotonicTime start = MonotonicTime::Now();
  const auto exits =
      RunChildren({ReportsFailure("printf failed >&3; exec 3>&-; exec sleep 60"), Shell("kill -STOP $$")},
                  absl::Seconds(50), &failed);
  EXPECT_LT(MonotonicTime::Now() - start, absl::Seconds(20));
  EXPECT_EQ(failed, 0);
  EXPECT_EQ((*exits)[0].result, "failed");
  EXPECT_FALSE((*exits)[1].timed_out);
  EXPECT_TRUE((*exits)[1].ended_by_parent);
}

TEST(RunChildrenTest, OneThatReportsItsFailureEndsByItself) {
  const auto exits =
      RunChildren({ReportsFailure("printf failed >&3; exec 3>&-; sleep 0.5; exit 5")}, absl::Seconds(50));
  EXPECT_FALSE((*exits)[0].ended_by_parent);
  EXPECT_EQ((*exits)[0].code, 5);
}

TEST(RunChildrenTest, OneThatReportsAnythingElseIsWaitedFor) {
  const auto exits = RunChildren({ReportsFailure("printf done >&3; exec 3>&-; sleep 3; exit 0")}, absl::Seconds(50));
  EXPECT_FALSE((*exits)[0].ended_by_parent);
}

TEST(RunChildrenTest, OneWhoseResultIsWholeTooLongAfterTheOthersIsEnded) {
  const auto exits = RunChildren({Shell("exec sleep 60"), Shell("printf one >&3; exec 3>&-; exec sleep 60")},
                                 absl::Seconds(50), nullptr, nullptr, absl::Milliseconds(300));
  EXPECT_TRUE((*exits)[0].ended_by_parent);
  EXPECT_FALSE((*exits)[0].timed_out);
}

// Runs a child that does not end: waitpid(2) does not report a zombie that another process traces.
[[noreturn]] void BeHeld() {
  int ready[2];
  if (pipe(ready) != 0) {
    _exit(1);
  }
  const pid_t held = getpid();
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  if (fork() == 0) {
    close(kResultFd);
    const bool traced = ptrace(PTRACE_SEIZE, held, nullptr, nullptr) == 0;
    (void)!write(ready[1], traced ? "y" : "n", 1);
    sleep(30);
    _exit(0);
  }
  char traced = 'n';
  (void)!read(ready[0], &traced, 1);
  (void)!write(kResultFd, &traced, 1);
  sleep(60);
  _exit(0);
}

TEST(RunChildrenTest, OneThatDoesNotEndIsLeft) {
  if (IsEmulated()) {
    GTEST_SKIP() << "QEMU does not emulate ptrace";
  }
  const MonotonicTime start = MonotonicTime::Now();
  const auto exits = RunChildren({{{*SelfPath(), "--be_held"}, {}, 0}, Shell("exec sleep 60")}, absl::Seconds(1));
  ASSERT_EQ((*exits)[0].result, "y") << "it could not be traced";
  EXPECT_TRUE((*exits)[0].unkillable);
  EXPECT_FALSE((*exits)[1].unkillable);
  EXPECT_LT(MonotonicTime::Now() - start, kKillTimeout + absl::Seconds(10));
}

TEST(RunChildrenTest, PassesTheEnvironmentOn) {
  ChildOptions child = Shell("printf \"$RANK\" >&3");
  child.environment = {{"RANK", "3"}};
  EXPECT_EQ((*RunChildren({child}, absl::Seconds(20)))[0].result, "3");
}

TEST(RunChildrenTest, AProgramThatIsNotThereIsAFailure) {
  const auto exits = RunChildren({{{"/nonexistent"}, {}, 0}}, absl::Seconds(20));
  EXPECT_EQ((*exits)[0].code, 127);
}

// --- Inherited state ---

// Ignores a signal for the duration of a test.
class IgnoredSignal {
 public:
  explicit IgnoredSignal(int signal_number) : signal_number_(signal_number) { signal(signal_number, SIG_IGN); }
  ~IgnoredSignal() { signal(signal_number_, SIG_DFL); }

 private:
  const int signal_number_;
};

// The kernel discards the exit status. RunChildren once waited for such a child for ever.
TEST(RunChildrenTest, sigchld_ignored_ends_with_an_error) {
  const IgnoredSignal ignored(SIGCHLD);
  const MonotonicTime start = MonotonicTime::Now();
  EXPECT_THAT(
      RunChildren({Shell("exit 0")}, absl::Seconds(30)),
      StatusIs(absl::StatusCode::kUnavailable, AllOf(HasSubstr("cannot get the exit status of /bin/sh (process "),
                                                     HasSubstr("must not ignore SIGCHLD"))));
  EXPECT_LT(MonotonicTime::Now() - start, absl::Seconds(20));
}

TEST(RunChildrenTest, sigchld_ignored_ends_the_other_children) {
  const IgnoredSignal ignored(SIGCHLD);
  EXPECT_THAT(RunChildren({Shell("exit 0"), Shell("exec sleep 600")}, absl::Hours(1)),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("waitpid")));
}

uint64_t SignalsIn(const std::string& status, const std::string& set) {
  const size_t at = status.find(set + ":\t");
  uint64_t signals = 0;
  EXPECT_TRUE(at != std::string::npos && absl::SimpleHexAtoi(status.substr(at + set.size() + 2, 16), &signals))
      << status;
  return signals;
}

uint64_t Bit(int signal_number) { return uint64_t{1} << (signal_number - 1); }

TEST(RunChildrenTest, AChildInheritsNoDeafness) {
  const IgnoredSignal chld(SIGCHLD);
  const IgnoredSignal interrupt(SIGINT);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &all, &before), 0);
  // The shell must not have children, because it ignores SIGCHLD until exec replaces it by cat.
  ChildOptions child = Shell("exec cat /proc/self/status >&3");
  signal(SIGCHLD, SIG_DFL);
  const auto exits = RunChildren({child}, absl::Seconds(30));
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
  ASSERT_TRUE(exits.ok()) << exits.status();
  const std::string& status = (*exits)[0].result;
  const uint64_t blocked = SignalsIn(status, "SigBlk");
  for (const int signal_number : {SIGCHLD, SIGHUP, SIGINT, SIGTERM}) {
    EXPECT_EQ(blocked & Bit(signal_number), 0u) << signal_number;
  }
  EXPECT_EQ(SignalsIn(status, "SigIgn") & Bit(SIGCHLD), 0u);
  EXPECT_NE(SignalsIn(status, "SigIgn") & Bit(SIGINT), 0u) << "nohup and & mean it";
}

// --- The system's clock is set ---

// Sets this process's view of the clock once the first child has been started.
class ClockStep {
 public:
  explicit ClockStep(int seconds) : seconds_(seconds) {}
  ~ClockStep() { g_clock_shift_seconds = 0; }

  // Called as `must_end`.
  bool operator()() {
    g_clock_shift_seconds = seconds_;
    return false;
  }

 private:
  const int seconds_;
};

TEST(RunChildrenTest, TheClockOfThisTestCanBeSet) {
  const absl::Time before = absl::Now();
  ClockStep step(7200);
  step();
  EXPECT_GT(absl::Now() - before, absl::Hours(2) - absl::Seconds(1));
}

TEST(RunChildrenTest, clock_set_forward_2h_is_no_timeout) {
  ClockStep step(7200);
  int failed = 0;
  const auto exits = RunChildren(
      {Shell("sleep 0.5"), Shell("sleep 1; printf done >&3")}, absl::Seconds(60), &failed, [&] { return step(); },
      absl::Seconds(60));
  ASSERT_TRUE(exits.ok()) << exits.status();
  EXPECT_EQ(failed, -1);
  EXPECT_FALSE((*exits)[1].timed_out);
  EXPECT_FALSE((*exits)[1].ended_by_parent);
  EXPECT_EQ((*exits)[1].result, "done");
}

TEST(RunChildrenTest, clock_set_back_2h_does_not_delay_a_timeout) {
  ClockStep step(-7200);
  const MonotonicTime start = MonotonicTime::Now();
  const auto exits = RunChildren({Shell("exec sleep 60")}, absl::Milliseconds(500), nullptr, [&] { return step(); });
  EXPECT_TRUE((*exits)[0].timed_out);
  EXPECT_LT(MonotonicTime::Now() - start, absl::Seconds(30));
}

// --- Limit on a child's result ---

TEST(RunChildrenTest, AResultOfItsLimitIsTaken) {
  ChildOptions child = Shell("head -c 100000 /dev/zero >&3");
  child.max_result_bytes = 100000;
  EXPECT_EQ((*RunChildren({child}, absl::Seconds(20)))[0].result.size(), 100000u);
  child.max_result_bytes = 99999;
  EXPECT_THAT(RunChildren({child}, absl::Seconds(20)),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("/bin/sh wrote more than 99999 bytes, the limit of its result")));
}

TEST(RunChildrenTest, AChildThatWritesForEverIsEnded) {
  ChildOptions child = Shell("exec cat /dev/zero >&3");
  child.max_result_bytes = 1 << 20;
  EXPECT_THAT(RunChildren({Shell("exec sleep 600"), child}, absl::Hours(1)),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("wrote more than 1048576 bytes")));
}

// The parent checks the clock and stop signals after every 4 MiB.
TEST(RunChildrenTest, AChildThatWritesForEverDoesNotHideTheTimeout) {
  ChildOptions child = Shell("exec cat /dev/zero >&3");
  child.max_result_bytes = uint64_t{1} << 40;
  bool asked = false;
  const auto exits = RunChildren({child}, absl::Hours(1), nullptr, [&] { return asked = true; });
  EXPECT_TRUE(asked);
  EXPECT_TRUE((*exits)[0].ended_by_parent);
}

// --- Grandchildren ---

// Starts a grandchild that outlives its parent, and returns true if it ends within 20 s after the child. This process
// adopts the grandchild and can therefore wait for it.
bool GrandchildEnds(const std::string& script, absl::Duration timeout) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  ChildOptions child = Shell(absl::StrCat("sleep 600 >/dev/null 2>&1 3>&- & printf $! >&3; ", script));
  child.own_session = true;
  const auto exits = RunChildren({child}, timeout);
  pid_t grandchild = 0;
  EXPECT_TRUE(exits.ok() && absl::SimpleAtoi((*exits)[0].result, &grandchild));
  const MonotonicTime deadline = MonotonicTime::Now() + absl::Seconds(20);
  while (waitpid(grandchild, nullptr, WNOHANG) == 0) {
    if (MonotonicTime::Now() > deadline) {
      kill(grandchild, SIGKILL);
      return false;
    }
    absl::SleepFor(absl::Milliseconds(10));
  }
  return true;
}

TEST(RunChildrenTest, doctor_leaves_grandchildren_of_hanging_programs) {
  EXPECT_TRUE(GrandchildEnds("exec sleep 600", absl::Milliseconds(500)));
}

TEST(RunChildrenTest, AChildThatEndsLeavesNoneOfItsGroup) { EXPECT_TRUE(GrandchildEnds("exit 0", absl::Seconds(60))); }

// --- Errors of the machine ---

TEST(RunChildrenTest, NoDescriptorsLeftIsUnavailable) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {3, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const absl::Status status = RunChildren({Shell("exit 0")}, absl::Seconds(20)).status();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("ulimit -n")));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--be_held") {
    lockstep::BeHeld();
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
