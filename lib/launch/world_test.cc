// World of real processes on this host, without LibTorch: this executable also runs as each agent and as each rank.
#include "lib/launch/world.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/stop_signal.h"
#include "lib/launch/agent.h"
#include "lib/launch/failure_attribution.h"
#include "lib/launch/rank_process.h"
#include "lib/launch/secure_socket.h"
#include "lib/testing/emulation.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr absl::Duration kTimeout = absl::Seconds(2);
constexpr int kEndedByVerdict = 7;
constexpr char kHere[] = "127.0.0.1";

RunSecret Secret() { return *RunSecret::FromToken("a token of a run"); }

proto::ProcessDescription Description(int rank, int size) {
  proto::ProcessDescription description;
  description.set_rank(rank);
  description.set_size(size);
  description.set_local_rank(rank);
  description.set_host_name(absl::StrCat("host", rank));
  description.set_gpus(1);
  description.set_build_id(std::string(64, 'b'));
  return description;
}

// --- Rank of these tests ---

int RunTestRank() {
  const auto place = ReadRankEnvironment([](const char* name) { return std::getenv(name); });
  const bool chosen = place->rank == 1;
  if (place->task == "die" && chosen) {
    raise(SIGKILL);
  }
  if (place->task == "fail" && chosen) {
    WriteResult(FrameResult(absl::ResourceExhaustedError("no memory"))).IgnoreError();
    return 5;
  }
  if (place->task == "secret") {
    return WriteResult(FrameResult(place->secret)).ok() ? 0 : 1;
  }
  if (place->task == "wait" || place->task == "die") {
    absl::SleepFor(absl::Seconds(600));
  }
  return WriteResult(
             FrameResult(absl::StrCat(place->rank, "/", place->size, " local ", place->local_rank, "/",
                                      place->local_size, " at ", place->host, ":", place->port, " ", place->payload)))
                 .ok()
             ? 0
             : 1;
}

// --- Agent of these tests ---

int RunTestAgent(const char* rank_size_port) {
  InstallStopSignals();
  std::vector<int> numbers;
  for (const absl::string_view text : absl::StrSplit(rank_size_port, ',')) {
    numbers.push_back(std::atoi(std::string(text).c_str()));
  }
  absl::StatusOr<SecureSocket> leader =
      ConnectSecurely(kHere, static_cast<uint16_t>(numbers[2]), Secret(), MonotonicTime::Now() + kTimeout);
  if (!leader.ok()) {
    return 1;
  }
  const auto verdict = Agent(*std::move(leader), Secret(), Description(numbers[0], numbers[1]), kTimeout).Run();
  return verdict.ok() ? verdict->exit_code() : absl::IsCancelled(verdict.status()) ? 143 : 5;
}

// --- The tests ---

class WorldTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::IsEmulated()) {
      GTEST_SKIP() << "QEMU starts no program for Arm, such as an agent";
    }
  }

  // Starts a world of `size` ranks with `with_agents` agents.
  absl::Status Start(int size, int with_agents) {
    absl::StatusOr<TcpSocket> listener = ListenOn(kHere, 0);
    EXPECT_THAT(listener, IsOk());
    for (int rank = 1; rank <= with_agents; ++rank) {
      StartAgent(rank, size, LocalPort(*listener));
    }
    LaunchPlace place;
    place.launcher = Launcher::kTorchrun;
    place.size = size;
    world_ = std::make_unique<World>(place, Secret(), Description(0, size), kTimeout);
    return world_->Gather(*std::move(listener));
  }

  void StartAgent(int rank, int size, uint16_t port) {
    const std::string self = *SelfPath();
    const std::string what = absl::StrCat(rank, ",", size, ",", port);
    const pid_t pid = fork();
    if (pid == 0) {
      setenv("LOCKSTEP_TEST_AGENT", what.c_str(), 1);
      execl(self.c_str(), self.c_str(), nullptr);
      _exit(127);
    }
    agents_.push_back(pid);
  }

  absl::StatusOr<std::vector<ChildExit>> Run(const std::string& task, int ranks) {
    RankEnvironment place;
    place.size = ranks;
    place.local_size = ranks;
    place.host = "127.0.0.1";
    place.port = 4;
    place.secret = world_->NextStore().secret.Hex();
    place.task = task;
    place.payload = "p";
    return world_->RunRanks(place);
  }

  // Returns the agent's exit code, minus the number of the signal that killed it, or -1000 if it did not end within
  // `limit`.
  static int WaitForAgent(pid_t pid, absl::Duration limit) {
    int status = 0;
    for (const MonotonicTime end = MonotonicTime::Now() + limit; waitpid(pid, &status, WNOHANG) == 0;) {
      if (MonotonicTime::Now() > end) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        return -1000;
      }
      absl::SleepFor(absl::Milliseconds(10));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  void ExpectAllDismissed(int code) {
    world_->Dismiss(code, "");
    for (const pid_t pid : agents_) {
      EXPECT_EQ(WaitForAgent(pid, kTimeout), code);
    }
  }

  std::unique_ptr<World> world_;
  std::vector<pid_t> agents_;
};

