#include "lib/collectives/collective_times.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kTimes[] =
    "times { collective: 'all_reduce' way: 'nccl' ranks: 2 type: 'bf16' size_bytes: 1000 seconds { value: 1e-5 value: "
    "2e-5 } link_bytes_per_second: 4e11 }";
constexpr char kCrossovers[] =
    "crossovers { ranks: 2 type: 'bf16' max_one_shot_bytes: 2048 max_two_shots_bytes: 4096 }";

std::string Write(const std::vector<std::string>& texts,
                  absl::string_view schema = "lockstep.proto.CollectiveTimesFile") {
  std::vector<proto::CollectiveTimesRecord> records;
  for (const std::string& text : texts) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &records.emplace_back())) << text;
  }
  HeaderOptions header;
  header.schema = schema;
  const std::string path = TempPath("times.rec");
  std::remove(path.c_str());  // another test may have left other bytes there
  EXPECT_THAT(WriteRecordFile(path, MakeHeader(header), records), IsOk());
  return path;
}

absl::StatusOr<std::vector<AllReducePoint>> PointsIn(const std::string& path) {
  const auto file = ReadCollectiveTimes(path);
  return file.ok() ? AllReducePointsOf(*file) : file.status();
}

absl::StatusOr<proto::AllReduceCrossovers> CrossoversIn(const std::string& path) {
  const auto file = ReadCollectiveTimes(path);
  return file.ok() ? CrossoversOf(*file, 2, "bf16") : file.status();
}

TEST(CollectiveTimesTest, AnAllReduceIsAPointByWay) {
  const auto points = PointsIn(
      Write({kTimes, "times { collective: 'broadcast' way: 'copies' ranks: 2 type: 'bf16' size_bytes: 8 }",
             "times { collective: 'all_reduce' way: 'auto' ranks: 2 type: 'float' size_bytes: 8 seconds { value: 1 } }",
             "times { collective: 'all_reduce' way: 'shared_memory' ranks: 2 type: 'float' size_bytes: 8 seconds { "
             "value: 1 } }",
             "times { collective: 'all_reduce' way: 'gloo' ranks: 2 type: 'float' size_bytes: 8 seconds { value: 1 } }",
             kCrossovers}));
  ASSERT_THAT(points, IsOk());
  ASSERT_THAT(*points, SizeIs(4));
  EXPECT_EQ((*points)[0].ranks, 2u);
  EXPECT_EQ((*points)[0].size_bytes, 1000u);
  EXPECT_TRUE((*points)[0].in_place);
  EXPECT_EQ((*points)[0].way, "nccl, bf16");
  EXPECT_THAT((*points)[0].seconds, ElementsAre(1e-5, 2e-5));
  EXPECT_EQ((*points)[1].way, "auto, float");
  EXPECT_EQ((*points)[2].way, "shared memory");
  EXPECT_EQ((*points)[3].way, "gloo");
  EXPECT_THAT((*points)[1].origin, HasSubstr("times.rec, record 3"));
  EXPECT_EQ((*points)[0].hosts, 0u);
}

TEST(CollectiveTimesTest, PointsOfOtherHostsAreOthers) {
  const std::string start = "times { collective: 'all_reduce' way: 'nccl' ranks: 4 type: 'bf16' size_bytes: 8 hosts: ";
  const auto points =
      PointsIn(Write({absl::StrCat(start, "1 seconds { value: 1 } }"), absl::StrCat(start, "2 seconds { value: 2 } }"),
                      absl::StrCat(start, "2 seconds { value: 3 } }")}));
  ASSERT_THAT(points, IsOk());
  ASSERT_THAT(*points, SizeIs(2));
  EXPECT_EQ((*points)[0].hosts, 1u);
  EXPECT_EQ((*points)[1].hosts, 2u);
  EXPECT_THAT((*points)[1].seconds, ElementsAre(2, 3));
}

TEST(CollectiveTimesTest, TimesThatMeanNothingAreNamed) {
  const auto expect = [](const std::string& times, const char* words) {
    EXPECT_THAT(
        PointsIn(Write({absl::StrCat("times { collective: 'all_reduce' way: 'copies' type: 'bf16' ", times, "}")})),
        StatusIs(absl::StatusCode::kDataLoss, HasSubstr(words)));
  };
  expect("ranks: 2 size_bytes: 8 seconds { value: 1 } wrong_elements: 3",
         "record 1: copies, bf16: expected a correct result");
  expect("ranks: 2 size_bytes: 8", "expected a time above 0");
  expect("ranks: 2 size_bytes: 8 seconds { value: 1 value: 0 }", "expected a time above 0");
  expect("ranks: 2 size_bytes: 8 seconds { value: nan }", "times.seconds.value[0] is nan");
  expect("ranks: 1 size_bytes: 8 seconds { value: 1 }", "expected 2 or more ranks");
  expect("ranks: 2 size_bytes: 8 seconds { value: 1 } hosts: 3", "one host for each of 2 ranks, found 3");
  expect("ranks: 2 seconds { value: 1 }", "1 to 2^53 bytes");
  expect("size_bytes: 8 seconds { value: 1 }", "times.ranks is 0");
  EXPECT_THAT(
      PointsIn(Write({kCrossovers})),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("times.rec: expected times of an all-reduce, found none")));
}

TEST(CollectiveTimesTest, CrossoversAreThoseOfRanksAndType) {
  const std::string other = "crossovers { ranks: 2 type: 'float' max_one_shot_bytes: 1 max_two_shots_bytes: 1 }";
  const auto found = CrossoversIn(Write({kTimes, kCrossovers, other}));
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->max_one_shot_bytes(), 2048u);
  EXPECT_EQ(found->max_two_shots_bytes(), 4096u);
  EXPECT_THAT(
      CrossoversIn(Write({kTimes, other})),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               HasSubstr("times.rec: expected crossovers of 2 ranks in bf16, found those of 2 in float; measure")));
  EXPECT_THAT(CrossoversIn(Write({kTimes})), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("found none")));
  EXPECT_THAT(
      CrossoversIn(Write({"crossovers { ranks: 2 type: 'bf16' max_one_shot_bytes: 2 max_two_shots_bytes: 1 }"})),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("record 1: expected max_two_shots_bytes")));
}

TEST(CollectiveTimesTest, OtherFilesAreRefusedInOneLine) {
  const std::string path = Write({kTimes, kCrossovers}), bytes = ReadFile(path);
  EXPECT_TRUE(IsRecordFile(bytes));
  EXPECT_TRUE(IsRecordFile("{\"record\": [{\"header\": {\"schema\": \"lockstep.proto.CollectiveTimesFile\"}}]}"));
  EXPECT_FALSE(IsRecordFile("{\"benchmarks\": []}"));
  EXPECT_FALSE(IsRecordFile(""));
  WriteFile(path, bytes.substr(0, bytes.size() - 3));
  EXPECT_THAT(PointsIn(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut off")));
  WriteFile(path, "hello");
  EXPECT_THAT(PointsIn(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not a Lockstep record file")));
  EXPECT_THAT(PointsIn(Write({}, "lockstep.proto.SweepFile")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("is a record of train_sweep")));
}

}  // namespace
}  // namespace lockstep
