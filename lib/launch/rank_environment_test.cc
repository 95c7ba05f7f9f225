#include "lib/launch/rank_environment.h"

#include <cstdlib>
#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns the variables of rank 1 of 4 at 127.0.0.1:29500, with a payload of arbitrary bytes.
std::map<std::string, std::string> Variables() {
  RankEnvironment rank;
  rank.rank = 1;
  rank.size = 4;
  rank.local_rank = 1;
  rank.local_size = 2;
  rank.host = "127.0.0.1";
  rank.port = 29500;
  rank.task = "point";
  rank.payload = std::string("\x00\xFF\n", 3);
  rank.secret = std::string(62, '0') + "7f";
  rank.timeout = absl::Milliseconds(1500);
  return ToVariables(rank);
}

absl::StatusOr<RankEnvironment> Read(const std::map<std::string, std::string>& variables) {
  return ReadRankEnvironment([&variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(RankEnvironmentTest, ReadsWhatItWrote) {
  const absl::StatusOr<RankEnvironment> rank = Read(Variables());
  ASSERT_THAT(rank, IsOk());
  EXPECT_EQ(rank->rank, 1);
  EXPECT_EQ(rank->size, 4);
  EXPECT_EQ(rank->local_rank, 1);
  EXPECT_EQ(rank->local_size, 2);
  EXPECT_EQ(rank->host, "127.0.0.1");
  EXPECT_EQ(rank->port, 29500);
  EXPECT_EQ(rank->task, "point");
  EXPECT_EQ(rank->payload, std::string("\x00\xFF\n", 3));
  EXPECT_EQ(rank->secret, std::string(62, '0') + "7f");
  EXPECT_EQ(rank->timeout, absl::Milliseconds(1500));
}

TEST(RankEnvironmentTest, NamesTheVariableThatIsMissing) {
  for (const char* name :
       {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LOCKSTEP_RANK_TASK",
        "LOCKSTEP_RANK_PAYLOAD", "LOCKSTEP_RANK_SECRET", "LOCKSTEP_RANK_TIMEOUT"}) {
    std::map<std::string, std::string> variables = Variables();
    variables.erase(name);
    EXPECT_THAT(Read(variables), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(name)));
  }
}

TEST(RankEnvironmentTest, RefusesWhatIsNoPlaceInTheRun) {
  const std::map<std::string, std::string> wrong[] = {{{"RANK", "4"}},
                                                      {{"RANK", "-1"}},
                                                      {{"RANK", "one"}},
                                                      {{"LOCAL_RANK", "2"}},
                                                      {{"LOCAL_WORLD_SIZE", "5"}},
                                                      {{"LOCAL_WORLD_SIZE", "0"}},
                                                      {{"WORLD_SIZE", "0"}},
                                                      {{"WORLD_SIZE", "-1"}},
                                                      {{"MASTER_PORT", "0"}},
                                                      {{"MASTER_PORT", "65536"}},
                                                      {{"LOCKSTEP_RANK_PAYLOAD", "*"}},
                                                      {{"LOCKSTEP_RANK_SECRET", ""}},
                                                      {{"LOCKSTEP_RANK_SECRET", "0123abc"}},
                                                      {{"LOCKSTEP_RANK_SECRET", std::string(64, 'g')}},
                                                      {{"LOCKSTEP_RANK_TIMEOUT", "0s"}},
                                                      {{"LOCKSTEP_RANK_TIMEOUT", "soon"}}};
  for (const auto& change : wrong) {
    std::map<std::string, std::string> variables = Variables();
    const std::string name = change.begin()->first;
    variables[name] = change.begin()->second;
    EXPECT_THAT(Read(variables), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(name)));
  }
}

TEST(RankEnvironmentTest, NoErrorContainsTheSecret) {
  std::map<std::string, std::string> variables = Variables();
  variables["LOCKSTEP_RANK_SECRET"] = "5ec7e7" + std::string(57, '0');  // one digit too few
  EXPECT_THAT(Read(variables), StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("5ec7e7"))));
}

TEST(RankEnvironmentTest, ErasesTheSecretFromThisProcessAndItsChildren) {
  setenv("LOCKSTEP_RANK_SECRET", "5ec7e7", 1);
  const char* const value = std::getenv("LOCKSTEP_RANK_SECRET");
  EraseSecretFromEnvironment();
  EXPECT_EQ(std::getenv("LOCKSTEP_RANK_SECRET"), nullptr);
  EXPECT_STREQ(value, "xxxxxx");  // setenv's copy is never freed
  EraseSecretFromEnvironment();
}

}  // namespace
}  // namespace lockstep