std::string Value(const ChildExit& exit) { return **ParseResult(exit.result); }

TEST_F(WorldTest, EachProcessStartsItsRank) {
  ASSERT_THAT(Start(3, 2), IsOk());
  const auto exits = Run("introduce", 3);
  ASSERT_THAT(exits, IsOk());
  ASSERT_THAT(AttributeFailure(*exits, kTimeout), IsOk());
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(Value((*exits)[rank]), absl::StrCat(rank, "/3 local ", rank, "/3 at 127.0.0.1:4 p"));
  }
  ExpectAllDismissed(kEndedByVerdict);
}

TEST_F(WorldTest, TheFirstRanksOfTheWorldMakeASmallerPoint) {
  ASSERT_THAT(Start(4, 3), IsOk());
  for (const int ranks : {1, 2, 4, 2}) {
    const auto exits = Run("introduce", ranks);
    ASSERT_THAT(exits, IsOk());
    ASSERT_EQ(exits->size(), static_cast<size_t>(ranks));
    EXPECT_THAT(Value(exits->back()), HasSubstr(absl::StrCat(ranks - 1, "/", ranks, " local")));
  }
  ExpectAllDismissed(0);
}

// Agents without a rank receive the leader's heartbeat, however long the leader is busy.
TEST_F(WorldTest, IdleAgentsOutliveTheTimeout) {
  ASSERT_THAT(Start(2, 1), IsOk());
  absl::SleepFor(2 * kTimeout);
  EXPECT_THAT(Run("introduce", 2), IsOk());
  ExpectAllDismissed(0);
}

TEST_F(WorldTest, ARankThatRunsOutOfMemoryTakesNoAgentWithIt) {
  ASSERT_THAT(Start(2, 1), IsOk());
  const auto exits = Run("fail", 2);
  ASSERT_THAT(exits, IsOk());
  EXPECT_THAT(AttributeFailure(*exits, kTimeout, world_->HostNames()),
              StatusIs(absl::StatusCode::kResourceExhausted, "rank 1 of 2 on host1: no memory"));
  EXPECT_THAT(Run("introduce", 2), IsOk());
  ExpectAllDismissed(0);
}

