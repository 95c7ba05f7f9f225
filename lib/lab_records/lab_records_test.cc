#include "lib/lab_records/lab_records.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::lockstep::testing::WriteSmallLab;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::vector<std::string> SmallFiles() {
  const std::string folder = TempPath("lab");
  mkdir(folder.c_str(), 0755);
  return WriteSmallLab(folder);
}

TEST(LabRecordsTest, EveryKindIsRecognizedByItsHeader) {
  std::vector<std::string> paths = SmallFiles();
  std::reverse(paths.begin(), paths.end());
  const absl::StatusOr<LabRecords> lab = ReadLabRecords(paths);
  ASSERT_THAT(lab, IsOk());
  ASSERT_THAT(lab->datasets, SizeIs(1));
  EXPECT_THAT(lab->datasets[0].info, SizeIs(2));
  ASSERT_THAT(lab->sweeps, SizeIs(1));
  EXPECT_THAT(lab->sweeps[0].points, SizeIs(3));
  EXPECT_EQ(lab->sweeps[0].spec.preset(), "lab");
  EXPECT_EQ(lab->sweeps[0].end.reason(), proto::END_OUT_OF_MEMORY);
  ASSERT_THAT(lab->scales, SizeIs(1));
  EXPECT_THAT(lab->scales[0].points, SizeIs(6));
  ASSERT_THAT(lab->comm_models, SizeIs(2));  // order of the input: the audit first
  EXPECT_THAT(lab->comm_models[0].audits, SizeIs(1));
  EXPECT_THAT(lab->comm_models[1].rows, SizeIs(3));
  EXPECT_THAT(lab->comm_models[1].all_reduce_fits, SizeIs(2));
  EXPECT_THAT(lab->comm_models[1].step_times, SizeIs(1));
  EXPECT_THAT(lab->comm_models[1].laws, SizeIs(2));
  EXPECT_THAT(lab->comm_models[1].predictions, SizeIs(2));
  EXPECT_THAT(lab->comm_models[1].what_ifs, SizeIs(1));
  ASSERT_THAT(lab->quantized, SizeIs(1));
  EXPECT_THAT(lab->quantized[0].networks, SizeIs(2));
}

TEST(LabRecordsTest, ASourceKnowsItsFileAndItsEnd) {
  const absl::StatusOr<LabRecords> lab = ReadLabRecords({SmallFiles()[1]});
  ASSERT_THAT(lab, IsOk());
  const RecordSource& source = *lab->Sources().at(0);
  EXPECT_EQ(source.name(), "sweep.rec");
  EXPECT_THAT(source.input.sha256(), SizeIs(64));
  EXPECT_EQ(source.header.build().tool(), "train_sweep");
  EXPECT_EQ(source.trailer.record_count(), 6u);  // header, spec, three points, end
}

TEST(LabRecordsTest, ARunIsMadeFromTheFilesWhoseDigestsItHas) {
  LabDataset images;
  images.input.set_sha256("abc");
  LabSweep sweep;
  EXPECT_FALSE(MadeFrom(sweep, images));
  sweep.header.add_input()->set_sha256("another");
  EXPECT_FALSE(MadeFrom(sweep, images));
  sweep.header.add_input()->set_sha256("abc");
  EXPECT_TRUE(MadeFrom(sweep, images));
}

TEST(LabRecordsTest, NoFileIsAUsageError) {
  EXPECT_THAT(ReadLabRecords({}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--input is missing")));
}

TEST(LabRecordsTest, TheSameBytesTwiceAreNamed) {
  const std::string path = SmallFiles()[1];
  const std::string copy = TempPath("copy.rec");
  WriteFile(copy, ReadFile(path));
  EXPECT_THAT(ReadLabRecords({path, copy}),
              StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("sweep.rec"), HasSubstr("copy.rec"))));
}

TEST(LabRecordsTest, StandardInputTwiceIsAUsageError) {
  const std::string path = SmallFiles()[1];
  ASSERT_NE(std::freopen(path.c_str(), "rb", stdin), nullptr);
  EXPECT_THAT(ReadLabRecords({"-", "-"}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("twice")));
}

TEST(LabRecordsTest, ACutOffFileIsRefused) {
  const std::string bytes = ReadFile(SmallFiles()[1]);
  const std::string path = TempPath("cut.rec");
  WriteFile(path, bytes.substr(0, bytes.size() - 10));
  EXPECT_THAT(ReadLabRecords({path}), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut off")));
}

}  // namespace
}  // namespace lockstep
