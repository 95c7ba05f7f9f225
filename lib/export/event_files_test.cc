#include "lib/export/event_files.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

LabRecords TwoPointsOfOneName() {
  LabRecords lab;
  LabSweep& sweep = lab.sweeps.emplace_back();
  sweep.input.set_path("runs/a sweep.rec");
  sweep.header.set_start_time("1970-01-01T00:01:40+00:00");
  for (int i = 0; i < 3; ++i) {
    sweep.points.emplace_back().set_batch_size(32);
  }
  sweep.points[0].add_epoch();
  sweep.points[1].add_epoch();
  return lab;
}

TEST(EventFilesTest, EachPointWithEpochsIsARunOfItsOwn) {
  const std::vector<TrainingEvents> events = EventsOf(TwoPointsOfOneName());
  ASSERT_EQ(events.size(), 2);  // the third has no epochs
  EXPECT_EQ(events[0].run, "a_sweep.batch_32");
  EXPECT_EQ(events[1].run, "a_sweep.batch_32_2");
}

TEST(EventFilesTest, TheStageMakesFolders) {
  const std::string records = testing::TempPath("records"), board = testing::TempPath("board/deep");
  std::filesystem::create_directories(records);
  const std::vector<std::string> inputs = testing::WriteSmallLab(records);
  EXPECT_THAT(RunEventFiles(inputs, board, Force::kNo), IsOk());
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(board)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_GT(files, 0);
  EXPECT_THAT(RunEventFiles(inputs, board, Force::kNo), IsOk());  // a second time
  EXPECT_THAT(RunEventFiles(inputs, inputs[0], Force::kNo),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a folder")));
}

TEST(EventFilesTest, NothingTrainedIsRefused) {
  const std::string records = testing::TempPath("only_data");
  std::filesystem::create_directories(records);
  const std::string dataset = testing::WriteSmallLab(records)[0];
  EXPECT_THAT(RunEventFiles({dataset}, testing::TempPath("none"), Force::kNo),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("has epochs")));
}

}  // namespace
}  // namespace lockstep
