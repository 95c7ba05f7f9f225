#include "lib/launch/find_secret.h"

#include <cstring>
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
using ::testing::Not;

constexpr char kToken[] = "a token of sixteen and more";

LaunchPlace Place(Launcher launcher, int size, const std::string& run = "12.0") {
  LaunchPlace place;
  place.launcher = launcher;
  place.size = size;
  place.run = run;
  return place;
}

RendezvousEndpoint Endpoint(bool in_torchrun_store) {
  RendezvousEndpoint endpoint;
  endpoint.in_torchrun_store = in_torchrun_store;
  return endpoint;
}

absl::StatusOr<std::optional<RunSecret>> Find(const LaunchPlace& place, bool in_torchrun_store, const char* token) {
  return FindSecret(place, Endpoint(in_torchrun_store),
                    [token](const char* name) { return std::strcmp(name, "LOCKSTEP_TOKEN") == 0 ? token : nullptr; });
}

TEST(FindSecretTest, TheTokenCountsFirst) {
  for (const bool in_store : {false, true}) {
    const auto secret = Find(Place(Launcher::kTorchrun, 2), in_store, kToken);
    ASSERT_THAT(secret, IsOk());
    ASSERT_TRUE(secret->has_value());
    EXPECT_EQ((*secret)->bytes(), BindToRun(*RunSecret::FromToken(kToken), Place(Launcher::kTorchrun, 2)).bytes());
  }
}

TEST(FindSecretTest, TorchrunsStoreIsNext) {
  EXPECT_EQ(*Find(Place(Launcher::kTorchrun, 2), true, nullptr), std::nullopt);
}

TEST(FindSecretTest, OneProcessNeedsNone) {
  EXPECT_EQ(*Find(Place(Launcher::kSlurm, 1), false, nullptr), std::nullopt);
}

TEST(FindSecretTest, ElseTheErrorNamesTheVariableAndTheCommand) {
  for (const Launcher launcher : {Launcher::kTorchrun, Launcher::kOpenMpi, Launcher::kPmi, Launcher::kSlurm}) {
    EXPECT_THAT(Find(Place(launcher, 2), false, nullptr),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("LOCKSTEP_TOKEN is not set"),
                               HasSubstr("export LOCKSTEP_TOKEN=$(openssl rand -hex 32)"), HasSubstr("mpirun -x"))));
  }
}

TEST(FindSecretTest, AShortTokenIsRefusedAndNotShown) {
  for (const char* token : {"", "guessable"}) {
    EXPECT_THAT(Find(Place(Launcher::kSlurm, 2), false, token),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at least 16 characters")));
  }
  EXPECT_THAT(Find(Place(Launcher::kSlurm, 2), false, "guessable"),
              StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("guessable"))));
}

TEST(FindSecretTest, RunsOfOneTokenDifferByNameAndSize) {
  const RunSecret token = *RunSecret::FromToken(kToken);
  const std::string secret = BindToRun(token, Place(Launcher::kSlurm, 2, "12.0")).bytes();
  EXPECT_EQ(BindToRun(token, Place(Launcher::kSlurm, 2, "12.0")).bytes(), secret);
  EXPECT_NE(BindToRun(token, Place(Launcher::kSlurm, 2, "12.1")).bytes(), secret);
  EXPECT_NE(BindToRun(token, Place(Launcher::kSlurm, 3, "12.0")).bytes(), secret);
  EXPECT_NE(token.bytes(), secret);
}

}  // namespace
}  // namespace lockstep
