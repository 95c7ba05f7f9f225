#include "lib/launch/rendezvous_endpoint.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

LaunchPlace Place(Launcher launcher, bool one_host, const std::string& run = "12.0") {
  LaunchPlace place;
  place.launcher = launcher;
  place.rank = 1;
  place.size = 2;
  place.one_host = one_host;
  place.run = run;
  return place;
}

absl::StatusOr<RendezvousEndpoint> Find(const LaunchPlace& place, const std::map<std::string, std::string>& variables,
                                        const RendezvousFlags& flags = {}) {
  return FindRendezvousEndpoint(place, flags, [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

const std::map<std::string, std::string> kMaster = {{"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29501"}};

TEST(RendezvousEndpointTest, TheEnvironmentGivesIt) {
  const auto endpoint = Find(Place(Launcher::kTorchrun, false), kMaster);
  ASSERT_THAT(endpoint, IsOk());
  EXPECT_EQ(endpoint->host, "node1");
  EXPECT_EQ(endpoint->port, 29501);
  EXPECT_FALSE(endpoint->in_torchrun_store);
}

TEST(RendezvousEndpointTest, FlagsOutrankTheEnvironment) {
  auto variables = kMaster;
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  const auto endpoint = Find(Place(Launcher::kTorchrun, false), variables, {"10.0.0.1", 4000});
  ASSERT_THAT(endpoint, IsOk());
  EXPECT_EQ(endpoint->host, "10.0.0.1");
  EXPECT_EQ(endpoint->port, 4000);
  EXPECT_FALSE(endpoint->in_torchrun_store);  // torchrun's store is at another port
}

TEST(RendezvousEndpointTest, TorchrunsOwnStoreListensAtItsPort) {
  auto variables = kMaster;
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  EXPECT_TRUE(Find(Place(Launcher::kTorchrun, false), variables)->in_torchrun_store);
  EXPECT_FALSE(Find(Place(Launcher::kSlurm, false), variables)->in_torchrun_store);
}

TEST(RendezvousEndpointTest, OneHostNeedsNoName) {
  for (const Launcher launcher : {Launcher::kTorchrun, Launcher::kOpenMpi, Launcher::kPmi, Launcher::kSlurm}) {
    EXPECT_EQ(Find(Place(launcher, true), kMaster)->host, "127.0.0.1");
    EXPECT_EQ(Find(Place(launcher, true), {})->host, "127.0.0.1");
    EXPECT_EQ(Find(Place(launcher, true), {}, {"10.0.0.1", 0})->host, "127.0.0.1");
  }
}

TEST(RendezvousEndpointTest, ASlurmStepMeetsOnItsFirstNode) {
  const auto endpoint = Find(Place(Launcher::kSlurm, false), {{"SLURM_STEP_NODELIST", "n[07-09,12]"}});
  ASSERT_THAT(endpoint, IsOk());
  EXPECT_EQ(endpoint->host, "n07");
}

// Two steps of one job, or two jobs, must not share a rendezvous.
TEST(RendezvousEndpointTest, ThePortFollowsFromTheRunsName) {
  const auto port = [](const std::string& run) { return Find(Place(Launcher::kSlurm, true, run), {})->port; };
  EXPECT_EQ(port("12.0"), port("12.0"));
  EXPECT_NE(port("12.0"), port("12.1"));
  EXPECT_NE(port("12.0"), port("13.0"));
  for (int job = 0; job < 1000; ++job) {
    EXPECT_GE(port(std::to_string(job)), 20000);
    EXPECT_LT(port(std::to_string(job)), 29000);
  }
  EXPECT_EQ(port(""), 29500);
}

TEST(RendezvousEndpointTest, NobodyKnowsWhereRankZeroIs) {
  for (const Launcher launcher : {Launcher::kTorchrun, Launcher::kOpenMpi, Launcher::kPmi, Launcher::kSlurm}) {
    EXPECT_THAT(
        Find(Place(launcher, false), {}),
        StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("--master_addr"), HasSubstr("MASTER_ADDR"))));
  }
}

TEST(RendezvousEndpointTest, APortThatIsNoneIsRefused) {
  for (const char* port : {"0", "65536", "-1", "", "http"}) {
    EXPECT_THAT(Find(Place(Launcher::kTorchrun, true), {{"MASTER_PORT", port}}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MASTER_PORT")));
  }
}

TEST(FirstHostTest, OfAListAsSlurmWritesIt) {
  EXPECT_EQ(FirstHost("login"), "login");
  EXPECT_EQ(FirstHost("a,b,c"), "a");
  EXPECT_EQ(FirstHost("node[007-012,20],login"), "node007");
  EXPECT_EQ(FirstHost("node[3,5]"), "node3");
  EXPECT_EQ(FirstHost("rack[1-2]node[05-06]-ib,x"), "rack1node05-ib");
  EXPECT_EQ(FirstHost("node[1-2"), "");
  EXPECT_EQ(FirstHost(""), "");
}

}  // namespace
}  // namespace lockstep
