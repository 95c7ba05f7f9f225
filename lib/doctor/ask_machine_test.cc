#include "lib/doctor/ask_machine.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/monotonic_time.h"
#include "lib/testing/matchers.h"
#include "lib/testing/thread_shortage.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CanRefuseThreads;
using ::lockstep::testing::InChildProcess;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RefuseThreads;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// A "doctor" whose probes are the cases of a shell script; $1 is --probe=NAME. The bytes of a message with field 1
// (step) of MachineFacts are \012, the text's length, and the text.
constexpr char kScript[] = R"(
case $1 in
  --probe=works) printf '\012\003end' >&3 ;;
  --probe=hangs) printf '\012\006cuInit' >&3; exec sleep 600 ;;
  --probe=crashes) printf '\012\006dlopen' >&3; kill -SEGV $$ ;;
  --probe=fails) exit 3 ;;
  --probe=leaves_one) sleep 600 3>&- >&2 & printf '\012\007%07d' $! >&3; exec sleep 600 ;;
  --probe=floods) exec cat /dev/zero >&3 ;;
  --probe=libraries) printf '\012\003%.3s' "${LD_LIBRARY_PATH:+set}" >&3; kill -SEGV $$ ;;
esac
)";

std::vector<std::string> Ends(const std::vector<Probe>& probes, absl::Duration timeout) {
  const auto facts = AskMachine({"/bin/sh", "-c", kScript, "doctor"}, probes, timeout);
  EXPECT_THAT(facts, IsOk());
  std::vector<std::string> ends;
  for (const proto::ProbeEnd& end : facts->probe_end()) {
    ends.push_back(end.probe() + " " + proto::ProbeEnd::Kind_Name(end.kind()) + " " + end.step() + " " +
                   std::to_string(end.signal()));
  }
  return ends;
}

TEST(AskMachineTest, HowEachProbeEnded) {
  EXPECT_THAT(
      Ends({{"works", nullptr, false},
            {"hangs", nullptr, false},
            {"crashes", nullptr, false},
            {"fails", nullptr, false}},
           absl::Seconds(6)),
      UnorderedElementsAre("works ANSWERED  0", "hangs HUNG cuInit 0", "crashes CRASHED dlopen 11", "fails FAILED  0"));
}

// The probe hangs, and has started a program that must not outlive the doctor. The step is the process id of that
// program.
TEST(AskMachineTest, doctor_leaves_grandchildren_of_hanging_programs) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // this process adopts the program, and so can wait for it
  const std::vector<std::string> ends = Ends({{"leaves_one", nullptr, false}}, absl::Seconds(1));
  ASSERT_EQ(ends.size(), 1u);
  int left = 0;
  char kind[16] = "";
  ASSERT_EQ(std::sscanf(ends[0].c_str(), "leaves_one %15s %d", kind, &left), 2) << ends[0];
  EXPECT_STREQ(kind, "HUNG");
  const MonotonicTime deadline = MonotonicTime::Now() + absl::Seconds(20);
  while (waitpid(left, nullptr, WNOHANG) == 0 && MonotonicTime::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_NE(kill(left, 0), 0) << "it still runs";
}

TEST(AskMachineTest, AProbeThatWritesForEverFails) {
  EXPECT_THAT(Ends({{"floods", nullptr, false}}, absl::Hours(1)), UnorderedElementsAre("floods FAILED  0"));
}

TEST(AskMachineTest, ProbesWithoutAnyThatHangsDoNotWait) {
  EXPECT_THAT(Ends({{"works", nullptr, false}}, absl::Hours(1)), UnorderedElementsAre("works ANSWERED  0"));
}

TEST(AskMachineTest, TheSearchPathIsGivenToThoseThatWantIt) {
  EXPECT_THAT(Ends({{kFoldersProbe, nullptr, false}, {"libraries", nullptr, true}}, absl::Seconds(60)).back(),
              ::testing::StartsWith("libraries CRASHED"));
}

TEST(AskMachineTest, AProgramThatDoesNotStartFails) {
  const auto facts = AskMachine({"/nonexistent/doctor"}, {{"works", nullptr, false}}, absl::Seconds(60));
  ASSERT_THAT(facts, IsOk());
  EXPECT_EQ(facts->probe_end(0).kind(), proto::ProbeEnd::FAILED);
}

TEST(AskMachineTest, NoThreadToBeHadIsAnError) {
  if (!CanRefuseThreads()) {
    GTEST_SKIP() << "the kernel has no seccomp filters";
  }
  EXPECT_THAT(InChildProcess([] {
                RefuseThreads();
                const auto facts = AskMachine({"/bin/true"}, {{"works", nullptr, false}}, absl::Seconds(60));
                return facts.status().ToString();
              }),
              StartsWith("UNAVAILABLE: cannot start a thread"));
}

}  // namespace
}  // namespace lockstep
