#include "lib/launch/launch_environment.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

// Variables that each launcher sets for rank 3 of 4, the second rank of its host.
const Variables kTorchrun = {
    {"RANK", "3"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}, {"TORCHELASTIC_RUN_ID", "r7"}};
const Variables kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "3"},       {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                            {"PMIX_NAMESPACE", "1199243265"},    {"PMIX_RANK", "3"}};  // Open MPI sets these, too
const Variables kHydra = {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}};
const Variables kStep = {{"SLURM_JOB_ID", "12"},       {"SLURM_STEP_ID", "0"},        {"SLURM_PROCID", "3"},
                         {"SLURM_LOCALID", "1"},       {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_NTASKS", "64"},
                         {"SLURM_STEP_NUM_NODES", "2"}};
const Variables kBatchScript = {
    {"SLURM_JOB_ID", "12"}, {"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}, {"SLURM_NTASKS", "4"}};

Variables operator+(Variables first, const Variables& second) {
  for (const auto& [name, value] : second) {
    first[name] = value;
  }
  return first;
}

Variables Without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

absl::StatusOr<LaunchPlace> Read(const Variables& variables, const std::string& word = "auto") {
  return ReadLaunchPlace(word, [&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

Launcher Found(const Variables& variables, const std::string& word = "auto") {
  const auto place = Read(variables, word);
  EXPECT_THAT(place, IsOk());
  return place.ok() ? place->launcher : Launcher::kNone;
}

// Expects a usage error whose line contains both texts.
void ExpectRefused(const Variables& variables, const std::string& first, const std::string& second,
                   const std::string& word = "auto") {
  EXPECT_THAT(Read(variables, word),
              StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr(first), HasSubstr(second))));
}

TEST(LaunchEnvironmentTest, EachLauncherGivesThePlace) {
  for (const Variables& variables : {kTorchrun, kOpenMpi, kHydra, kStep}) {
    const auto place = Read(variables);
    ASSERT_THAT(place, IsOk());
    EXPECT_EQ(place->rank, 3);
    EXPECT_EQ(place->size, 4);
    EXPECT_EQ(place->local_rank, 1);
    EXPECT_FALSE(place->one_host);
  }
}

TEST(LaunchEnvironmentTest, NobodyWithoutAnyVariable) {
  const auto place = Read({});
  ASSERT_THAT(place, IsOk());
  EXPECT_EQ(place->launcher, Launcher::kNone);
  EXPECT_EQ(place->size, 1);
}

TEST(LaunchEnvironmentTest, TheInnermostLauncherCounts) {
  EXPECT_EQ(Found(kTorchrun), Launcher::kTorchrun);
  EXPECT_EQ(Found(kTorchrun + kOpenMpi + kHydra + kStep), Launcher::kTorchrun);
  EXPECT_EQ(Found(kOpenMpi + kHydra + kStep), Launcher::kOpenMpi);
  EXPECT_EQ(Found(kHydra + kStep), Launcher::kPmi);
  EXPECT_EQ(Found(kStep), Launcher::kSlurm);
}

TEST(LaunchEnvironmentTest, TheFlagOutranksTheEnvironment) {
  const Variables all = kTorchrun + kOpenMpi + kHydra + kStep;
  EXPECT_EQ(Found(all, "none"), Launcher::kNone);
  EXPECT_EQ(Found(all, "torchrun"), Launcher::kTorchrun);
  EXPECT_EQ(Found(all, "openmpi"), Launcher::kOpenMpi);
  EXPECT_EQ(Found(all, "pmi"), Launcher::kPmi);
  EXPECT_EQ(Found(all, "slurm"), Launcher::kSlurm);
  EXPECT_EQ(Found({{"RANK", "1"}}, "none"), Launcher::kNone);  // other launchers are not checked
  EXPECT_EQ(Found(kStep + Variables({{"RANK", "1"}}), "slurm"), Launcher::kSlurm);
}

TEST(LaunchEnvironmentTest, ALauncherThatIsAskedForMustBeThere) {
  for (const char* word : {"torchrun", "openmpi", "pmi", "slurm"}) {
    ExpectRefused({}, std::string("--launcher is ") + word, "none of its variables", word);
  }
  ExpectRefused(kTorchrun, "--launcher", "openmpi", "mpi");
}

TEST(LaunchEnvironmentTest, HalfSetIsRefused) {
  const std::pair<Variables, std::vector<std::string>> wanted[] = {
      {kTorchrun, {"RANK", "WORLD_SIZE", "LOCAL_RANK"}},
      {kOpenMpi, {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"}},
      {kStep, {"SLURM_PROCID", "SLURM_LOCALID"}}};
  for (const auto& [variables, names] : wanted) {
    for (const std::string& name : names) {
      ExpectRefused(Without(variables, name), "are set", name + " is not set");
    }
  }
  for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK"}) {  // single variable, perhaps of another program
    ExpectRefused({{name, "0"}}, std::string(name) + " is set", "are not set");
  }
  ExpectRefused(Without(kHydra, "PMI_SIZE"), "PMI_RANK is set", "PMI_SIZE is not set");
  ExpectRefused(Without(kHydra, "MPI_LOCALRANKID"), "MPI_LOCALRANKID", "is not set");
  ExpectRefused({{"PMIX_RANK", "3"}}, "PMI_SIZE", "is not set");
  ExpectRefused(kStep + Variables({{"RANK", "1"}}), "RANK is set", "WORLD_SIZE, LOCAL_RANK are not set");
}

TEST(LaunchEnvironmentTest, ContradictionsAreRefused) {
  ExpectRefused(kTorchrun + Variables({{"RANK", "4"}}), "RANK is 4", "WORLD_SIZE=4");
  ExpectRefused(kTorchrun + Variables({{"LOCAL_RANK", "2"}}), "LOCAL_RANK is 2", "LOCAL_WORLD_SIZE=2");
  ExpectRefused(kTorchrun + Variables({{"LOCAL_WORLD_SIZE", "5"}}), "LOCAL_WORLD_SIZE is 5", "WORLD_SIZE=4");
  ExpectRefused(kTorchrun + Variables({{"RANK", "0"}}), "LOCAL_RANK is 1", "RANK=0");
  ExpectRefused(kOpenMpi + Variables({{"OMPI_COMM_WORLD_RANK", "9"}}), "OMPI_COMM_WORLD_RANK is 9",
                "OMPI_COMM_WORLD_SIZE=4");
  ExpectRefused(kHydra + Variables({{"PMIX_RANK", "2"}}), "PMI_RANK is 3", "PMIX_RANK is 2");
  ExpectRefused(kStep + Variables({{"SLURM_PROCID", "4"}}), "SLURM_PROCID is 4", "SLURM_STEP_NUM_TASKS=4");
}

TEST(LaunchEnvironmentTest, WhatIsNoNumberIsRefused) {
  for (const char* value : {"", "one", "-1", "1.5", "4294967296"}) {
    ExpectRefused(kTorchrun + Variables({{"RANK", value}}), "RANK is '", value);
    ExpectRefused(kStep + Variables({{"SLURM_LOCALID", value}}), "SLURM_LOCALID is '", value);
  }
  ExpectRefused(kTorchrun + Variables({{"WORLD_SIZE", "0"}}), "WORLD_SIZE is '0'", "from 1 to 65536");
  ExpectRefused(kTorchrun + Variables({{"WORLD_SIZE", "2147483647"}}), "WORLD_SIZE is '2147483647'", "from 1 to 65536");
}

TEST(LaunchEnvironmentTest, ABatchScriptIsNoLaunch) {
  EXPECT_EQ(Found(kBatchScript), Launcher::kNone);
  for (const char* special : {"4294967290", "4294967291", "4294967294"}) {  // steps: interactive, batch, pending
    EXPECT_EQ(Found(kBatchScript + Variables({{"SLURM_STEP_ID", special}})), Launcher::kNone);
  }
}

TEST(LaunchEnvironmentTest, SlurmCompletesWhatItsPmiLeavesOut) {
  const auto place = Read(kStep + Variables({{"PMIX_RANK", "3"}}));
  ASSERT_THAT(place, IsOk());
  EXPECT_EQ(place->launcher, Launcher::kPmi);
  EXPECT_EQ(place->size, 4);
  EXPECT_EQ(place->local_rank, 1);
  EXPECT_EQ(place->run, "12.0");
}

TEST(LaunchEnvironmentTest, OneHostAsFarAsTheLauncherShows) {
  EXPECT_TRUE(Read(kTorchrun + Variables({{"LOCAL_WORLD_SIZE", "4"}}))->one_host);
  EXPECT_FALSE(Read(Without(kTorchrun, "LOCAL_WORLD_SIZE"))->one_host);
  EXPECT_TRUE(Read(kOpenMpi + Variables({{"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}))->one_host);
  EXPECT_TRUE(Read(kStep + Variables({{"SLURM_STEP_NUM_NODES", "1"}}))->one_host);
}

TEST(LaunchEnvironmentTest, ARunHasAName) {
  EXPECT_EQ(Read(kTorchrun + Variables({{"TORCHELASTIC_RESTART_COUNT", "2"}}))->run, "r7.2");
  EXPECT_EQ(Read(kOpenMpi)->run, "1199243265");
  EXPECT_EQ(Read(kStep)->run, "12.0");
}

}  // namespace
}  // namespace lockstep
