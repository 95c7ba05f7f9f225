#include "lib/lab/lab_dataset.h"

#include <sys/stat.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/record/provenance.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Writes a record of 30 training and 20 test images, and returns its path.
std::string SmallRecord() {
  HeaderOptions header;
  header.schema = proto::DatasetFile::descriptor()->full_name();
  const std::string path = TempPath("dataset.rec");
  EXPECT_THAT(WriteRecordFile(path, MakeHeader(header), ToRecords(SmallDataset(30, 20))), IsOk());
  return path;
}

TEST(LabDatasetTest, FactsOfARecord) {
  LabFacts facts;
  facts.classes = facts.height = facts.width = 0;
  ASSERT_THAT(ReadDatasetFacts(SmallRecord(), facts), IsOk());
  EXPECT_EQ(facts.train_images, 30);
  EXPECT_EQ(facts.test_images, 20);
  EXPECT_EQ(ShapeText(facts), "10 classes of 32x32 pixels");
}

TEST(LabDatasetTest, AMissingRecordIsNotFound) {
  LabFacts facts;
  EXPECT_THAT(ReadDatasetFacts(TempPath("none.rec"), facts),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none.rec")));
}

TEST(LabDatasetTest, SyntheticImagesAreThoseOfTheFlags) {
  LabRequest request;
  request.images = 300;
  LabFacts facts;
  ASSERT_THAT(CountDatasetFacts(request, facts), IsOk());
  EXPECT_EQ(facts.train_images, 300);
  EXPECT_EQ(facts.test_images, 75);
}

TEST(LabDatasetTest, ARecordAsInputIsRead) {
  LabRequest request;
  request.input = SmallRecord();
  LabFacts facts;
  ASSERT_THAT(CountDatasetFacts(request, facts), IsOk());
  EXPECT_EQ(facts.train_images, 30);
  EXPECT_THAT(facts.why_assumed, IsEmpty());
}

TEST(LabDatasetTest, TheImagesOfAFolderAreCounted) {
  LabRequest request;
  request.input = TempPath("folder");
  mkdir(request.input.c_str(), 0755);
  WriteFile(absl::StrCat(request.input, "/train.bin"), std::string(7 * 3074, '\0'));
  WriteFile(absl::StrCat(request.input, "/test.bin"), std::string(3 * 3074, '\0'));
  WriteFile(absl::StrCat(request.input, "/fine_label_names.txt"), "apple\n");
  LabFacts facts;
  ASSERT_THAT(CountDatasetFacts(request, facts), IsOk());
  EXPECT_EQ(facts.train_images, 7);
  EXPECT_EQ(facts.test_images, 3);
  EXPECT_EQ(facts.classes, 100);
  EXPECT_THAT(facts.why_assumed, IsEmpty());
}

TEST(LabDatasetTest, AnInputThatCannotBeReadIsAssumedToBeCifar10) {
  for (const std::string& input : {std::string("-"), TempPath("none.tar.gz"), TempPath("none.rec")}) {
    SCOPED_TRACE(input);
    LabRequest request;
    request.input = input;
    LabFacts facts;
    ASSERT_THAT(CountDatasetFacts(request, facts), IsOk());
    EXPECT_EQ(facts.train_images, 50000);
    EXPECT_EQ(facts.test_images, 10000);
    EXPECT_EQ(facts.classes, 10);
    EXPECT_THAT(facts.why_assumed, HasSubstr(input == "-" ? "standard input" : input));
  }
}

}  // namespace
}  // namespace lockstep