TEST_F(WorldTest, ARankThatIsKilledEndsTheOthersAndIsNamed) {
  ASSERT_THAT(Start(3, 2), IsOk());
  const MonotonicTime start = MonotonicTime::Now();
  const auto exits = Run("die", 3);
  ASSERT_THAT(exits, IsOk());
  EXPECT_THAT(AttributeFailure(*exits, kTimeout, world_->HostNames()),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 3 on host1 was killed by signal 9")));
  EXPECT_LT(MonotonicTime::Now() - start, absl::Seconds(5));
  ExpectAllDismissed(5);
}

TEST_F(WorldTest, AnAgentThatIsKilledIsNamed) {
  ASSERT_THAT(Start(3, 2), IsOk());
  kill(agents_[0], SIGKILL);
  const MonotonicTime start = MonotonicTime::Now();
  EXPECT_THAT(Run("wait", 3), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 3 on host1")));
  EXPECT_LT(MonotonicTime::Now() - start, absl::Seconds(5));
  EXPECT_THAT(Run("introduce", 3), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 3 on host1")));
  world_->Dismiss(5, "");
  EXPECT_EQ(WaitForAgent(agents_[0], kTimeout), -SIGKILL);
  EXPECT_EQ(WaitForAgent(agents_[1], kTimeout), 5);
}

TEST_F(WorldTest, AnAgentThatIsStoppedIsNamedAfterTheTimeout) {
  ASSERT_THAT(Start(2, 1), IsOk());
  kill(agents_[0], SIGSTOP);
  const MonotonicTime start = MonotonicTime::Now();
  EXPECT_THAT(Run("wait", 2), StatusIs(absl::StatusCode::kUnavailable,
                                       AllOf(HasSubstr("rank 1 of 2 on host1"), HasSubstr("no message for"))));
  EXPECT_LT(MonotonicTime::Now() - start, kTimeout + absl::Seconds(5));
  kill(agents_[0], SIGKILL);
  EXPECT_EQ(WaitForAgent(agents_[0], kTimeout), -SIGKILL);
}

TEST_F(WorldTest, AnAgentThatReceivesAStopSignalStopsAll) {
  ASSERT_THAT(Start(3, 2), IsOk());
  kill(agents_[1], SIGTERM);
  const MonotonicTime start = MonotonicTime::Now();
  EXPECT_THAT(Run("wait", 3), StatusIs(absl::StatusCode::kCancelled, "stopped by SIGTERM"));
  EXPECT_EQ(world_->stop_signal(), SIGTERM);
  EXPECT_LT(MonotonicTime::Now() - start, absl::Seconds(5));
  ExpectAllDismissed(143);
}

// A launcher stops all processes when one of them dies.
TEST_F(WorldTest, ALossCountsBeforeTheStopThatFollowsFromIt) {
  ASSERT_THAT(Start(3, 2), IsOk());
  kill(agents_[1], SIGKILL);
  EXPECT_EQ(WaitForAgent(agents_[1], kTimeout), -SIGKILL);
  kill(agents_[0], SIGTERM);
  absl::SleepFor(absl::Milliseconds(300));  // both events happen before the leader checks
  EXPECT_THAT(Run("wait", 3), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 2 of 3 on host2")));
  EXPECT_EQ(world_->stop_signal(), 0);
  world_->Dismiss(5, "");
  EXPECT_EQ(WaitForAgent(agents_[0], kTimeout), 5);
}

TEST_F(WorldTest, AgentsEndWhenTheLeaderIsGone) {
  ASSERT_THAT(Start(3, 2), IsOk());
  world_ = nullptr;
  for (const pid_t pid : agents_) {
    EXPECT_EQ(WaitForAgent(pid, kTimeout), 5);
  }
}

TEST_F(WorldTest, WhoDoesNotComeIsNamed) {
  const MonotonicTime start = MonotonicTime::Now();
  EXPECT_THAT(Start(4, 1), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 2, 3 did not connect")));
  EXPECT_LT(MonotonicTime::Now() - start, kTimeout + absl::Seconds(2));
  ExpectAllDismissed(5);
}

TEST_F(WorldTest, TwoOfOneRankAreRefused) {
  absl::StatusOr<TcpSocket> listener = ListenOn(kHere, 0);
  StartAgent(1, 3, LocalPort(*listener));
  StartAgent(1, 3, LocalPort(*listener));
  LaunchPlace place;
  place.size = 3;
  world_ = std::make_unique<World>(place, Secret(), Description(0, 3), kTimeout);
  EXPECT_THAT(world_->Gather(*std::move(listener)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("its own RANK")));
  world_->Dismiss(2, "");
}

TEST_F(WorldTest, RanksBeyondTheWorldOrItsGpusAreRefused) {
  ASSERT_THAT(Start(2, 1), IsOk());
  EXPECT_THAT(world_->CheckRanks(2), IsOk());
  EXPECT_THAT(world_->CheckRanksOnGpus(1), IsOk());
  EXPECT_THAT(world_->CheckRanks(3), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--ranks needs 3 ranks")));
  EXPECT_THAT(world_->CheckRanksOnGpus(2),  // each host reports one GPU
              StatusIs(absl::StatusCode::kUnavailable, AllOf(HasSubstr("rank 1 on host1"), HasSubstr("LOCAL_RANK 1"))));
  ExpectAllDismissed(0);
}

// An agent derives the same secret as the leader, and a different one for each point. No message contains it.
TEST_F(WorldTest, EachPointHasASecretThatAllItsRanksKnow) {
  ASSERT_THAT(Start(3, 2), IsOk());
  std::string before;
  for (int point = 0; point < 2; ++point) {
    const auto exits = Run("secret", 3);
    ASSERT_THAT(exits, IsOk());
    const std::string secret = Value((*exits)[0]);
    EXPECT_EQ(secret.size(), 64u);
    EXPECT_NE(secret, before);
    EXPECT_EQ(Value((*exits)[1]), secret);
    EXPECT_EQ(Value((*exits)[2]), secret);
    before = secret;
  }
  EXPECT_EQ(world_->NextStore().address, kHere);  // all ranks are on one host
  ExpectAllDismissed(0);
}

// A stranger that guesses the run's name and replays a recorded message receives nothing and is not counted.
TEST_F(WorldTest, rendezvous_replayed_handshake_is_let_in) {
  absl::StatusOr<TcpSocket> listener = ListenOn(kHere, 0);
  ASSERT_THAT(listener, IsOk());
  absl::StatusOr<TcpSocket> stranger = ConnectOnce(kHere, LocalPort(*listener));
  ASSERT_THAT(stranger, IsOk());
  proto::AgentMessage first_message;
  *first_message.mutable_description() = Description(1, 2);
  ASSERT_THAT(SendAll(*stranger, first_message.SerializeAsString(), MonotonicTime::Now() + kTimeout), IsOk());
  LaunchPlace place;
  place.size = 2;
  world_ = std::make_unique<World>(place, Secret(), Description(0, 2), kTimeout);
  EXPECT_THAT(
      world_->Gather(*std::move(listener)),
      StatusIs(absl::StatusCode::kUnavailable,
               AllOf(HasSubstr("rank 1 did not connect; 1 connection, the last one from 127.0.0.1, did not prove"),
                     HasSubstr("LOCKSTEP_TOKEN"))));
  char buffer[100];
  EXPECT_LE(recv(stranger->fd(), buffer, sizeof(buffer), 0), 0);
}

TEST_F(WorldTest, DescribesItself) {
  ASSERT_THAT(Start(2, 1), IsOk());
  EXPECT_EQ(world_->Describe(), "torchrun: 2 ranks on host0");  // the same address is the same host, whatever its name
  EXPECT_EQ(world_->OtherHosts(), "");
  EXPECT_EQ(world_->HostAddresses(), std::vector<std::string>(2));  // empty: both ranks are on this host
  EXPECT_EQ(world_->RanksHere(1), 1u);
  EXPECT_EQ(world_->RanksHere(2), 2u);
  EXPECT_EQ(world_->ToProto().world(), 2u);
  EXPECT_EQ(world_->ToProto().host_size(), 2);
  ExpectAllDismissed(0);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (std::getenv(lockstep::kRankTaskVariable) != nullptr) {
    return lockstep::RunTestRank();
  }
  if (const char* place = std::getenv("LOCKSTEP_TEST_AGENT")) {
    return lockstep::RunTestAgent(place);
  }
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
