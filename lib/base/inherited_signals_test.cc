#include "lib/base/inherited_signals.h"

#include <signal.h>
#include <unistd.h>

#include "gtest/gtest.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

using Handler = void (*)(int);

Handler HandlerOf(int signal_number) {
  struct sigaction action;
  return sigaction(signal_number, nullptr, &action) == 0 ? action.sa_handler : SIG_ERR;
}

void BlockAll() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

bool IsBlocked(int signal_number) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, signal_number) == 1;
}

// Death tests, because each needs a new process with the signal state that a parent leaves.
TEST(InheritedSignalsDeathTest, sigchld_ignored_and_all_blocked) {
  EXPECT_EXIT(
      {
        signal(SIGCHLD, SIG_IGN);
        BlockAll();
        ResetInheritedSignals();
        const bool blocked = IsBlocked(SIGCHLD) || IsBlocked(SIGHUP) || IsBlocked(SIGINT) || IsBlocked(SIGTERM);
        _exit(HandlerOf(SIGCHLD) == SIG_DFL && !blocked ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

// A SIGTERM that came while it was blocked still stops the run.
TEST(InheritedSignalsDeathTest, sigterm_blocked_by_the_parent) {
  EXPECT_EXIT(
      {
        BlockAll();
        raise(SIGTERM);
        InstallStopSignals();
        _exit(StopSignal() == SIGTERM ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(InheritedSignalsDeathTest, sigint_and_sighup_ignored_by_the_parent) {
  EXPECT_EXIT(
      {
        signal(SIGINT, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        InstallStopSignals();
        raise(SIGINT);
        raise(SIGHUP);
        _exit(!StopRequested() && HandlerOf(SIGINT) == SIG_IGN && HandlerOf(SIGHUP) == SIG_IGN ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(InheritedSignalsDeathTest, sighup_stops_like_sigterm) {
  EXPECT_EXIT(
      {
        signal(SIGHUP, SIG_DFL);
        InstallStopSignals();
        raise(SIGHUP);
        _exit(StopSignal() == SIGHUP && CheckNotStopped().message() == "stopped by SIGHUP" ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lockstep
