#include "benchmarks/collective_records.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Result of rank 0 of two hosts, whose times count, and of rank 1.
constexpr char kTimed[] =
    "2 0\nleft_out nccl_window: the ranks are on 2 hosts\nall_reduce nccl 1024 1024 1.5 0 9e-6 8e-6 7e-6\n"
    "all_reduce hierarchical_nccl 1024 1024 1.5 1 9e-6 6e-6\nall_reduce counterparts 1024 1024 1 0 9e-6 5e-6";
constexpr char kOther[] =
    "2 0\nleft_out nccl_window: the ranks are on 2 hosts\nall_reduce nccl 1024 1024 1.5 3\n"
    "all_reduce hierarchical_nccl 1024 1024 1.5 2\nall_reduce counterparts 1024 1024 1 0";

TEST(CollectiveRecordsTest, JoinsTheTimesOfOneRankAndTheWrongElementsOfAll) {
  const auto rows = JoinRows({kTimed, kOther});
  ASSERT_THAT(rows, IsOk());
  EXPECT_EQ(rows->hosts, 2);
  EXPECT_EQ(rows->link_bytes_per_second, 0);
  EXPECT_THAT(rows->left_out, ElementsAre("nccl_window: the ranks are on 2 hosts"));
  ASSERT_THAT(rows->rows, SizeIs(3));
  EXPECT_EQ(rows->rows[0].wrong, 3);
  EXPECT_EQ(rows->rows[1].wrong, 3);
  EXPECT_THAT(rows->rows[0].replays, ElementsAre(8e-6, 7e-6));
}

TEST(CollectiveRecordsTest, RefusesALineThatIsNoRow) {
  EXPECT_THAT(JoinRows({"2 0\nall_reduce nccl 1024"}), StatusIs(absl::StatusCode::kInternal, HasSubstr("a row")));
  EXPECT_THAT(JoinRows({"2"}), StatusIs(absl::StatusCode::kInternal, HasSubstr("hosts")));
}

TEST(CollectiveRecordsTest, SeveralHostsHaveNoLinkAndNoCrossovers) {
  const auto rows = JoinRows({kTimed, kOther});
  ASSERT_THAT(rows, IsOk());
  std::vector<proto::CollectiveTimesRecord> records;
  ASSERT_THAT(AddRecords(*rows, 4, "bf16", records), IsOk());
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_THAT(records[1], EqualsProto("times { collective: 'all_reduce' way: 'hierarchical_nccl' ranks: 4 "
                                      "type: 'bf16' size_bytes: 1024 seconds { value: 6e-6 } eager_seconds: 9e-6 "
                                      "wrong_elements: 3 hosts: 2 }"));
  EXPECT_EQ(records[2].times().ranks(), 2);  // a rank of each host
}

TEST(CollectiveRecordsTest, OneHostHasCrossovers) {
  const auto rows =
      JoinRows({"1 4e11\nall_reduce one_shot 1024 1024 1 0 5e-6 4e-6\nall_reduce two_shots 1024 1024 1 0 "
                "5e-6 6e-6\nall_reduce copies 1024 1024 1 0 5e-6 3e-5"});
  ASSERT_THAT(rows, IsOk());
  std::vector<proto::CollectiveTimesRecord> records;
  ASSERT_THAT(AddRecords(*rows, 2, "float", records), IsOk());
  ASSERT_THAT(records, SizeIs(4));
  EXPECT_EQ(records[0].times().link_bytes_per_second(), 4e11);
  EXPECT_EQ(records[3].crossovers().max_one_shot_bytes(), 1024);
}

TEST(CollectiveRecordsTest, RowsWithoutOurWaysAreKeptNevertheless) {
  const auto rows = JoinRows({"1 4e11\nall_reduce nccl 1024 1024 1 0 5e-6 4e-6"});
  ASSERT_THAT(rows, IsOk());
  std::vector<proto::CollectiveTimesRecord> records;
  EXPECT_FALSE(AddRecords(*rows, 2, "float", records).ok());
  EXPECT_THAT(records, SizeIs(1));
}

}  // namespace
}  // namespace lockstep
