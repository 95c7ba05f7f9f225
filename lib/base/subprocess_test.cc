#include "lib/base/subprocess.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

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

// 64 MiB are a thousand pipes full: 20 s if each were looked at only every 20 ms.
TEST(RunChildrenTest, AFullPipeIsReadAtOnce) {
  const auto exits = RunChildren({Shell("head -c 67108864 /dev/zero >&3")}, absl::Seconds(10));
  EXPECT_FALSE((*exits)[0].timed_out);
  EXPECT_EQ((*exits)[0].result.size(), 67108864u);
}

// Closes its pipe and goes on.
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
  EXPECT_FALSE((*exits)[1].ended_by_us);
  EXPECT_TRUE((*exits)[0].ended_by_us);
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

// It would answer SIGTERM only once it goes on, 2 s later.
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

TEST(RunChildrenTest, OneThatOutlivesTheFirstTooLongIsEnded) {
  int failed = 0;
  const auto exits = RunChildren({Shell("exec sleep 60"), Shell("exit 0")}, absl::Seconds(50), &failed, nullptr,
                                 absl::Milliseconds(300));
  EXPECT_TRUE((*exits)[0].ended_by_us);
  EXPECT_FALSE((*exits)[0].timed_out);
  EXPECT_EQ((*exits)[1].code, 0);
  EXPECT_EQ(failed, -1);
}

// --- Children that tell their failure, and do not end ---

ChildOptions TellsFailure(const std::string& script) {
  ChildOptions child = Shell(script);
  child.tells_failure = [](const std::string& result) { return result == "failed"; };
  return child;
}

// Its process would go on for a minute; the other one would never end.
TEST(RunChildrenTest, OneThatTellsItsFailureHasFailedBeforeItsProcessEnds) {
  int failed = -1;
  const absl::Time start = absl::Now();
  const auto exits = RunChildren({TellsFailure("printf failed >&3; exec 3>&-; exec sleep 60"), Shell("kill -STOP $$")},
                                 absl::Seconds(50), &failed);
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
  EXPECT_EQ(failed, 0);
  EXPECT_EQ((*exits)[0].result, "failed");
  EXPECT_FALSE((*exits)[1].timed_out);
  EXPECT_TRUE((*exits)[1].ended_by_us);
}

TEST(RunChildrenTest, OneThatTellsItsFailureEndsByItself) {
  const auto exits = RunChildren({TellsFailure("printf failed >&3; exec 3>&-; sleep 0.5; exit 5")}, absl::Seconds(50));
  EXPECT_FALSE((*exits)[0].ended_by_us);
  EXPECT_EQ((*exits)[0].code, 5);
}

TEST(RunChildrenTest, OneThatTellsAnythingElseIsWaitedFor) {
  const auto exits = RunChildren({TellsFailure("printf done >&3; exec 3>&-; sleep 3; exit 0")}, absl::Seconds(50));
  EXPECT_FALSE((*exits)[0].ended_by_us);
}

TEST(RunChildrenTest, OneWhoseResultIsWholeTooLongAfterTheOthersIsEnded) {
  const auto exits = RunChildren({Shell("exec sleep 60"), Shell("printf one >&3; exec 3>&-; exec sleep 60")},
                                 absl::Seconds(50), nullptr, nullptr, absl::Milliseconds(300));
  EXPECT_TRUE((*exits)[0].ended_by_us);
  EXPECT_FALSE((*exits)[0].timed_out);
}

// A zombie that another process traces is not shown to its parent, as if the kernel still held it.
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
  const absl::Time start = absl::Now();
  const auto exits = RunChildren({{{*SelfPath(), "--be_held"}, {}, 0}, Shell("exec sleep 60")}, absl::Seconds(1));
  ASSERT_EQ((*exits)[0].result, "y") << "it could not be traced";
  EXPECT_TRUE((*exits)[0].does_not_end);
  EXPECT_FALSE((*exits)[1].does_not_end);
  EXPECT_LT(absl::Now() - start, kGiveUp + absl::Seconds(10));
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

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--be_held") {
    lockstep::BeHeld();
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
