#include "lib/export/step_trace.h"

#include <filesystem>
#include <map>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Tolerance for sums of a few doubles.
constexpr double kClose = 0.125;  // microseconds

struct Event {
  std::string phase, name;
  double begin = 0, duration = 0;
};

// Returns the events by point, then by line; line 0 has the point's name.
std::map<int, std::map<int, std::vector<Event>>> Events(const LabRecords& lab) {
  const auto text = RenderStepTrace(lab);
  EXPECT_THAT(text, IsOk());
  google::protobuf::Struct root;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(*text, &root).ok());
  std::map<int, std::map<int, std::vector<Event>>> events;
  for (const auto& value : root.fields().at("traceEvents").list_value().values()) {
    auto fields = value.struct_value().fields();
    const bool named = fields["ph"].string_value() == "M";
    const bool of_point = fields["name"].string_value() == "process_name";
    events[static_cast<int>(fields["pid"].number_value())]
          [of_point ? 0 : static_cast<int>(fields["tid"].number_value())]
              .push_back({fields["ph"].string_value(),
                          named ? fields["args"].struct_value().fields().at("name").string_value()
                                : fields["name"].string_value(),
                          fields["ts"].number_value(), fields["dur"].number_value()});
  }
  return events;
}

std::vector<std::string> Names(const std::vector<Event>& events) {
  std::vector<std::string> names;
  for (const Event& event : events) {
    names.push_back(event.name);
  }
  return names;
}

LabRecords TwoRanks() {
  LabRecords lab;
  lab.scales = {testing::SmallScale()};
  lab.scales[0].points.resize(1);
  proto::ScalePoint& point = lab.scales[0].points[0];
  point.set_ranks(2);
  point.set_batch_per_device(32);
  point.clear_rank();
  for (uint32_t rank = 0; rank < 2; ++rank) {
    proto::RankFacts& facts = *point.add_rank();
    facts.set_rank(rank);
    facts.mutable_step_means()->set_forward_seconds(0.001);
    facts.mutable_step_means()->set_backward_seconds(0.002);
    facts.mutable_step_means()->set_exposed_seconds(rank == 0 ? 0.0005 : -0.0001);
    facts.mutable_step_means()->set_update_seconds(0.0001);
  }
  point.clear_bucket();
  proto::Bucket& bucket = *point.add_bucket();
  bucket.set_size_bytes(8000000);
  bucket.set_mean_ready_seconds(0.0015);
  bucket.set_mean_done_seconds(0.0025);
  return lab;
}

TEST(StepTraceTest, PartsOfAStepFollowEachOtherAndBucketsAreConcurrent) {
  const auto points = Events(TwoRanks());
  ASSERT_EQ(points.size(), 1);
  const auto& lines = points.at(1);
  ASSERT_EQ(lines.size(), 4);  // the point's name, two ranks, one bucket
  EXPECT_THAT(lines.at(0)[0].name, HasSubstr("2 ranks, batch 32 per device"));
  EXPECT_THAT(Names(lines.at(1)), ElementsAre("rank 0", "forward", "backward", "waiting for all-reduces", "update"));
  EXPECT_THAT(lines.at(1)[3].begin, DoubleNear(3000, kClose));
  EXPECT_THAT(lines.at(1)[3].duration, DoubleNear(500, kClose));
  EXPECT_THAT(lines.at(1)[4].begin, DoubleNear(3500, kClose));
  // The exposed time is negative.
  EXPECT_THAT(Names(lines.at(2)), ElementsAre("rank 1", "forward", "backward", "update"));
  EXPECT_THAT(Names(lines.at(3)), ElementsAre("rank 0: bucket 1, 8 MB", "all-reduce of 8 MB"));
  EXPECT_THAT(lines.at(3)[1].begin, DoubleNear(1000 + 1500, kClose));  // follows forward
  EXPECT_THAT(lines.at(3)[1].duration, DoubleNear(1000, kClose));
}

// 1.5 s of backward in 1,563 steps.
TEST(StepTraceTest, ASweepsEpochsAreDividedByTheirSteps) {
  LabRecords lab;
  lab.sweeps = {testing::SmallSweep()};
  const auto points = Events(lab);
  ASSERT_EQ(points.size(), 2);  // the third point did not fit
  const std::vector<Event>& line = points.at(1).at(1);
  EXPECT_EQ(line.back().name, "backward");
  EXPECT_THAT(line.back().duration, DoubleNear(1.5e6 / 1563, kClose));
}

TEST(StepTraceTest, ByTimestampsWhereAStepHasThem) {
  LabRecords lab;
  lab.sweeps = {testing::SmallSweep()};
  proto::StepPart& part = *lab.sweeps[0].points[0].mutable_step_parts()->add_part();
  part.set_name("the batch");
  part.set_epoch_seconds(1.563);
  const auto points = Events(lab);
  EXPECT_THAT(Names(points.at(1).at(1)), ElementsAre("device 0", "the batch"));
  EXPECT_THAT(points.at(1).at(1)[1].duration, DoubleNear(1000, kClose));
}

// Times in whole nanoseconds are preserved, whether a reader rounds or truncates.
TEST(StepTraceTest, NoEventOverlapsTheOneBeforeItAndThreadsAreNumberedOnce) {
  LabRecords lab = testing::SmallLab();
  lab.sweeps.push_back(testing::SmallSweep());
  auto& parts = *lab.sweeps[0].points[0].mutable_step_parts();
  for (int i = 0; i < 100; ++i) {
    proto::StepPart& part = *parts.add_part();
    part.set_name("part");
    part.set_epoch_seconds(0.0001 + 1.0 / (i + 3));
  }
  std::map<int, int> point_of_line;
  size_t events = 0;
  const auto nanoseconds = [](double microseconds) { return static_cast<int64_t>(microseconds * 1000); };
  for (const auto& [point, lines] : Events(lab)) {
    for (const auto& [line, line_events] : lines) {
      if (line > 0) {
        EXPECT_TRUE(point_of_line.emplace(line, point).second || point_of_line[line] == point) << line;
      }
      int64_t end = 0;
      for (const Event& event : line_events) {
        EXPECT_EQ(static_cast<double>(nanoseconds(event.begin)), event.begin * 1000);
        EXPECT_EQ(static_cast<double>(nanoseconds(event.duration)), event.duration * 1000);
        EXPECT_GE(nanoseconds(event.begin), event.duration > 0 ? end : 0);
        end = nanoseconds(event.begin) + nanoseconds(event.duration);
        ++events;
      }
    }
  }
  EXPECT_GT(events, 100u);
}

TEST(StepTraceTest, WithoutPartsThereIsNoTrace) {
  LabRecords lab;
  lab.datasets = {testing::SmallDataset()};
  EXPECT_THAT(RenderStepTrace(lab), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("parts of a step")));
}

TEST(StepTraceTest, TheStageWritesAFile) {
  const std::string folder = testing::TempPath("trace");
  std::filesystem::create_directories(folder);
  const std::vector<std::string> records = testing::WriteSmallLab(folder);
  const std::string output = folder + "/trace.json";
  EXPECT_THAT(RunStepTrace(records, output, Force::kNo), IsOk());
  EXPECT_THAT(testing::ReadFile(output), HasSubstr("traceEvents"));
  EXPECT_THAT(RunStepTrace(records, records[0], Force::kNo),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--trace")));
}

}  // namespace
}  // namespace lockstep
