#include "benchmarks/collective_rows.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(CollectiveRowsTest, TheTaskSurvivesItsPayload) {
  CollectiveTask task;
  task.type = "float";
  task.max_bytes = size_t{4} << 30;
  task.crossovers = {3, 5};
  task.collectives = {"all_reduce", "broadcast"};
  const auto parsed = ParsePayload(PayloadOf(task));
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->type, "float");
  EXPECT_EQ(parsed->max_bytes, task.max_bytes);
  EXPECT_EQ(parsed->crossovers.max_one_shot_bytes, 3);
  EXPECT_EQ(parsed->crossovers.max_two_shots_bytes, 5);
  EXPECT_THAT(parsed->collectives, ElementsAre("all_reduce", "broadcast"));
}

TEST(CollectiveRowsTest, RefusesAnotherPayload) {
  for (const char* payload : {"", "bf16 x 1 2 all_reduce", "bf16 1 2 3"}) {
    EXPECT_THAT(ParsePayload(payload), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected")));
  }
}

// The bandwidth that follows from a bus factor is compared with a tolerance of 1e-6 (lib/collectives), so no digit of
// 2 * (3 - 1) / 3 may be lost.
TEST(CollectiveRowsTest, TheRowsSurviveTheirText) {
  CollectiveRows rows;
  rows.hosts = 3;
  rows.link_bytes_per_second = 3e11;
  rows.left_out = {"nccl_window: the ranks are on 3 hosts", "copies: none"};
  rows.rows = {{"all_reduce", "nccl", 1024, 2048, 4.0 / 3, 7, 3e-6, {1e-6, 2e-6}},
               {"broadcast", "nccl", 4, 4, 1, 0, 0, {}}};
  const auto parsed = ParseCollectiveRows(TextOf(rows));
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->hosts, 3);
  EXPECT_EQ(parsed->link_bytes_per_second, 3e11);
  EXPECT_EQ(parsed->left_out, rows.left_out);
  ASSERT_THAT(parsed->rows, SizeIs(2));
  EXPECT_EQ(parsed->rows[0].way, "nccl");
  EXPECT_EQ(parsed->rows[0].moved_bytes, 2048);
  EXPECT_EQ(parsed->rows[0].bus_factor, 4.0 / 3);
  EXPECT_EQ(parsed->rows[0].wrong, 7);
  EXPECT_EQ(parsed->rows[0].eager_seconds, 3e-6);
  EXPECT_THAT(parsed->rows[0].replays, ElementsAre(1e-6, 2e-6));
  EXPECT_EQ(parsed->rows[1].collective, "broadcast");
  EXPECT_THAT(parsed->rows[1].replays, IsEmpty());
}

}  // namespace
}  // namespace lockstep
